import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorReply } from './operator-http.ts'
import { keepToken } from './operator-token.ts'

const lost: OperatorReply = { kind: 'lost', reason: 'cut' }

/** A keeper of tokens `t1`, `t2` …, good for an hour, with a clock and an operator that a test may change. */
function keeper({ seconds = 3_600 } = {}) {
  const state = { time: 0, calls: 0, answer: null as OperatorReply | null, seconds }
  const tokens = keepToken({
    async ask() {
      state.calls += 1
      await Promise.resolve()
      return state.answer ?? { kind: 'answered', status: 200, headers: {}, body: `t${state.calls}` }
    },
    read: (reply) => (reply.kind === 'answered' ? { token: reply.body, seconds: state.seconds } : null),
    now: () => new Date(state.time * 1_000),
  })
  const get = async () => {
    const reply = await tokens.get()
    return reply.kind === 'held' ? reply.token : reply.kind
  }
  return { state, tokens, get }
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
  const { state, tokens, get } = keeper()
  const old = await get()
  for (let caller = 0; caller < 3; caller += 1) tokens.drop(old)
  assert.deepEqual(await Promise.all([get(), get()]), ['t2', 't2'])
  tokens.drop(old)
  assert.equal(await get(), 't2', 'one who comes late drops nothing')
  assert.equal(state.calls, 2)
})

test('callers get a refusal for a second, and a failed renewal keeps the valid token', async () => {
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
