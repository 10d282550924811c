import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSurroundings } from '../../src/app/contracts.ts'
import { createImportDeps } from '../../src/app/statement-reading.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { pullStatements } from '../../src/statement-files/pulls/pull-statements.ts'
import { Secret } from '../../src/values/secret.ts'
import { openTestDatabase } from '../harness/database.ts'

test('a list that cannot be asked for by a fault of ours is put off, and given up after a day', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  const secretKey = new Secret('a'.repeat(43))
  let told = 0
  const round = () =>
    pullStatements({
      imports: {
        ...createImportDeps({ sql, secretKey, clock: createClock() }),
        findAccount: () => Promise.reject(new Error('a fault of ours')),
      },
      surroundings: createSurroundings({
        ...{ secretKey, origin: { get: () => 'http://127.0.0.1' } },
        config: { proxy: null, operator_http_allow: [] },
      }),
      log: createLog('silent', 'test'),
      tellGivenUp: () => {
        told += 1
      },
    })
  const pull = async () => {
    const [row] = await sql<{ attempts: number; outcome: string | null; is_soon: boolean }[]>`
      select attempts, outcome, next_try_at < clock_now() + interval '30 minutes' as is_soon from statement_pulls`
    return { ...row }
  }
  await sql`insert into statement_pulls (livemode, account, day, nth) values (true, 'wave', '2026-11-29', 1)`
  await round()
  assert.deepEqual(await pull(), { attempts: 1, outcome: null, is_soon: true })
  await sql`update statement_pulls set next_try_at = clock_now(), planned_at = planned_at - interval '25 hours'`
  await round()
  const { outcome } = await pull()
  assert.deepEqual([outcome, told], ['given_up', 1])
  assert.equal(await round(), 0, 'nobody asks again')
})
