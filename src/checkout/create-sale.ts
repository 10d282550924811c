import { defineAct, merchant, refuse } from '../acts/act.ts'
import { optional } from '../acts/facts.ts'
import { isMerchantActive } from '../merchants/store.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import type { Tenant } from '../values/caller.ts'
import type { Addresses } from './addresses.ts'
import { insertSession } from './insert-session.ts'
import { description, francsField, suspended } from './link-fields.ts'
import type { NewSession } from './store.ts'

export type SaleDeps = {
  readonly links: { readonly addresses: Addresses; readonly session_minutes: number }
  /** The most that a payer of this merchant can pay, in francs. */
  readonly amount_max: number
  /** The id of the session, derived from the form, so that a form sent twice makes one. */
  readonly sale_id: string
  /** The till at which it is sold, by its permanent code. Null or absent: none. */
  readonly till_id?: string | null
}

export type Sale = { readonly session_id: string }

export const saleFields = {
  amount: francsField(['Montant, F CFA', 'Amount, F CFA']),
  description: optional(description),
} as const

/** Creates the session of one sale at a counter. Its page is the code that the cashier shows, and one payer at a time can pay it. */
export const createSale = defineAct({
  name: 'checkout.create',
  summary: 'Create a payment page for one sale, to show as a code',
  title: ['Faire payer', 'Get paid'],
  right: 'links.manage',
  fresh: false,
  on: merchant,
  fields: saleFields,
  load: async (tx, { tenant }, deps: SaleDeps) => ({
    about: tenant,
    deps,
    active: await isMerchantActive(tx, tenant.merchant_id),
  }),
  facts: {},
  content: () => ({}),
  decide({ tenant, values }, { deps, active }, now) {
    if (!active) return refuse('merchant_inactive')
    if (values.amount > deps.amount_max) return refuse('amount_too_high', { max: writeAmount(deps.amount_max) })
    const session = saleOf(deps, tenant, values, now)
    return {
      kind: 'accepted',
      effects: [insertSession(session)],
      result: { session_id: session.id } satisfies Sale,
      subject: session.id,
      after: { amount: values.amount },
    }
  },
  unknown: 'There is no such merchant.',
  refusals: {
    merchant_inactive: suspended,
    amount_too_high: { words: ['Un montant est de {max} au plus.', 'An amount is {max} at most.'], at: 'amount' },
    made_before: ['Ce code est déjà prêt.', 'This code is ready already.'],
  },
  conflicts: { checkout_sessions_pkey: 'made_before' },
})

/** The row of a new sale. */
export function saleOf(
  { links: { addresses, session_minutes }, sale_id, till_id = null }: SaleDeps,
  tenant: Tenant,
  { amount, description: words }: { amount: number; description: string | null },
  now: Date,
): NewSession {
  const id = sale_id
  return {
    ...tenant,
    id,
    // The payments of a till are those through its code.
    link_id: till_id,
    ...{ amount, min_amount: null, max_amount: null, currency: 'XOF' as const },
    description: words,
    ...{ reference: null, amount_in_address: false },
    return_url: null,
    created_at: now,
    expires_at: new Date(now.getTime() + session_minutes * 60_000),
    token_hash: addresses.tokenHash(id),
  }
}
