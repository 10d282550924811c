import { recordAct } from '../audit-log/record-act.ts'
import { holdDesignated } from '../beneficiaries/destination-store.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import { destinationKey, type SettlementRow } from './settlement.ts'
import * as store from './store.ts'

type Taking = {
  readonly act: 'settlement.bank_file' | 'settlement.show_account'
  readonly by: Actor
  readonly at: Date
  readonly taken_before?: Date | null
  readonly only_designated?: boolean
}

/**
 * Marks settlements before a person gets their whole accounts, with a line of the audit log each: their transfers may be ordered from now
 * on, which a rejection has to consider (`rejectSettlement`). Returns those that are still validated; nobody gets the accounts of others.
 * Where merchants' rows are spread over machines, all are of one merchant.
 * @param taking `at`: the time to mark. `taken_before`: only settlements with exactly this mark, or with none when null; absent: all.
 * `only_designated`: only those to a destination that is still the merchant's, which then stays so until the mark is written
 */
export function takeAccounts(
  sql: Sql,
  settlements: readonly SettlementRow[],
  { act, by, at, taken_before, only_designated = false }: Taking,
): Promise<SettlementRow[]> {
  return sql.begin(async (tx) => {
    const mark = { account_taken_at: at, account_taken_by: by.person }
    const designated = only_designated ? await holdDesignated(tx, settlements.map(destinationKey)) : null
    const wanted = designated === null ? settlements : settlements.filter((one) => designated.has(one.beneficiary_id))
    if (wanted.length === 0) return []
    const taken = await store.markAccountsTaken(tx, wanted, mark, taken_before)
    for (const { id, amount, ...settlement } of taken) {
      recordAct(tx, tenantOf(settlement), { actor: by, act, subject: id, after: { amount } })
    }
    return taken
  })
}
