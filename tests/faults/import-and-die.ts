import { createReadStream } from 'node:fs'
import { createImportDeps } from '../../src/app/statement-reading.ts'
import { createClock } from '../../src/platform/clock.ts'
import { armCrashPoint } from '../../src/platform/crash-point.ts'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { importFile } from '../../src/statement-files/import/import-file.ts'
import { Secret } from '../../src/values/secret.ts'
import { actor } from '../harness/actor.ts'

// A process that imports one statement file, for the test that kills it in the middle: `<account> <file>` on the database in DATABASE_URL. If it lives long
// enough it prints the status of the file.

armCrashPoint(process.env)
const [account, path] = process.argv.slice(2) as [string, string]
const sql = openDatabase({ url: process.env.DATABASE_URL!, connections: 3, name: 'import and die' })
const deps = createImportDeps({ sql, secretKey: new Secret(process.env.SECRET_KEY!), clock: createClock() })
const its = (await deps.findAccount(sql, { livemode: false, account }))!
const given = { account: its, source: 'file', content: createReadStream(path), profile: 'guess', period: null } as const
const imported = await importFile(deps, given, actor('awa@example.com'), { dry_run: false })
process.stdout.write('file' in imported ? imported.file.status : imported.kind)
await sql.end({ timeout: 1 })
