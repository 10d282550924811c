import assert from 'node:assert/strict'
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import { createReadCallback } from './callback.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const URL_OF_CALLBACKS = 'https://Pay.Example.ci:443/operators/main/callbacks'
const SECOND = 1_772_446_600

const pawapay = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sandbox = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' })

const completed: Buffer = Buffer.from(
  JSON.stringify({
    depositId: ID,
    status: 'COMPLETED',
    amount: '2500',
    currency: 'XOF',
    payer: { type: 'MMO', accountDetails: { phoneNumber: '2250503456789', provider: 'MTN_MOMO_CIV' } },
    failureReason: { failureMessage: 'Number 2250503456789\nis closed' },
  }),
)

const ALL = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']

type Signing = {
  body?: Buffer
  key?: KeyObject
  keyid?: string
  form?: 'ieee-p1363' | 'der'
  digest?: 'sha256' | 'sha512'
  components?: string[]
  host?: string
  path?: string
  method?: string
  created?: number | null
  expires?: number | null
  alg?: string
}

/** The headers of a callback as pawaPay signs it. */
function signed(of: Signing = {}): IncomingHttpHeaders {
  const { body = completed, key = pawapay.privateKey, keyid = 'HTTP_EC_P256_KEY:1', digest = 'sha512' } = of
  const {
    form = 'ieee-p1363',
    components = ALL,
    created = SECOND,
    expires = SECOND + 60,
    alg = 'ecdsa-p256-sha256',
  } = of
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'content-digest': `${digest.replace('a', 'a-')}=:${hash(digest, body, 'base64')}:`,
    'signature-date': '2026-03-02T10:16:40.512Z',
  }
  const derived: Record<string, string> = {
    '@method': of.method ?? 'POST',
    '@authority': of.host ?? 'pay.example.ci',
    '@path': of.path ?? '/operators/main/callbacks',
  }
  const times = `${created === null ? '' : `;created=${created}`}${expires === null ? '' : `;expires=${expires}`}`
  const params = `(${components.map((name) => `"${name}"`).join(' ')});alg="${alg}";keyid="${keyid}"${times}`
  const lines = components.map((name) => `"${name}": ${derived[name] ?? headers[name]}`)
  const base = [...lines, `"@signature-params": ${params}`].join('\n')
  const signature = sign('sha256', Buffer.from(base), { key, dsaEncoding: form }).toString('base64')
  return { ...headers, 'signature-input': `sig-pp=${params}`, signature: `sig-pp=:${signature}:` }
}

/** A reader with pawaPay's keys, which a test may change, and a clock that it may set. */
function reader({ required = true } = {}) {
  const state = { fetched: 0, now: SECOND, keys: answerOf([{ id: 'HTTP_EC_P256_KEY:1', key: pem(pawapay.publicKey) }]) }
  const read = createReadCallback({
    callback_url: URL_OF_CALLBACKS,
    required,
    now: () => new Date(state.now * 1_000),
    async fetchKeys() {
      state.fetched += 1
      return state.keys
    },
  })
  return {
    state,
    read,
    kindOf: async (headers: IncomingHttpHeaders, body = completed) => (await read(body, headers)).kind,
  }
}

function answerOf(json: unknown, status = 200): OperatorReply {
  return { kind: 'answered', status, headers: {}, body: '', json }
}

test('a callback that pawaPay signed is about its operation, with its words, numbers masked', async () => {
  const { read, state } = reader()
  for (const form of ['ieee-p1363', 'der'] as const) {
    for (const digest of ['sha256', 'sha512'] as const) {
      const reading = await read(completed, signed({ form, digest }))
      assert.ok(reading.kind === 'about')
      assert.equal(reading.reference, ID)
      assert.deepEqual(
        [reading.evidence.signed, reading.evidence.status, reading.evidence.amount],
        [true, 'COMPLETED', '2500'],
      )
      assert.doesNotMatch(JSON.stringify(reading), /22505034/)
    }
  }
  assert.equal(state.fetched, 1, 'the keys are remembered')
})

