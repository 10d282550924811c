import { findActivePayoutBeneficiaries } from '../beneficiaries/find-beneficiaries.ts'
import type { NameMatch } from '../operators/port.ts'
import type { CheckRecipient, NamedRecipient } from '../operators/recipients/check-recipient.ts'
import type { Clock } from '../platform/clock.ts'
import type { Limits } from '../platform/limits/windows.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Caller, type Tenant, tenantKey, tenantOf } from '../values/caller.ts'
import { Msisdn, operatorOfPrefix } from '../values/msisdn.ts'
import type { WantedDestination } from './order-payout.ts'

export type CheckDestinationResult =
  | { kind: 'checked'; result: NameMatch; operator: string | null; checked_at: Date }
  | { kind: 'refused'; code: 'resource_not_found' | 'merchant_inactive' | 'too_many_attempts' }

/** The merchant and mode that a check is for, and whether the merchant is active. */
export type Checker = Pick<Caller, keyof Tenant | 'merchant_active'>

/** @param aside runs the call to the operator; meanwhile the merchant's next call may begin */
export type CheckDestination = (
  caller: Checker,
  destination: WantedDestination,
  aside: <Result>(call: () => Promise<Result>) => Promise<Result>,
) => Promise<CheckDestinationResult>

type Dependencies = {
  sql: Sql
  clock: Clock
  limits: Pick<Limits, 'hit'>
  checkRecipient: CheckRecipient
  /** Most checks per minute for one merchant in one mode. */
  per_merchant: number
}

/**
 * Asks the operator whether a destination's name is that of the number's holder. For an entry of the book, the name in
 * the book is checked. Refusals in order of precedence: an unknown destination, an inactive merchant, too many checks
 * by this merchant within a minute or of this number within 24 hours.
 */
export function createCheckDestination(deps: Dependencies): CheckDestination {
  const { sql, clock, limits, checkRecipient, per_merchant } = deps
  return async (caller, destination, aside) => {
    const recipient = await recipientOf(sql, caller, destination)
    if (recipient === null) return { kind: 'refused', code: 'resource_not_found' }
    if (!caller.merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
    const { passed } = await limits.hit('recipient_check', tenantKey(caller), per_merchant)
    const result = passed ? await checkRecipient(caller, recipient, aside) : 'too_often'
    if (result === 'too_often') return { kind: 'refused', code: 'too_many_attempts' }
    return { kind: 'checked', result, operator: recipient.operator, checked_at: clock.now() }
  }
}

/** The recipient of a destination. Null for an entry of the book that this merchant cannot pay. */
async function recipientOf(sql: Sql, caller: Tenant, wanted: WantedDestination): Promise<NamedRecipient | null> {
  if (wanted.kind === 'inline') {
    const { msisdn, operator, name } = wanted
    return { msisdn, operator: operator ?? operatorOfPrefix(msisdn), name }
  }
  const key = { ...tenantOf(caller), id: wanted.beneficiary_id }
  const [entry] = await sql.begin((tx) => findActivePayoutBeneficiaries(tx, [key]))
  return entry === undefined
    ? null
    : { msisdn: Msisdn.stored(entry.msisdn), operator: entry.operator, name: entry.name }
}
