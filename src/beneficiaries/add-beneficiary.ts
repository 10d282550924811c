import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Asker, makerOf } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import { type SavedEntry, saveEntry } from './save-entry.ts'

export type AddBeneficiaryResult = SavedEntry | { kind: 'refused'; code: 'merchant_inactive' }

/**
 * Adds a payout destination to the caller's book. The caller is an API key, or a person, whose act the audit log records. The name is the
 * merchant's own label and is not verified. If the number is in the book already, its entry stays unchanged, with name and operator.
 * Refused for a deactivated merchant.
 */
export async function addBeneficiary(
  sql: Sql,
  caller: Asker,
  { msisdn, operator, name }: { msisdn: Msisdn; operator: OperatorCode; name: string },
): Promise<AddBeneficiaryResult> {
  if (!caller.merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
  const { merchant_id, livemode } = caller
  const destination = { operator, msisdn: msisdn.e164, iban: null, added_by: makerOf(caller) }
  return saveEntry(
    sql,
    { merchant_id, livemode, kind: 'payout', name, label: name, ...destination },
    (tx, { id: subject, last4 }) => {
      if (!('actor' in caller)) return
      const act = { actor: caller.actor, act: 'beneficiary.add', subject, after: { operator, last4 } } as const
      recordAct(tx, { merchant_id, livemode }, act)
    },
  )
}
