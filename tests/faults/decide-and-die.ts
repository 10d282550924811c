import { createClock } from '../../src/platform/clock.ts'
import { armCrashPoint } from '../../src/platform/crash-point.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { actor } from '../harness/actor.ts'
import { paySettlement, rejectSettlement, validateSettlement } from '../harness/settlements.ts'

// A process that decides on one settlement, for the test that kills it in the middle: `<validate|pay|reject> <id>` on the
// database in DATABASE_URL. If it lives long enough it prints the result.

armCrashPoint(process.env)
const [verb, id] = process.argv.slice(2) as [string, string]
const sql = openDatabase({ url: process.env.DATABASE_URL!, connections: 2, name: 'decide and die' })
const deps = { sql, clock: createClock() }
const result =
  verb === 'validate'
    ? await validateSettlement(deps, id, actor('awa@example.com'))
    : verb === 'pay'
      ? await paySettlement(deps, id, actor('issa@example.com'), 'VIR-1')
      : await rejectSettlement(deps, id, actor('issa@example.com'), null)
process.stdout.write(result.kind === 'refused' ? result.code : result.kind)
await sql.end({ timeout: 1 })
