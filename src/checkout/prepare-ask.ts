import { randomUUID } from 'node:crypto'
import { type Fees, feesAt, type ReadSettings } from '../merchants/fees.ts'
import { type PaymentLimits, uncheckedDay } from '../merchants/payment-limit.ts'
import type { OrderKeys } from '../operators/order-keys.ts'
import type { NumberKnowledge } from '../operators/prediction/number-knowledge.ts'
import { referenceFrom } from '../operators/reference.ts'
import type { Clock } from '../platform/clock.ts'
import type { Limits, PayerAttempts } from '../platform/limits/windows.ts'
import type { Tenant } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import type { AskDeps } from './ask-payer.ts'

type Dependencies = {
  clock: Clock
  settings: ReadSettings
  orderKeyOf: OrderKeys
  payerAttempts: PayerAttempts
  limits: Pick<Limits, 'hit'>
  paymentLimits: PaymentLimits
  predictOperator: NumberKnowledge['predict']
  /** Whether a merchant can be paid through an operator now, and whether it takes an amount in francs. */
  takes: (merchant: Tenant, operator: OperatorCode) => boolean
  fits: (merchant: Tenant, operator: OperatorCode, amount_collected: number) => boolean
}

/** The most numbers that the people of one merchant ask in a minute, in one mode: many tills, and no list of strangers. */
const ASKS_OF_MINUTE = 60

export type Prepared =
  | { readonly kind: 'ready'; readonly asking: AskDeps['asking']; readonly giveBack: () => void }
  | {
      readonly kind: 'refused'
      readonly code: 'no_operator' | 'amount_out_of_bounds' | 'too_many_attempts' | 'too_many_asked'
    }

/**
 * Reads what an attempt needs from outside the database: the operator of the number, the fees, and the reference of the order. Counts the attempt
 * towards the limit of its number; `giveBack` removes it if no payment follows.
 */
export function createPrepareAsk(deps: Dependencies) {
  const { clock, settings, orderKeyOf, payerAttempts, limits, paymentLimits, predictOperator, takes, fits } = deps
  return async (tenant: Tenant, { amount, msisdn }: { amount: number; msisdn: Msisdn }): Promise<Prepared> => {
    const now = clock.now()
    const { operator } = await predictOperator(tenant, msisdn, (one) => takes(tenant, one))
    if (operator === null) return { kind: 'refused', code: 'no_operator' }
    const merchant = await settings(tenant.merchant_id)
    const fees: Fees = feesAt(merchant, 'collection', amount, now)
    if (!fits(tenant, operator, fees.amount_collected)) return { kind: 'refused', code: 'amount_out_of_bounds' }
    const counted = await limits.hit('payer_ask', `${tenant.merchant_id} ${tenant.livemode}`, ASKS_OF_MINUTE)
    if (!counted.passed) return { kind: 'refused', code: 'too_many_asked' }
    if (!(await payerAttempts.take(tenant.livemode, msisdn))) return { kind: 'refused', code: 'too_many_attempts' }
    // No request of a program repeats this one: its form makes one session, and a session takes one attempt at a time.
    const order_reference = referenceFrom(await orderKeyOf(tenant, `console ${randomUUID()}`), 'collect')
    const giveBack = () => void payerAttempts.giveBack(tenant.livemode, msisdn)
    return {
      kind: 'ready',
      asking: {
        msisdn,
        operator,
        fees,
        order_reference,
        unchecked: uncheckedDay(merchant, tenant, paymentLimits, now),
      },
      giveBack,
    }
  }
}

export type PrepareAsk = ReturnType<typeof createPrepareAsk>
