import assert from 'node:assert/strict'
import { join } from 'node:path'
import { isGood, readBackups } from '../../src/app/backups/backup-folder.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/start.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { Secret } from '../../src/values/secret.ts'
import { RefusedCommand } from '../harness/command-line.ts'
import { processesOn } from '../harness/installation.ts'
import { emptyDataDir } from './data-dir.ts'

const KEY = 'the-key-of-these-backups-0123456789'
const key = new Secret(KEY)

/** The embedded server of a folder. A command that finds none would start its own. */
export async function openServer(dataDir: string) {
  const embedded = await startEmbeddedPostgres({
    ...{ dataDir, log: createLog('silent', 'test'), own: true },
    settings: { fsync: 'off' },
  })
  const url = embedded.url.reveal()
  const sql = openDatabase({ url, connections: 3, name: 'test' })
  return {
    ...{ url, sql },
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 })
      await embedded.stop()
    },
  }
}

/** An embedded server with an empty database, and a folder for its backups. */
export async function openBackedUp() {
  const dataDir = await emptyDataDir()
  /** Another folder on the same disk, where nothing is yet. */
  const elsewhere = (name: string) => join(dataDir.path, '..', name)
  const backups = elsewhere('backups')
  const env = { DATA_DIR: dataDir.path, BACKUP_DIR: backups, BACKUP_KEY: KEY, DEMO: 'off' }
  const server = await openServer(dataDir.path)
  const { url, sql } = server
  await migrate(url)
  const here = processesOn(null, env)
  return {
    ...{ dataDir: dataDir.path, backups, env, key, url, sql, here, elsewhere },
    all: () => readBackups(backups, key),
    good: async () => (await readBackups(backups, key)).filter(isGood),
    /** Runs a command that must be refused. Returns its sentence. */
    async refusalOf(...words: string[]): Promise<string> {
      const error = await here.bandama(...words).then(
        () => assert.fail(words.join(' ')),
        (thrown: RefusedCommand) => thrown,
      )
      assert.ok(error instanceof RefusedCommand, String(error))
      return error.stderr.trim()
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await dataDir[Symbol.asyncDispose]()
    },
  }
}
