import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { Msisdn } from '../../values/msisdn.ts'
import type { Clock } from '../clock.ts'
import { createLog } from '../log.ts'
import { createLimits, type Hit, headersFor } from './windows.ts'

const NOON = Date.UTC(2026, 7, 25, 12)

/** A clock that a test moves. */
function clockAt(milliseconds: number): Clock & { time: number } {
  return {
    time: milliseconds,
    now() {
      return new Date(this.time)
    },
    milliseconds() {
      return this.time
    },
    adjust() {},
  }
}

function openLimits(clock: Clock, max = 5) {
  return createLimits({
    redis_url: null,
    payer_attempts: { max, window_seconds: 600, secret: Buffer.alloc(32, 1) },
    clock,
    log: createLog('silent', 'test'),
    registry: new Registry(),
  })
}

test('exactly the cap passes in a minute, and what remains only falls', () => {
  const limits = openLimits(clockAt(NOON))
  const hits = Array.from({ length: 600 }, () => limits.hit('key', 'a', 300) as Hit)
  assert.equal(hits.filter((hit) => hit.passed).length, 300)
  assert.ok(hits.slice(0, 300).every((hit, at) => hit.passed && hit.remaining === 299 - at))
  assert.ok(hits.slice(300).every((hit) => !hit.passed && hit.remaining === 0 && hit.limit === 300))
})

test('a count in memory is answered without a promise', () => {
  assert.equal(openLimits(clockAt(NOON)).hit('key', 'a', 1) instanceof Promise, false)
})

test('twice the cap passes around the edge of a minute, and no more', () => {
  const clock = clockAt(NOON + 59_999)
  const limits = openLimits(clock)
  const passing = () => Array.from({ length: 20 }, () => limits.hit('key', 'a', 10) as Hit).filter((hit) => hit.passed)
  assert.equal(passing().length, 10)
  clock.time = NOON + 60_000
  assert.equal(passing().length, 10)
  clock.time = NOON + 119_999
  assert.equal(passing().length, 0)
})

test('looking at a count does not count', async () => {
  const clock = clockAt(NOON)
  const limits = openLimits(clock)
  assert.deepEqual(await limits.look('key', 'a', 2), { passed: true, limit: 2, remaining: 2, reset_seconds: 60 })
  limits.hit('key', 'a', 2)
  await limits.look('key', 'a', 2)
  assert.equal((await limits.look('key', 'a', 2)).remaining, 1)
  clock.time += 60_000
  assert.equal((await limits.look('key', 'a', 2)).remaining, 2)
})

test('a call that is given back can be taken again, in its own minute only, and a refused one counts nothing', async () => {
  const clock = clockAt(NOON)
  const limits = openLimits(clock)
  const take = () => limits.take('sign_in', 'a', 2)
  const [first, second] = await Promise.all([take(), take()])
  assert.ok(first !== null && second !== null)
  assert.deepEqual(await Promise.all([take(), take()]), [null, null])
  await first()
  assert.notEqual(await take(), null)
  assert.equal(await take(), null)
  clock.time += 60_000
  assert.notEqual(await take(), null)
  await second()
  assert.notEqual(await take(), null)
  assert.equal(await take(), null, 'the minute of the second call is over')
})

test('keys and addresses do not share a count', () => {
  const limits = openLimits(clockAt(NOON))
  for (const [kind, id] of [
    ['key', 'a'],
    ['key', 'b'],
    ['address', 'a'],
  ] as const) {
    assert.equal((limits.hit(kind, id, 1) as Hit).passed, true)
    assert.equal((limits.hit(kind, id, 1) as Hit).passed, false)
  }
})

test('the wait ends with the minute: 60 seconds at its beginning, 1 at its end', () => {
  const clock = clockAt(NOON)
  const limits = openLimits(clock)
  for (const [into, seconds] of [
    [0, 60],
    [1, 60],
    [1_000, 59],
    [30_500, 30],
    [59_000, 1],
    [59_999, 1],
  ] as const) {
    clock.time = NOON + into
    assert.equal((limits.hit('key', 'a', 9) as Hit).reset_seconds, seconds, `${into} ms`)
  }
})

test('a refusal states the limit, the rest and the time to wait', () => {
  assert.deepEqual(headersFor({ passed: false, limit: 300, remaining: 0, reset_seconds: 17 }), {
    'Retry-After': '17',
    'RateLimit-Limit': '300',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '17',
  })
})

test('a payer is asked only up to the limit, in each spelling of the number, and each mode counts apart', () => {
  const clock = clockAt(NOON)
  const { payerAttempts } = openLimits(clock, 3)
  const written = ['0700000000', '+225 07 00 00 00 00', '00225 0700000000'].map((text) => Msisdn.parse(text)!)
  for (const msisdn of written) assert.equal(payerAttempts.take(false, msisdn), true)
  for (const msisdn of written) assert.equal(payerAttempts.take(false, msisdn), false)
  assert.equal(payerAttempts.take(true, written[0]!), true)
  assert.equal(payerAttempts.take(false, Msisdn.parse('0500000001')!), true)
  payerAttempts.giveBack(false, written[1]!)
  assert.deepEqual([payerAttempts.take(false, written[2]!), payerAttempts.take(false, written[2]!)], [true, false])
  clock.time += 600_000
  assert.equal(payerAttempts.take(false, written[0]!), true)
})
