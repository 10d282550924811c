import { audit as auditBooks } from '../../app/audit.ts'
import { recordAuditRun } from '../../app/audit-runs/audit-run.ts'
import { parseHead } from '../../audit-log/chain-heads.ts'
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

const HEAD_SAMPLE = `0:25:${'9f'.repeat(32)}`

const audit = defineCommand({
  name: 'audit',
  summary: 'Recompute the whole ledger and report every failed check; the exit code is 1 when one fails',
  options: {
    head: {
      kind: 'list',
      value: 'HEAD',
      says: 'a head of a chain of the audit log, as the worker logs it hourly: its lines must still be there',
      sample: HEAD_SAMPLE,
    },
  },
  async run(context, { head }) {
    const heads = head.map((text) => {
      const read = parseHead(text)
      if (read === null) throw new CommandError(`--head must be as the log has it, such as ${HEAD_SAMPLE}.`, 2)
      return read
    })
    const sql = await context.sql()
    const report = await auditBooks(sql, heads)
    const wrong = report.checks.filter((check) => check.wrong > 0).map(({ check }) => check)
    await recordAuditRun(sql, wrong.length)
    if (!report.ok) {
      throw new CommandError(`The audit found errors. Failed checks: ${wrong.join(', ')}.`, 1, report)
    }
    return report
  },
})

export const commands: readonly Command[] = [migrate, audit]
