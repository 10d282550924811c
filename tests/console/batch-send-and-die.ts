import { makeAndSendBatch } from '../../src/batch-files/make-and-send-batch.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import { armCrashPoint } from '../../src/platform/crash-point.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { actor } from '../harness/actor.ts'
import { perform } from '../harness/perform.ts'

// A process that makes and sends the batch of a draft, for the test that kills it in the middle: `<merchant> <draft>` on the database in DATABASE_URL.

armCrashPoint(process.env)
const [merchant, id] = process.argv.slice(2) as [string, string]
const sql = openDatabase({ url: process.env.DATABASE_URL!, connections: 2, name: 'send and die' })
const deps = { sql, clock: createClock(), payoutCaps: readConfig({}), order_key: Buffer.alloc(32) }
const within = { merchant_id: Number(merchant), livemode: process.env.LIVEMODE === 'true' }
const call = { id, within, values: { version: 1, repeated: '' } }
process.stdout.write((await perform(makeAndSendBatch, deps, call, actor('awa@example.com'))).kind)
await sql.end({ timeout: 1 })
