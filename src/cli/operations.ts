import { audit as auditBooks } from '../app/audit.ts'
import { type Command, CommandError, defineCommand } from './command.ts'

const migrate = defineCommand({
  name: 'migrate',
  summary: 'Bring the database to the newest schema',
  options: {},
  async run(context) {
    // Opening the database is what migrates it.
    await context.sql()
    return { migrated: true }
  },
})

const audit = defineCommand({
  name: 'audit',
  summary: 'Recompute the whole ledger and say what does not hold; the exit code is 1 when something does not',
  options: {},
  async run(context) {
    const report = await auditBooks(await context.sql())
    if (!report.ok) {
      const wrong = report.checks.filter((check) => check.wrong > 0).map(({ check }) => check)
      throw new CommandError(`The books do not hold: ${wrong.join(', ')}.`, 1, report)
    }
    return report
  },
})

export const commands: readonly Command[] = [migrate, audit]