const forged: [name: string, headers: () => IncomingHttpHeaders, body?: Buffer][] = [
  ['without a signature', () => ({ 'content-type': 'application/json' })],
  ['with half of one', () => ({ ...signed(), signature: undefined })],
  ['over another body', () => signed(), Buffer.from(String(completed).replace('2500', '2501'))],
  ['with the key of another environment', () => signed({ key: sandbox.privateKey })],
  ['with a key that pawaPay does not have', () => signed({ keyid: 'HTTP_EC_P256_KEY:9' })],
  ['for another host', () => signed({ host: 'evil.example' })],
  ['for another contract', () => signed({ path: '/operators/other/callbacks' })],
  ['by another method', () => signed({ method: 'PUT' })],
  ['a second after its end and the tolerance', () => signed({ created: SECOND - 100, expires: SECOND - 11 })],
  ['of the future', () => signed({ created: SECOND + 11 })],
  ['without a time', () => signed({ created: null })],
  ['without an end, too old', () => signed({ created: SECOND - 311, expires: null })],
  ['over everything but the body', () => signed({ components: ALL.filter((name) => name !== 'content-digest') })],
  ['over everything but the path', () => signed({ components: ALL.filter((name) => name !== '@path') })],
  ['over everything but the host', () => signed({ components: ALL.filter((name) => name !== '@authority') })],
  ['over everything but the method', () => signed({ components: ALL.filter((name) => name !== '@method') })],
  ['over a header that did not come', () => ({ ...signed(), 'signature-date': undefined })],
  ['over a header that was changed', () => ({ ...signed(), 'content-type': 'text/plain' })],
  ['by another algorithm', () => signed({ alg: 'hmac-sha256' })],
  ['with a signature of nothing', () => ({ ...signed(), signature: 'sig-pp=::' })],
  ['with a signature that is no bytes', () => ({ ...signed(), signature: 'sig-pp=:%%%:' })],
  ['of no JSON', () => signed({ body: Buffer.from('COMPLETED') }), Buffer.from('COMPLETED')],
  ['of no operation', () => signed({ body: Buffer.from('{"status":"x"}') }), Buffer.from('{"status":"x"}')],
]
for (const [name, headers, body] of forged) {
  test(`a callback ${name} is forged`, async () => {
    const { kindOf } = reader()
    assert.equal(await kindOf(headers(), body), 'forged')
    assert.equal(await kindOf(signed()), 'about', 'the next one is read')
  })
}

test('a clock that is a few seconds wrong is tolerated', async () => {
  const { kindOf } = reader()
  assert.equal(await kindOf(signed({ created: SECOND + 10 })), 'about')
  assert.equal(await kindOf(signed({ created: SECOND - 70, expires: SECOND - 10 })), 'about')
  assert.equal(await kindOf(signed({ created: SECOND - 310, expires: null })), 'about')
})

test('a new key is fetched once, for any number of forged key ids, and a withdrawn key is dropped', async () => {
  const { kindOf, state } = reader()
  assert.equal(await kindOf(signed()), 'about')
  const rotated = signed({ key: sandbox.privateKey, keyid: 'HTTP_EC_P256_KEY:2' })
  state.keys = answerOf([{ id: 'HTTP_EC_P256_KEY:2', key: pem(sandbox.publicKey) }])
  assert.equal(await kindOf(rotated), 'forged', 'the keys were fetched a moment ago')
  state.now += 10
  assert.deepEqual(await Promise.all([kindOf(rotated), kindOf(rotated)]), ['about', 'about'])
  for (let nth = 0; nth < 50; nth += 1) await kindOf(signed({ keyid: `HTTP_EC_P256_KEY:${nth + 10}` }))
  assert.equal(state.fetched, 2)
  state.now += 20
  assert.equal(await kindOf(signed()), 'forged', 'the old key is not there any more')
})

test('if the fetch of keys fails, the known keys stay valid', async () => {
  const { kindOf, state } = reader()
  assert.equal(await kindOf(signed()), 'about')
  state.keys = { kind: 'lost', reason: 'cut' }
  state.now += 3_601
  assert.equal(await kindOf(signed({ created: state.now, expires: state.now + 60 })), 'about')
  assert.equal(state.fetched, 2)
})

test('malformed keys, and keys of another curve, verify nothing', async () => {
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const shapes = [
    [{ id: 'HTTP_EC_P256_KEY:1', key: pem(curve.publicKey) }],
    [{ id: 'HTTP_EC_P256_KEY:1', key: pem(rsa.publicKey) }],
    [{ id: 'HTTP_EC_P256_KEY:1', key: 'x' }, null, 7],
    { keys: [] },
    null,
  ]
  for (const shape of shapes) {
    const { kindOf, state } = reader()
    state.keys = answerOf(shape)
    assert.equal(await kindOf(signed({ key: curve.privateKey })), 'forged')
    assert.equal(await kindOf(signed()), 'forged')
  }
})

test('for an account without signatures a callback is a hint, and a wrong signature is still forged', async () => {
  const { read, kindOf, state } = reader({ required: false })
  const reading = await read(completed, {})
  assert.ok(reading.kind === 'about')
  assert.equal(reading.evidence.signed, false)
  assert.equal(state.fetched, 0)
  assert.equal(await kindOf(signed({ key: sandbox.privateKey })), 'forged')
  assert.equal(await kindOf({}, Buffer.from('{"depositId":"../../x"}')), 'forged')
  assert.equal(await kindOf({}, Buffer.from(`{"depositId":"${ID}","depositId":"${ID}"}`)), 'forged')
})

test('a callback about a refund names its deposit as well, and is about the refund', async () => {
  const { read } = reader({ required: false })
  const refundId = '77a1f6de-0000-4000-8000-000000000001'
  const reading = await read(Buffer.from(JSON.stringify({ refundId, depositId: ID, status: 'COMPLETED' })), {})
  assert.equal(reading.kind === 'about' && reading.reference, refundId)
})
