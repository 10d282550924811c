import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import type { SettlementRow } from './settlement.ts'
import * as store from './store.ts'

/**
 * Marks settlements before a person gets their whole accounts, with a line of the audit log each: their transfers may be ordered from now
 * on, which a rejection has to consider (`rejectSettlement`). Returns those that are still validated; nobody gets the accounts of others.
 * Where merchants' rows are spread over machines, all are of one merchant.
 */
export function takeAccounts(
  { sql, clock }: { sql: Sql; clock: Clock },
  settlements: readonly SettlementRow[],
  act: 'settlement.bank_file' | 'settlement.show_account',
  by: Actor,
): Promise<SettlementRow[]> {
  return sql.begin(async (tx) => {
    const mark = { account_taken_at: clock.now(), account_taken_by: by.person }
    const taken = await store.markAccountsTaken(tx, settlements, mark)
    for (const { id, amount, ...settlement } of taken) {
      recordAct(tx, tenantOf(settlement), { actor: by, act, subject: id, after: { amount } })
    }
    return taken
  })
}
