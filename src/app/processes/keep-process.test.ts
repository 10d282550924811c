import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createLog } from '../../platform/log.ts'
import { keepProcess } from './keep-process.ts'

const execute = promisify(execFile)

const options = {
  share: { name: 'api-1', roles: { api: true, worker: false }, answers_alone: true },
  settings: {},
  fd: null,
  log: createLog('silent', 'test'),
  onDeath() {},
}

/** Has no file descriptor left for a process that it is to keep. */
const WITHOUT_DESCRIPTORS = `
  import { openSync } from 'node:fs'
  import { keepProcess } from ${JSON.stringify(import.meta.resolve('./keep-process.ts'))}
  try {
    for (;;) openSync('/dev/null')
  } catch {}
  const kept = keepProcess({
    share: { name: 'api-1', roles: { api: true, worker: false }, answers_alone: true }, settings: {}, fd: null, log: {}, onDeath() {},
  })
  await kept.started.catch((error) => console.log(error.name + ': ' + error.message))
  await kept.stop()`

// Left to itself, either would end the parent, and with it every process that it keeps.
test('a process that the machine refuses is one that could not start, whether it is refused at once or a moment later', async () => {
  // Longer than what may be handed to a process.
  process.env.TOO_LONG = 'x'.repeat(2 ** 22)
  try {
    const kept = keepProcess(options)
    await assert.rejects(kept.started, { name: 'ProcessFailed', message: 'api-1 could not start: spawn E2BIG' })
    await kept.stop()
  } finally {
    delete process.env.TOO_LONG
  }

  const words = ['--input-type=module', '--eval', WITHOUT_DESCRIPTORS]
  const { stdout } = await execute('sh', ['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath, ...words])
  assert.match(stdout, /^ProcessFailed: api-1 could not start: spawn .*EMFILE\n$/)
})
