import { after, before } from 'node:test'
import { noteStart } from './starting.ts'

// Loaded before every test file. A file that still holds a connection, a server or a timer after its tests would block the whole run. With
// this it fails and names the resource.

const GRACE_MS = 60_000

before(() => noteStart('process', performance.now()))
after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((name) => !name.startsWith('Pipe'))
    process.stderr.write(`The tests are over, but the file still holds: ${open.join(', ')}\n`)
    process.exit(1)
  }, GRACE_MS).unref()
})
