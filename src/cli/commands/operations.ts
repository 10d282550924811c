import { audit as auditBooks } from '../../app/audit.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'

const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate the database to the newest schema',
  options: {},
  async run(context) {
    // Opening the database migrates it.
    await context.sql()
    return { migrated: true }
  },
})

const audit = defineCommand({
  name: 'audit',
  summary: 'Recompute the whole ledger and report every failed check; the exit code is 1 when one fails',
  options: {},
  async run(context) {
    const report = await auditBooks(await context.sql())
    if (!report.ok) {
      const wrong = report.checks.filter((check) => check.wrong > 0).map(({ check }) => check)
      throw new CommandError(`The audit found errors. Failed checks: ${wrong.join(', ')}.`, 1, report)
    }
    return report
  },
})

export const commands: readonly Command[] = [migrate, audit]
