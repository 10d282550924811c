import { drill } from '../../src/app/backups/drill.ts'
import { runBackup } from '../../src/app/backups/run-backup.ts'
import { openResources } from '../../src/app/open-database.ts'
import { readConfig } from '../../src/platform/config.ts'
import { armCrashPoint } from '../../src/platform/crash-point.ts'
import { createLog } from '../../src/platform/log.ts'

// A process that makes one backup (`run`) or tries one restore (`drill`) of the embedded server in DATA_DIR, for the test that kills it in the middle.

const config = readConfig(process.env)
const log = createLog('error', 'back up and die')
const resources = await openResources(config, log, { own: false })
const sql = resources.open('back up and die', 2)
armCrashPoint(process.env)
if (process.argv[2] === 'run') await runBackup({ sql, config })
else await drill({ sql, config, log, secretKey: await resources.secretKey })
await sql.end({ timeout: 1 })
await resources.close()
