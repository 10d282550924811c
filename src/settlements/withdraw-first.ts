import { recordActs } from '../audit-log/record-act.ts'
import type { WithdrawFirst } from '../beneficiaries/propose-destination.ts'
import { selectSettings } from '../merchants/store.ts'
import { factsOf, loadSettlements, orderSettlement, type SettlementRules } from './create-settlement.ts'

/**
 * Withdraws to the present destination in the act that proposes another one. It is a request as any other: two people of the company pay it, to the
 * destination that it names.
 */
export function createWithdrawFirst(rules: SettlementRules): WithdrawFirst {
  return async (tx, by, { tenant, amount, destination: beneficiary_id }) => {
    const { active: merchant_active } = (await selectSettings(tx, [tenant.merchant_id])).get(tenant.merchant_id)!
    const asked = { caller: { ...tenant, merchant_active, actor: by }, order: { amount, beneficiary_id } }
    const facts = factsOf(asked, await loadSettlements(tx, [asked], rules), rules)
    return (now) => {
      const ordered = orderSettlement(asked, facts, now)
      if (ordered.kind === 'refused') return null
      const { settlement, body, effects } = ordered
      const after = { status: body.status, amount, beneficiary_id }
      const line = { ...tenant, actor: by, act: 'settlement.request' as const, subject: settlement.id, after }
      return [...effects, recordActs(line)]
    }
  }
}
