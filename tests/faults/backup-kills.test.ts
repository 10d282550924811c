import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CrashPoint } from '../../src/platform/crash-point.ts'
import { openBackedUp } from './backed-up.ts'

const child = fileURLToPath(new URL('back-up-and-die.ts', import.meta.url))

let at: Awaited<ReturnType<typeof openBackedUp>>

before(async () => {
  at = await openBackedUp()
})
after(() => at[Symbol.asyncDispose]())

/** Runs the process that dies at a point. */
async function die(what: 'run' | 'drill', point: CrashPoint): Promise<void> {
  const given = { ...at.env, SECRET_KEY: at.here.secret_key, CRASH_AT: point, CRASH_POINTS: 'on' }
  const { PATH, HOME } = process.env
  const dying = spawn(process.execPath, [child, what], { env: { PATH, HOME, ...given }, stdio: 'ignore' })
  assert.deepEqual(await once(dying, 'exit'), [null, 'SIGKILL'])
}

const points: readonly [CrashPoint, made: number][] = [
  ['backup_without_end', 0],
  ['backup_without_name', 0],
  ['backup_unrecorded', 1],
]
for (const [point, made] of points) {
  test(`a kill at ${point} leaves ${made} more good backups, and the next run removes what is unfinished`, async () => {
    const earlier = await at.good()
    await die('run', point)
    assert.equal((await at.good()).length - earlier.length, made)
    assert.equal((await at.all()).length, (await at.good()).length)
    await at.here.bandama('backup', 'run')
    assert.deepEqual(
      (await readdir(at.backups)).filter((name) => name.endsWith('.part')),
      [],
    )
  })
}

test('the next command removes what a killed drill left, with its server', async () => {
  await die('drill', 'draft_runs')
  const drafts = async () => (await readdir(at.dataDir)).filter((name) => name.startsWith('drill-'))
  const [left] = await drafts()
  const pid = Number.parseInt(await readFile(join(at.dataDir, left!, 'cluster/postmaster.pid'), 'utf8'), 10)
  // Empty for a process that has ended, also before its parent looks.
  const commandLine = () => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  assert.match(await commandLine(), /postgres/)
  await at.here.bandama('merchant', 'list')
  assert.deepEqual(await drafts(), [])
  assert.equal(await commandLine(), '')
})
