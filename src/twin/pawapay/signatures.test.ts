import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { type ReceivedRequest, startReceiver } from '../../../tests/harness/receiver.ts'
import { machineMilliseconds } from '../../platform/clock.ts'
import { startTwin } from '../start-twin.ts'

const twin = await startTwin()
const receiver = await startReceiver()
after(() => twin.close())
after(() => receiver[Symbol.asyncDispose]())
const { base_url, api_token } = twin.connectors().pawapay!.settings

beforeEach(async () => {
  await twin.reset()
  twin.change('pawapay', {
    callback_url: `${receiver.url}/operators/pawapay/callbacks`,
    signature_encoding: 'raw',
    signature_clock: 'machine',
    signed_requests_only: false,
    request_public_keys: { OURS: null },
  })
  receiver.requests.length = 0
})

function payout(): string {
  const accountDetails = { phoneNumber: '2250758412077', provider: 'ORANGE_CIV' }
  return JSON.stringify({
    payoutId: randomUUID(),
    amount: '500',
    currency: 'XOF',
    recipient: { type: 'MMO', accountDetails },
  })
}

async function send(body: string, headers: Record<string, string> = {}): Promise<{ status: number; code?: string }> {
  const answer = await fetch(`${base_url}/v2/payouts`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api_token}`, 'Content-Type': 'application/json', ...headers },
    body,
  })
  const { failureReason } = (await answer.json()) as { failureReason?: { failureCode: string } }
  return { status: answer.status, ...(failureReason === undefined ? {} : { code: failureReason.failureCode }) }
}

async function calledBack(): Promise<ReceivedRequest> {
  await send(payout())
  await twin.advance(1)
  return receiver.requests.at(-1)!
}

/** Checks a callback as a receiver does, written out from the RFC and the operator's page. */
async function inspect({ headers, body, path }: ReceivedRequest, clock = machineMilliseconds) {
  const keys = (await (
    await fetch(`${base_url}/v2/public-key/http`, { headers: { Authorization: `Bearer ${api_token}` } })
  ).json()) as { id: string; key: string }[]
  const params = String(headers['signature-input']).slice('sig-pp='.length)
  const base = [
    '"@method": POST',
    `"@authority": ${headers.host}`,
    `"@path": ${path}`,
    `"signature-date": ${headers['signature-date']}`,
    `"content-digest": ${headers['content-digest']}`,
    `"content-type": ${headers['content-type']}`,
    `"@signature-params": ${params}`,
  ].join('\n')
  const named = keys.find(({ id }) => params.includes(`keyid="${id}"`))
  const bytes = Buffer.from(String(headers.signature).slice('sig-pp=:'.length, -1), 'base64')
  const dsaEncoding = bytes.length === 64 ? 'ieee-p1363' : 'der'
  const digest = `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
  return {
    key: named !== undefined,
    digest: headers['content-digest'] === digest,
    fresh: Number(/expires=(\d+)/.exec(params)?.[1]) * 1000 >= clock(),
    encoding: bytes.length === 64 ? 'raw' : 'der',
    signature: named === undefined ? null : verify('sha256', Buffer.from(base), { key: named.key, dsaEncoding }, bytes),
  }
}

test('signatures follow the machine, or the clock that was put forward', async () => {
  await twin.advance(86_400)
  assert.deepEqual(await inspect(await calledBack()), good)
  twin.change('pawapay', { signature_clock: 'twin' })
  const ahead = await inspect(await calledBack(), () => Date.parse(twin.now()))
  assert.deepEqual(ahead, good)
})

const good = { key: true, digest: true, fresh: true, encoding: 'raw', signature: true }

test('callbacks are signed as RFC 9421 says, raw or DER', async () => {
  assert.deepEqual(await inspect(await calledBack()), good)
  twin.change('pawapay', { signature_encoding: 'der' })
  assert.deepEqual(await inspect(await calledBack()), { ...good, encoding: 'der' })
})

test('each fault of a signature has exactly the mistake of its name', async () => {
  const cases: [string, object][] = [
    ['callback_wrong_digest', { digest: false }],
    ['callback_wrong_signature', { signature: false }],
    ['callback_expired', { fresh: false }],
    ['callback_unknown_key', { key: false, signature: null }],
    ['callback_other_encoding', { encoding: 'der' }],
  ]
  for (const [fault, mistake] of cases) {
    twin.fault({ fault, times: 1 })
    assert.deepEqual(await inspect(await calledBack()), { ...good, ...mistake }, fault)
  }
  twin.fault({ fault: 'callback_unsigned', times: 1 })
  assert.equal((await calledBack()).headers.signature, undefined)
})

test('after a rotation the new key signs, and the old one stays published unless it is forgotten', async () => {
  twin.act('pawapay', 'rotate-keys')
  assert.deepEqual(await inspect(await calledBack()), good)
  const { keys } = twin.act('pawapay', 'rotate-keys', { forget_old: true }) as { keys: string[] }
  assert.equal(keys.length, 1)
  assert.deepEqual(await inspect(await calledBack()), good)
})

test('an account that demands signed requests takes those that are signed well and no others', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const host = new URL(base_url!).host
  function timesNow(): string {
    const created = Math.floor(Date.parse(twin.now()) / 1000)
    return `;created=${created};expires=${created + 60}`
  }
  function signed(
    body: string,
    encoding: 'ieee-p1363' | 'der',
    covered: readonly string[] = [],
    times = timesNow(),
  ): Record<string, string> {
    const digest = `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
    const values: Record<string, string> = {
      '@method': 'POST',
      '@authority': host,
      '@path': '/pawapay/v2/payouts',
      'content-digest': digest,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }
    const names = covered.length > 0 ? covered : Object.keys(values)
    const params = `(${names.map((name) => `"${name}"`).join(' ')});alg="ecdsa-p256-sha256";keyid="OURS"${times}`
    const base = [...names.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${params}`].join('\n')
    const signature = sign('sha256', Buffer.from(base), { key: privateKey, dsaEncoding: encoding }).toString('base64')
    return { 'Content-Digest': digest, 'Signature-Input': `sig1=${params}`, Signature: `sig1=:${signature}:` }
  }
  twin.change('pawapay', {
    signed_requests_only: true,
    signature_clock: 'twin',
    request_public_keys: { OURS: publicKey.export({ type: 'spki', format: 'pem' }) },
  })
  for (const encoding of ['ieee-p1363', 'der'] as const) {
    const body = payout()
    assert.deepEqual(await send(body, signed(body, encoding)), { status: 200 })
  }
  const refused = { status: 403, code: 'HTTP_SIGNATURE_ERROR' }
  const body = payout()
  assert.deepEqual(await send(body), refused)
  assert.deepEqual(await send(payout(), signed(body, 'der')), refused)
  assert.deepEqual(await send(body, signed(body, 'der', ['content-digest'])), refused)
  const early = signed(body, 'der')
  await twin.advance(120)
  assert.deepEqual(await send(body, early), refused)
  assert.deepEqual(await send(body, signed(body, 'der', [], '')), refused)
  assert.deepEqual(await send(body, { ...signed(body, 'der'), Signature: 'sig1=:AAAA:' }), refused)
})
