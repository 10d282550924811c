import { defineAct, merchant, refuse } from '../acts/act.ts'
import { isMerchantActive } from '../merchants/store.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import type { Tenant } from '../values/caller.ts'
import type { Addresses } from './addresses.ts'
import { decideLink, insertNewLink } from './decide-link.ts'
import type { LinkAmount } from './link.ts'
import { linkFields, suspended } from './link-fields.ts'
import { SENT_HOURS } from './till/till-phone.ts'

export type LinkDeps = {
  readonly links: { readonly addresses: Addresses }
  /** The most that a payer of this merchant can pay, in francs. Absent: the most of any amount. */
  readonly amount_max?: number
  /** The id of the link, derived from a form, so that a form sent twice makes one. Absent: a new one. */
  readonly new_link_id?: string
  /** The till that sends the link: its payments are takings of this till. Null or absent: none does. */
  readonly till_id?: string | null
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
  load: async (
    tx,
    { tenant },
    { links: { addresses }, amount_max: most = AMOUNT_MAX, new_link_id, till_id }: LinkDeps,
  ) => ({
    about: tenant,
    addresses,
    most,
    till_id: till_id ?? null,
    given: new_link_id === undefined ? {} : { id: new_link_id },
    active: await isMerchantActive(tx, tenant.merchant_id),
  }),
  facts: {},
  content: () => ({}),
  decide({ tenant, values }, { addresses, most, till_id, given, active }, now) {
    if (!active) return refuse('merchant_inactive')
    const { until, ...wanted } = values
    // The takings of a till are found among the links that it sent lately.
    const latest = till_id === null ? null : new Date(now.getTime() + SENT_HOURS * 3_600_000)
    if (latest !== null && (wanted.reusable || (until !== null && new Date(until) > latest)))
      return refuse('not_of_till')
    const asked = { ...wanted, till_id, expires_at: until === null ? latest : new Date(until) }
    const decided = decideLink(tenant, asked, { most, tokenHash: addresses.tokenHash, now, ...given })
    if (decided.kind === 'refused') {
      return decided.code === 'amount_too_high'
        ? refuse(decided.code, { max: writeAmount(most) })
        : refuse(decided.code)
    }
    const { row, amount } = decided
    const { id: link_id, reusable, expires_at } = row
    return {
      kind: 'accepted',
      effects: [insertNewLink(row)],
      result: { link_id, url: addresses.linkUrl(link_id), tenant, amount } satisfies LinkCreated,
      subject: link_id,
      after: { ...amount, reusable, expires_at, ...(till_id !== null && { till_id }) },
    }
  },
  unknown: 'There is no such merchant.',
  conflicts: { payment_links_pkey: 'made_before' },
  refusals: {
    made_before: ['Ce lien est déjà prêt.', 'This link is ready already.'],
    not_of_till: [
      'Une caisse envoie un lien d’un seul paiement, qui finit vite.',
      'A till sends a link for one payment, which ends soon.',
    ],
    merchant_inactive: {
      words: suspended,
      command: 'Merchant {merchant} is deactivated: nobody could pay its link.',
    },
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
