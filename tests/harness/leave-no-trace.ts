import assert from 'node:assert/strict'
import { afterEach, beforeEach } from 'node:test'

// Loaded before the files that share a process. A test that leaves a timer, a server, a listener or an environment variable behind fails, so
// that the tests after it do not.

let before = traces()

beforeEach(() => {
  before = traces()
})

afterEach(async () => {
  // A handle that was closed in the test is gone a turn later.
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(traces(), before, 'the test leaves something behind in the process that it shares')
})

function traces() {
  return {
    environment: { ...process.env },
    open: process
      .getActiveResourcesInfo()
      .filter((name) => /Timeout|Server|Socket|Worker|FSEvent|ChildProcess/.test(name)),
    listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)])),
    folder: process.cwd(),
  }
}
