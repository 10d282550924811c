import assert from 'node:assert/strict'
import { after, suite } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginFile } from './current-file.ts'
import { endRest } from './end-rest.ts'
import { noteStart } from './starting.ts'
import { traces } from './traces.ts'

// Loads the test files named in TEST_FILES, one after the other, in this process: each is a suite of its own, with its own hooks, and the next
// one is loaded when it has ended. A file that leaves a timer, a server, a socket, an environment variable or another folder behind fails.

/** The patience for handles that close after the last hook of a file. */
const CLOSING_MS = 10_000

noteStart('process', performance.now())
// A test may wait for a timer that lets its process end. This one must not end before its last file.
const awake = setInterval(() => {}, CLOSING_MS)
for (const file of JSON.parse(process.env.TEST_FILES!) as string[]) {
  const before = traces()
  beginFile(file)
  // At the top level of a process it resolves when the suite has ended, however it ends.
  await suite(file, async () => {
    await import(`../../${file}`)
    after(() => untilAsBefore(before))
  })
}
clearInterval(awake)
// Not a hook: of a process that declares one suite after the other, node:test calls those after the first suite.
endRest()

async function untilAsBefore(before: ReturnType<typeof traces>): Promise<void> {
  const end = performance.now() + CLOSING_MS
  while (performance.now() < end && traces().open.length > before.open.length) await sleep(10)
  const { open, environment, folder } = traces()
  const left = open.length > before.open.length ? open : before.open
  assert.deepEqual(
    { open: left, environment, folder },
    { ...before },
    'the file leaves something behind in its process',
  )
}
