import { after } from 'node:test'

// Loaded before every test file. A file whose tests are over and that still holds a connection, a server or a timer would
// keep the whole run waiting for ever. It fails instead, and says what it holds.

const GRACE_MS = 60_000

// The process that starts the files has no tests of its own.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().filter((name) => !name.startsWith('Pipe'))
      process.stderr.write(`The tests are over, but the file still holds: ${open.join(', ')}\n`)
      process.exit(1)
    }, GRACE_MS).unref()
  })
}
