import assert from 'node:assert/strict'
import { afterEach, beforeEach } from 'node:test'
import { traces } from './traces.ts'

// Loaded before the files that only compute and share a process. A test that leaves a timer, a server, a listener or an environment variable
// behind fails, so that the tests after it do not.

let before = withListeners()

beforeEach(() => {
  before = withListeners()
})

afterEach(async () => {
  // A handle that was closed in the test is gone a turn later.
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(withListeners(), before, 'the test leaves something behind in the process that it shares')
})

function withListeners() {
  const listeners = process.eventNames().map((name) => [String(name), process.listenerCount(name)])
  return { ...traces(), listeners: Object.fromEntries(listeners) }
}
