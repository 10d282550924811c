import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { createReadCallback } from './callback.ts'
import type { WaveSettings } from './settings.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const SECOND = 1_772_446_622
const SECRET = 'wave_ci_WHS_a-secret-of-webhooks'

const settings: WaveSettings = {
  base_url: 'https://api.wave.com',
  api_key: 'a-key-of-the-wallet',
  webhook_secret: SECRET,
}

function eventOf(data: object = { id: 'cos-1', client_reference: ID, payment_status: 'succeeded' }): Buffer {
  return Buffer.from(JSON.stringify({ id: 'EV_7k2Jq9', type: 'checkout.session.completed', data }))
}
const completed = eventOf()

function mac(body: Buffer, { secret = SECRET, time = String(SECOND), separator = '' } = {}): string {
  return `v1=${createHmac('sha256', secret).update(`${time}${separator}${body}`).digest('hex')}`
}

function signed(
  body = completed,
  of: { secret?: string; time?: string; separator?: string } = {},
): IncomingHttpHeaders {
  return { 'wave-signature': `t=${of.time ?? SECOND},${mac(body, of)}` }
}

function read(headers: IncomingHttpHeaders, body = completed, more: Partial<WaveSettings> = {}, now = SECOND) {
  return createReadCallback({ ...settings, ...more }, () => new Date(now * 1_000))(body, headers)
}

test('a webhook that Wave signed is about our reference, with its words', () => {
  const reading = read(signed())
  assert.ok(reading.kind === 'about')
  assert.deepEqual(reading, {
    kind: 'about',
    reference: ID,
    evidence: {
      signed: true,
      event: 'EV_7k2Jq9',
      type: 'checkout.session.completed',
      id: 'cos-1',
      payment_status: 'succeeded',
    },
  })
})

test('one of several signatures is enough, while Wave’s secret is replaced', () => {
  const both = `t=${SECOND},${mac(completed, { secret: 'the-previous-one' })},${mac(completed)}`
  assert.equal(read({ 'wave-signature': both }).kind, 'about')
})

const forged: [name: string, headers: IncomingHttpHeaders, body?: Buffer][] = [
  ['without a signature', {}],
  ['with a bearer where signatures are set', { authorization: `Bearer ${SECRET}` }],
  ['over other bytes', signed(), eventOf({ client_reference: ID })],
  ['over the same JSON in other bytes', signed(), Buffer.from(String(completed).replace(':', ': '))],
  ['with another secret', signed(completed, { secret: 'another-secret' })],
  ['with a dot', signed(completed, { separator: '.' })],
  ['without a time', { 'wave-signature': mac(completed) }],
  ['with a time that is none', { 'wave-signature': `t=now,${mac(completed)}` }],
  ['of a time that was changed', { 'wave-signature': `t=${SECOND + 1},${mac(completed)}` }],
  ['with a cut signature', { 'wave-signature': `t=${SECOND},${mac(completed).slice(0, -1)}` }],
  ['with six signatures', { 'wave-signature': `t=${SECOND},${Array(6).fill(mac(completed)).join()}` }],
  ['a second too old', signed(completed, { time: String(SECOND - 301) })],
  ['of the future', signed(completed, { time: String(SECOND + 301) })],
]
for (const [name, headers, body] of forged) {
  test(`a webhook ${name} is forged`, () => {
    assert.equal(read(headers, body).kind, 'forged')
  })
}

test('a genuine body that two readers would read differently, or that is no event, is not read', () => {
  const twice = Buffer.from(`{"id":"EV_7k2Jq9","data":{"client_reference":"${ID}","client_reference":"x"}}`)
  for (const body of [twice, Buffer.from('[]'), Buffer.from('{}'), Buffer.from('no JSON')]) {
    assert.equal(read(signed(body), body).kind, 'forged', String(body))
  }
})

test('the clocks may differ by five minutes, and a dot is a setting', () => {
  for (const time of [SECOND - 300, SECOND + 300]) {
    assert.equal(read(signed(completed, { time: String(time) })).kind, 'about')
  }
  assert.equal(read(signed(completed, { separator: '.' }), completed, { signature_separator: 'dot' }).kind, 'about')
  assert.equal(read(signed(), completed, { signature_separator: 'dot' }).kind, 'forged')
})

test('a shared secret is compared as a whole', () => {
  const mode = { webhook_mode: 'shared_secret' } as const
  assert.equal(read({ authorization: `Bearer ${SECRET}` }, completed, mode).kind, 'about')
  for (const headers of [{}, { authorization: SECRET }, { authorization: `Bearer ${SECRET}x` }, signed()]) {
    assert.equal(read(headers, completed, mode).kind, 'forged')
  }
})

test('a genuine event about unknown money has its own id as reference, for people', () => {
  const body = eventOf({ id: 'T_ABC', amount: '900' })
  const reading = read(signed(body), body)
  assert.equal(reading.kind === 'about' && reading.reference, 'EV_7k2Jq9')
})

test('a webhook about another aggregated merchant of the wallet is genuine, and not ours', () => {
  const own = { aggregated_merchant_id: 'am-1' }
  const about = (merchant: unknown) =>
    eventOf({ id: 'cos-1', client_reference: ID, payment_status: 'succeeded', aggregated_merchant_id: merchant })
  for (const [merchant, kind] of [
    ['am-1', 'about'],
    ['am-2', 'elsewhere'],
    [null, 'about'],
  ] as const) {
    assert.equal(read(signed(about(merchant)), about(merchant), own).kind, kind, String(merchant))
  }
  assert.equal(read(signed(about('am-2')), about('am-2')).kind, 'about', 'where no merchant is set')
  const another = signed(about('am-2'), { secret: 'another secret' })
  assert.equal(read(another, about('am-2'), own).kind, 'forged')
})

const testEvents: [name: string, event: object][] = [
  ['as the portal sends it', { id: 'EV_7k2Jq9', type: 'test.test_event', data: { test_key: 'test_value' } }],
  ['without an id', { type: 'test.test_event', data: { test_key: 'test_value' } }],
  ['with a short id', { id: 'AE_1', type: 'test.test_event', data: {} }],
  ['without data', { id: 'EV_7k2Jq9', type: 'test.test_event' }],
  ['with data that is none', { id: 7, type: 'test.test_event', data: null }],
]
for (const [name, event] of testEvents) {
  test(`a genuine test event ${name} is taken, and about no order; one without our secret is forged`, () => {
    const body = Buffer.from(JSON.stringify(event))
    assert.deepEqual(read(signed(body), body), { kind: 'elsewhere' })
    assert.deepEqual(read(signed(body, { secret: 'another' }), body), { kind: 'forged' })
    assert.deepEqual(read({}, body), { kind: 'forged' })
  })
}
