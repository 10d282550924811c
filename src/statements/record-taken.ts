import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Period } from '../values/period.ts'
import type { StatementExport } from './export-statement.ts'
import { countOf } from './statement.ts'

/** Records that a person takes a statement as a file, before they get its first byte. */
export function recordStatementTaken(
  sql: Sql,
  { tenant, figures }: StatementExport,
  { format, period: { from, to }, by }: { format: string; period: Period; by: Actor },
): Promise<void> {
  const after = { format, from, to, rows: countOf(figures) }
  return sql.begin(async (tx) => recordAct(tx, tenant, { actor: by, act: 'statement.take', after }))
}
