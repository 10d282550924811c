import { type AuditCheck, checkBooks } from '../../src/app/audit.ts'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'

/** What is done to the books behind the back of what keeps them. */
export type Harm = (tx: Tx) => PromiseLike<unknown>

/** What the checks of the audit find when `harm` has been done, with the triggers of `tables` off; nothing of it stays. */
export async function findHarm(sql: Sql, tables: readonly string[], harm: Harm): Promise<AuditCheck[]> {
  const undo = new Error('undo')
  let found: AuditCheck[] = []
  await sql
    .begin(async (tx) => {
      for (const table of tables) await tx`alter table ${tx(table)} disable trigger user`
      await tx`select set_config(name, 'on', true)
                 from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as name`
      await harm(tx)
      found = (await checkBooks(tx)).filter(({ wrong }) => wrong > 0)
      throw undo
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error
    })
  return found
}
