import { armCrashPoint } from '../../../src/platform/crash-point.ts'
import { openDatabase } from '../../../src/platform/postgres/database.ts'
import { decide, type Verb } from './decide.ts'

// A process that decides on one settlement, for the test that kills it in the middle: `<validate|pay|reject> <id>` on the
// database in DATABASE_URL. If it lives long enough it prints the result.

armCrashPoint(process.env)
const [verb, id] = process.argv.slice(2) as [Verb, string]
const sql = openDatabase({ url: process.env.DATABASE_URL!, connections: 2, name: 'decide and die' })
process.stdout.write(await decide(sql, verb, id))
await sql.end({ timeout: 1 })
