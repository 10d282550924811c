import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { digestIsOf, isSignedBy, signatureBase, signatureHeaders, signatureIn } from './http-signatures.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const body = Buffer.from('{"amount":"2500"}')
const request = { method: 'POST', authority: 'api.example.com', path: '/v2/deposits' }
const now = new Date(1_772_446_600_512)

for (const form of ['raw', 'der'] as const) {
  test(`a request that we sign, ${form}, is verified over its whole and over nothing else`, async () => {
    for (let time = 0; time < 20; time += 1) {
      const headers = signatureHeaders({ label: 'sig-pp', keyid: 'K:1', key: privateKey, form }, request, body, now)
      const carried = signatureIn(headers, 'sig-pp')!
      assert.deepEqual(
        [carried.keyid, carried.alg, carried.created, carried.expires],
        ['K:1', 'ecdsa-p256-sha256', 1_772_446_600, 1_772_446_660],
      )
      const good = signatureBase({ ...request, headers }, carried)!
      assert.equal(await isSignedBy(publicKey, good, carried.signature), true)
      for (const other of [{ method: 'PUT' }, { authority: 'evil.example' }, { path: '/v2/payouts' }]) {
        const base = signatureBase({ ...request, ...other, headers }, carried)!
        assert.equal(await isSignedBy(publicKey, base, carried.signature), false, JSON.stringify(other))
      }
      assert.equal(digestIsOf(headers['content-digest'], body), true)
      assert.equal(digestIsOf(headers['content-digest'], Buffer.from('{"amount":"2501"}')), false)
    }
  })
}

test('the example of RFC 9421 with P-256 (B.2.4) is verified', async () => {
  const key = createPublicKey(`-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
-----END PUBLIC KEY-----`)
  const params =
    '("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"'
  const digest = 'sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:'
  const carried = signatureIn(
    {
      'signature-input': `sig-b24=${params}`,
      signature: 'sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:',
    },
    'sig-b24',
  )!
  assert.equal(carried.params, params)
  const lines = ['"@status": 200', '"content-type": application/json', `"content-digest": ${digest}`]
  const base = [...lines, '"content-length": 23', `"@signature-params": ${params}`].join('\n')
  assert.equal(await isSignedBy(key, base, carried.signature), true)
  assert.equal(digestIsOf(digest, Buffer.from('{"message": "good dog"}\n')), false)
})

const unread: [name: string, input: string, signature?: string][] = [
  ['nothing', ''],
  ['another label', 'sig1=("@method")'],
  ['no list', 'sig-pp="@method"'],
  ['a component twice', 'sig-pp=("@method" "@method")'],
  ['a component with a parameter', 'sig-pp=("content-digest";req)'],
  ['a component without quotes', 'sig-pp=(@method)'],
  ['an open list', 'sig-pp=("@method"'],
  ['something behind it', 'sig-pp=("@method") x'],
  ['a signature that is no bytes', 'sig-pp=("@method")', 'sig-pp="abc"'],
  ['more than anybody signs', `sig-pp=(${'"@method" '.repeat(1_000)})`],
  ['a text without an end', `sig-pp=("@method");keyid="${'\\"'.repeat(1_000)}`],
]
for (const [name, input, signature = 'sig-pp=:AAAA:'] of unread) {
  test(`a signature of ${name} is none`, () => {
    assert.equal(signatureIn({ 'signature-input': input, signature }, 'sig-pp'), null)
  })
}

test('one of several signatures is found by its label', () => {
  const headers = {
    'signature-input': 'proxy=("@path");created=1, sig-pp=("@method" "@path");keyid="a,b;c=(d)";created=2;alg="x"',
    signature: 'proxy=:AAAA:, sig-pp=:BBBB:',
  }
  const carried = signatureIn(headers, 'sig-pp')!
  assert.deepEqual(carried.components, ['@method', '@path'])
  assert.equal(carried.keyid, 'a,b;c=(d)')
  assert.equal(carried.created, 2)
  assert.equal(carried.signature.toString('base64'), 'BBBB')
})

test('a digest header needs a known digest, and a wrong one makes it invalid', () => {
  const sha256 = 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:'
  const bytes = Buffer.from('hello')
  const right = 'sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:'
  assert.equal(digestIsOf(right, bytes), true)
  assert.equal(digestIsOf(`unixsum=:AAAA:, ${right}`, bytes), true)
  assert.equal(digestIsOf(sha256, bytes), false)
  assert.equal(digestIsOf(`${right}, sha-512=:AAAA:`, bytes), false)
  assert.equal(digestIsOf('md5=:XUFAKrxLKna5cZ2REBfFkg==:', bytes), false)
  for (const none of [undefined, '', 'sha-256', 'sha-256=AAAA', ['sha-256=:AAAA:']]) {
    assert.equal(digestIsOf(none, bytes), false, String(none))
  }
})

test('bytes that are not a signature are refused', async () => {
  for (const bytes of [
    '',
    '30',
    '3006020101020101',
    'ff'.repeat(64),
    '00'.repeat(64),
    '30'.repeat(72),
    'ab'.repeat(500),
  ]) {
    assert.equal(await isSignedBy(publicKey, 'text', Buffer.from(bytes, 'hex')), false, bytes)
  }
})
