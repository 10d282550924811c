import type { Sql } from '../platform/postgres/database.ts'
import type { Caller } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import type { BeneficiaryRow } from './beneficiary.ts'
import { saveBeneficiaries } from './save-beneficiaries.ts'

export type AddBeneficiaryResult =
  | { kind: 'created' | 'existing'; beneficiary: BeneficiaryRow }
  | { kind: 'refused'; code: 'merchant_inactive' }

/**
 * Adds a payout destination to the caller's book. The name is the merchant's own label for it and nobody has verified
 * it. A number that is there stays as it is, name and operator included.
 */
export async function addBeneficiary(
  sql: Sql,
  caller: Caller,
  { msisdn, operator, name }: { msisdn: Msisdn; operator: OperatorCode; name: string },
): Promise<AddBeneficiaryResult> {
  if (!caller.merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
  const { merchant_id, livemode } = caller
  const entry = { merchant_id, livemode, msisdn, operator, name, label: name }
  const [saved] = await sql.begin((tx) => saveBeneficiaries(tx, [entry]))
  const { created, ...beneficiary } = saved!
  return { kind: created ? 'created' : 'existing', beneficiary }
}
