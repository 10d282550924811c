import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorReply } from './operator-http.ts'
import { keepToken } from './operator-token.ts'

const lost: OperatorReply = { kind: 'lost', reason: 'cut' }

/** A keeper of tokens `t1`, `t2` …, good for an hour, with a clock and an operator that a test may change. */
function keeper({ seconds = 3_600 } = {}) {
  const state = {
    time: 0,
    calls: 0,
    answer: null as OperatorReply | null,
    accepts: (_token: string) => true,
    seconds,
  }
  const tokens = keepToken({
    async ask() {
      state.calls += 1
      await Promise.resolve()
      return state.answer ?? { kind: 'answered', status: 200, headers: {}, body: `t${state.calls}` }
    },
    read: (reply) =>
      reply.kind === 'answered' && reply.status === 200 ? { token: reply.body, seconds: state.seconds } : null,
    now: () => new Date(state.time * 1_000),
  })
  const get = async () => {
    const reply = await tokens.get()
    return reply.kind === 'held' ? reply.token : reply.kind
  }
  /** Calls the operator: the accepted token, the status of a refusal, or `no_token`. @param until the operator answers the first call then */
  const call = async (until?: Promise<void>) => {
    const reply = await tokens.call(async (token) => {
      const status = state.accepts(token) ? 200 : 401
      await until
      return { kind: 'answered', status, headers: {}, body: token }
    })
    return reply.kind !== 'answered' ? reply.kind : reply.status === 401 ? 401 : reply.body
  }
  return { state, tokens, get, call }
}

test('simultaneous callers share one request for a token, and later callers get the same token', async () => {
  const { state, get } = keeper()
  assert.deepEqual(await Promise.all([get(), get(), get()]), ['t1', 't1', 't1'])
  state.time = 3_539
  assert.equal(await get(), 't1')
  assert.equal(state.calls, 1)
})

test('a token is renewed a minute early, in the background', async () => {
  const { state, get } = keeper()
  await get()
  state.time = 3_540
  assert.deepEqual(await Promise.all([get(), get()]), ['t1', 't1'], 'nobody waits for the new one')
  assert.equal(await get(), 't2')
  assert.equal(state.calls, 2)
})

test('a short token is renewed after four fifths of its life', async () => {
  const { state, get } = keeper({ seconds: 10 })
  await get()
  state.time = 7.9
  assert.equal(await get(), 't1')
  state.time = 8
  await get()
  assert.equal(state.calls, 2)
})

test('no caller gets an expired token', async () => {
  const { state, get } = keeper()
  await get()
  state.time = 3_600
  assert.equal(await get(), 't2')
})

test('after the operator refuses a token, its callers share one request for a new one', async () => {
  const { state, call } = keeper()
  assert.equal(await call(), 't1')
  state.accepts = (token) => token !== 't1'
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = call(promise)
  assert.deepEqual(await Promise.all([call(), call(), call()]), ['t2', 't2', 't2'])
  resolve()
  assert.equal(await late, 't2', 'a late refusal of the old token renews nothing')
  assert.equal(state.calls, 2)
})

test('while the operator refuses every new token, we fetch one after 1, 2, 4 … and at most 60 seconds', async () => {
  const { state, call } = keeper()
  state.accepts = () => false
  const fetched: number[] = []
  for (; state.time < 300; state.time += 0.5) {
    const before = state.calls
    assert.equal(await call(), 401)
    if (state.calls > before) fetched.push(state.time)
  }
  assert.deepEqual(fetched, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
  state.accepts = () => true
  assert.equal(await call(), 't11', 'the last token is still tried')
  state.accepts = (token) => token !== 't11'
  assert.equal(await call(), 't12', 'an accepted call ends the pauses: the next refused token is replaced at once')
})

test('while the operator gives no token, we ask after 1, 2, 4 … and at most 60 seconds', async () => {
  const { state, call } = keeper()
  state.answer = { kind: 'answered', status: 401, headers: {}, body: 'no' }
  const asked: number[] = []
  for (; state.time < 300; state.time += 0.5) {
    const before = state.calls
    assert.equal(await call(), 'no_token')
    if (state.calls > before) asked.push(state.time)
  }
  assert.deepEqual(asked, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
  state.answer = null
  state.time = 303
  assert.equal(await call(), 't11')
  state.time = 4_000
  state.answer = { kind: 'answered', status: 401, headers: {}, body: 'no' }
  assert.equal(await call(), 'no_token')
  state.time = 4_001
  state.answer = null
  assert.equal(await call(), 't13', 'the accepted call ended the pauses')
})

test('calls with the old token do not shorten the pauses of its renewal', async () => {
  const { state, call } = keeper({ seconds: 3_600 })
  await call()
  state.answer = { kind: 'answered', status: 401, headers: {}, body: 'no' }
  for (state.time = 3_540; state.time < 3_600; state.time += 0.5) assert.equal(await call(), 't1')
  assert.equal(state.calls, 7, 'after 0, 1, 3, 7, 15 and 31 seconds')
})

test('callers get a failure for a second, and a failed renewal keeps the valid token', async () => {
  const { state, tokens, get } = keeper()
  state.answer = lost
  assert.deepEqual(await Promise.all([get(), get()]), ['refused', 'refused'])
  assert.deepEqual(await tokens.get(), { kind: 'refused', reply: lost })
  assert.equal(state.calls, 1)
  state.time = 1
  state.answer = null
  assert.equal(await get(), 't2')
  state.time = 3_590
  state.answer = lost
  await get()
  assert.equal(await get(), 't2')
  assert.equal(state.calls, 3)
})
