import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Attempt } from '../../sdk/typescript/src/index.ts'
import { clientOf, failureOf } from './scripted-client.ts'
import { cut, json, openScripted, refusal, type Step, silence } from './scripted-server.ts'

const payment = (status: string) => json(200, { id: 'txn_1', object: 'payment', status })

/** Answers after a while. */
const after =
  (milliseconds: number, step: Step): Step =>
  (response) =>
    setTimeout(() => step(response), milliseconds)

test('a Retry-After of nothing or of the past leaves the pauses between attempts as they are', async () => {
  for (const when of ['0', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT']) {
    await using server = await openScripted(refusal(429, 'rate_limit_exceeded', { 'Retry-After': when }))
    const waits: (number | null)[] = []
    const onAttempt = ({ retryInMilliseconds: wait }: Attempt) => waits.push(wait)
    await failureOf(clientOf(server.url, { retries: 1, onAttempt }).balances())
    assert.ok(waits.length === 2 && waits[0]! >= 125 && waits[1] === null, `${when}: ${waits}`)
  }
})

test('a follower whose waits end at once asks no faster than its pauses', async () => {
  const empty = json(200, { object: 'feed', data: [], next: 'later', has_more: false })
  for (const step of [empty, refusal(429, 'rate_limit_exceeded', { 'Retry-After': '0' })]) {
    await using server = await openScripted(step)
    const stop = new AbortController()
    const began = performance.now()
    const ended = clientOf(server.url).events.follow({ after: 'begin', signal: stop.signal }).next()
    while (server.got.length < 3) await setImmediate()
    const took = performance.now() - began
    stop.abort()
    assert.deepEqual(await ended, { done: true, value: undefined })
    assert.ok(took >= 375, `three calls in ${took} ms`)
  }
})

test('wait ends in its time, whatever the service and the settings of the client do', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  /** Waits for a payment in a time that passes step by step. Returns the result, and the milliseconds until it came. */
  const waited = async (timeoutMs: number, ...answers: (Response | null)[]) => {
    let ended: { result: { kind?: string; status?: unknown }; took: number } | null = null
    const client = clientOf('http://service.test', { fetch: scriptedFetch(answers) })
    const end = (result: object) => {
      ended = { result, took: Date.now() }
    }
    const began = Date.now()
    client.payments.wait('txn_1', { timeoutMs }).then(end, end)
    while (ended === null && Date.now() - began <= 10 * timeoutMs) {
      // The answers of a moment come before time goes on.
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      if (ended === null) t.mock.timers.tick(10)
    }
    const { result, took } = ended!
    return { result, took: took - began }
  }
  const never = await waited(100, null)
  assert.deepEqual([never.result.kind, never.took], ['no_answer', 100])

  const once = await waited(1_000, Response.json({ id: 'txn_1', object: 'payment', status: 'pending' }), null)
  assert.deepEqual([once.result.status, once.took], ['pending', 1_000])

  const refused = Response.json(
    { error: { code: 'rate_limit_exceeded', message: 'Later.' } },
    { status: 429, headers: { 'Retry-After': '60' } },
  )
  const held = await waited(500, refused)
  assert.deepEqual([held.result.kind, held.took], ['rate_limited', 0])
})

/** Answers one call after the other, and after the last, or with null, never: until the caller gives up. */
function scriptedFetch(answers: (Response | null)[]): typeof fetch {
  return (_address, init) => {
    const answer = answers.shift() ?? null
    if (answer !== null) return Promise.resolve(answer)
    const { signal } = init!
    return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
  }
}

test('wait goes on over a failure that passes, and past a state that a late confirmation can still pay', async () => {
  await using server = await openScripted(payment('expired'), cut, refusal(503, 'unavailable'), payment('succeeded'))
  const last = await clientOf(server.url, { retries: 0 }).payments.wait('txn_1', { timeoutMs: 10_000 })
  assert.deepEqual([last.status, server.got.length], ['succeeded', 4])

  await using gone = await openScripted(payment('pending'), refusal(404, 'resource_not_found'))
  assert.equal((await failureOf(clientOf(gone.url).payments.wait('txn_1'))).code, 'resource_not_found')
})

test('a signal ends wait in its pause and in its call, with an error of ours', async () => {
  for (const second of [payment('pending'), silence]) {
    await using server = await openScripted(payment('pending'), second)
    const stop = new AbortController()
    const client = clientOf(server.url, { onAttempt: () => second === silence || stop.abort() })
    const waiting = failureOf(client.payments.wait('txn_1', { signal: stop.signal }))
    while (second === silence && server.got.length < 2) await setImmediate()
    if (second === silence) stop.abort()
    const { kind, mayHaveHappened } = await waiting
    assert.deepEqual([kind, mayHaveHappened, server.got.length], ['aborted', false, second === silence ? 2 : 1])
  }
})

test('a time without an end is none, and a time that is no time is refused before anything is sent', async () => {
  await using server = await openScripted(after(50, payment('succeeded')))
  const endless = { timeoutMs: Number.POSITIVE_INFINITY }
  assert.equal((await clientOf(server.url, { ...endless, retries: 0 }).payments.get('txn_1')).status, 'succeeded')
  const { payments } = clientOf(server.url, { retries: 0 })
  assert.equal((await payments.get('txn_1', { timeoutMs: 2 ** 40 })).status, 'succeeded')
  assert.equal((await payments.wait('txn_1', endless)).status, 'succeeded')
  assert.equal(server.got.length, 3)
  for (const timeoutMs of [0, -1, Number.NaN, '1 s' as never]) {
    assert.throws(() => clientOf(server.url, { timeoutMs }), /^TypeError: timeoutMs must be/)
    await assert.rejects(payments.get('txn_1', { timeoutMs }), TypeError)
    await assert.rejects(payments.wait('txn_1', { timeoutMs }), TypeError)
  }
  assert.throws(() => clientOf(server.url, { retries: -1 }), /^TypeError: retries must be/)
  await assert.rejects(payments.get('txn_1', { retries: Number.NaN }), TypeError)
  assert.equal(server.got.length, 3)
})
