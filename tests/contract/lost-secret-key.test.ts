import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTwin } from '../../src/twin/start-twin.ts'
import { RefusedCommand, runInProcess } from '../harness/command-line.ts'
import { databaseSettings, openTestDatabase } from '../harness/database.ts'

// The staff follow "A lost SECRET_KEY" in docs/deploy.md.

const FORMER = 'the-former-key-of-36-random-letters-1'
const NEW = 'the-second-key-of-36-random-letters-2'

test('after SECRET_KEY was lost, settings entered again open the connector, at a new address for callbacks', async () => {
  await using db = await openTestDatabase()
  const twin = await startTwin()
  const folder = await mkdtemp(join(tmpdir(), 'lost-key-'))
  try {
    const { PATH, HOME } = process.env
    const run = (SECRET_KEY: string, ...words: string[]) =>
      runInProcess(words, { PATH, HOME, ...databaseSettings(db.url), SECRET_KEY })
    const file = join(folder, 'settings.json')
    const types = ['mtn_momo', 'wave']
    const set = async (key: string, type: string) => {
      const { settings } = Object.values(twin.connectors()).find((one) => one.type === type)!
      await writeFile(file, JSON.stringify(settings))
      return run(key, 'connector', 'set', '--name', type, '--type', type, '--mode', 'live', '--settings', file)
    }
    const before = await set(FORMER, 'mtn_momo')
    await set(FORMER, 'wave')

    await db.sql`delete from secret_key_check`
    for (const type of types) {
      const shown = await run(NEW, 'connector', 'show', '--name', type)
      assert.match(String(shown.problem), /^The settings cannot be opened: SECRET_KEY is another one/)
      await assert.rejects(run(NEW, 'connector', 'check', '--name', type), RefusedCommand)
      const again = await set(NEW, type)
      assert.equal(again.generation, 2)
      assert.equal((await run(NEW, 'connector', 'check', '--name', type)).works, true)
      const now = await run(NEW, 'connector', 'show', '--name', type)
      assert.deepEqual([now.problem, now.callback_url], [null, again.callback_url])
      if (type === 'mtn_momo') assert.notEqual(again.callback_url, before.callback_url)
    }
  } finally {
    await twin.close()
    await rm(folder, { recursive: true })
  }
})
