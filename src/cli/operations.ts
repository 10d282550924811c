import { audit as auditBooks } from '../app/audit.ts'
import { readAnomalies } from '../operators/anomalies.ts'
import { CommandError, defineCommand, readTenant } from './command.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Bring the database to the newest schema',
  options: {},
  async run(bench) {
    // Opening the database is what migrates it.
    await bench.sql()
    return { migrated: true }
  },
})

export const audit = defineCommand({
  name: 'audit',
  summary: 'Recompute the whole ledger and say what does not hold; the exit code is 1 when something does not',
  options: {},
  async run(bench) {
    const report = await auditBooks(await bench.sql())
    if (!report.ok) throw new CommandError(JSON.stringify(report, null, 2))
    return report
  },
})

export const anomalyList = defineCommand({
  name: 'anomaly list',
  summary: 'Show what operators reported that does not fit, with its evidence',
  options: { merchant: 'needed', mode: 'needed' },
  async run(bench, { merchant, mode }) {
    return { anomalies: await readAnomalies(await bench.sql(), readTenant({ merchant, mode })) }
  },
})
