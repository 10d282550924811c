import { defineAct, merchant, refuse } from '../acts/act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import type { Tenant } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import type { Addresses } from './addresses.ts'
import type { LinkAmount } from './link.ts'
import { type LinkWanted, linkFields } from './link-fields.ts'
import { insertLink, type NewLink } from './link-store.ts'

/** The least amount that a payer chooses, in francs, unless the link says otherwise. A typing error then makes no payment. */
const FREE_MIN = 100

const insert = defineEffect<NewLink>('new row', (tx, links) => {
  for (const link of links) insertLink(tx, link)
})

export type LinkDeps = {
  readonly links: { readonly addresses: Addresses }
  /** The most that a payer of this merchant can pay, in francs. Absent: the most of any amount. */
  readonly amount_max?: number
}

export type LinkCreated = {
  readonly link_id: string
  readonly url: string
  readonly tenant: Tenant
  readonly amount: LinkAmount
}

/** Creates a link for payers. Its address is derived from the id, so that it can be shown again at any time. */
export const createLink = defineAct({
  name: 'link.create',
  summary: 'Create a payment link: a fixed amount, or one that payers choose between two bounds',
  title: ['Créer le lien', 'Create the link'],
  right: 'links.manage',
  fresh: false,
  on: merchant,
  fields: linkFields,
  load: async (_tx, { tenant }, { links: { addresses }, amount_max: most = AMOUNT_MAX }: LinkDeps) => ({
    about: tenant,
    addresses,
    most,
  }),
  facts: {},
  content: () => ({}),
  decide({ tenant, values }, { addresses, most }, now) {
    const { description, reusable, until } = values
    const amount = amountIn(values, most)
    const { amount: fixed, min_amount, max_amount } = { amount: null, min_amount: null, max_amount: null, ...amount }
    if ((fixed ?? max_amount ?? 0) > most) return refuse('amount_too_high', { max: writeAmount(most) })
    if (min_amount !== null && max_amount !== null && min_amount > max_amount) return refuse('invalid_bounds')
    const expires_at = until === null ? null : new Date(until)
    if (expires_at !== null && expires_at <= now) return refuse('expiry_in_past')
    const link_id = newId('lnk', now.getTime())
    const row: NewLink = {
      ...{ merchant_id: tenant.merchant_id, livemode: tenant.livemode, id: link_id },
      ...{ amount: fixed, min_amount, max_amount, currency: 'XOF' as const },
      ...{ reusable, description, expires_at, token_hash: addresses.tokenHash(link_id) },
    }
    return {
      kind: 'accepted',
      effects: [insert(row)],
      result: { link_id, url: addresses.linkUrl(link_id), tenant, amount } satisfies LinkCreated,
      subject: link_id,
      after: { ...amount, reusable, expires_at },
    }
  },
  unknown: 'There is no such merchant.',
  refusals: {
    amount_too_high: {
      words: ['Un montant est de {max} au plus.', 'An amount is {max} at most.'],
      at: 'amount',
    },
    invalid_bounds: {
      words: [
        'Le plus que le client peut choisir est inférieur au moins.',
        'The most that the payer may choose is below the least.',
      ],
      command: '--max must be at least --min. Raise --max or lower --min.',
      at: 'amount',
    },
    expiry_in_past: {
      words: ['Ce jour est passé.', 'This day has passed.'],
      command: '--expires is in the past. Give a later time.',
      at: 'until',
    },
  },
})

/** @param most the upper bound of a free amount whose link names none */
function amountIn({ amount, min, max }: LinkWanted, most: number): LinkAmount {
  if (amount !== null) return { kind: 'fixed', amount }
  return { kind: 'free', min_amount: min ?? FREE_MIN, max_amount: max ?? most }
}
