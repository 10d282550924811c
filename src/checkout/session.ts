import Type, { type Static } from 'typebox'
import type { Tenant } from '../values/caller.ts'
import { currency, livemode, objectField, textOrNull, time } from '../values/fields.ts'
import { amountSource, amountSources } from './link-address.ts'

export const sessionStatuses = ['open', 'paid', 'closed', 'expired'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

const bound = Type.Optional(
  Type.Integer({
    description: 'On a link of a free amount: a bound between which the payer chose, in francs. Absent elsewhere.',
  }),
)

/** A session as the interface shows it. Amounts in francs, times in UTC. */
export const CheckoutSession = Type.Object(
  {
    id: Type.String({ description: 'Prefix `cs_`.' }),
    object: objectField('checkout_session'),
    status: Type.Enum([...sessionStatuses], { description: 'Only an `open` session can be paid.' }),
    url: Type.Optional(
      Type.String({
        description: 'The page to hand to the payer. Only in the answer to its creation, never in an event.',
      }),
    ),
    amount: Type.Integer({ description: 'The amount to pay, in francs.' }),
    amount_source: Type.Enum([...amountSources], {
      description:
        "The source of `amount`: `merchant`, your server, your people or a link of a fixed amount; `address`, the address of a link (`?amount=…`), which anybody can change within its bounds; `payer`, the payer's choice. Compare the last two with your price.",
    }),
    min_amount: bound,
    max_amount: bound,
    currency,
    description: textOrNull('The text that the payer reads on the page; null without one.'),
    reference: textOrNull(
      'The reference, from its link or the address of the link (`?ref=…`), which anybody can write. Not unique. Null without one.',
    ),
    return_url: textOrNull('Where the payer goes back to after success; null without one.'),
    payment_id: Type.Union([Type.String(), Type.Null()], {
      description:
        'The payment that paid it; before that the latest attempt, or null. Only `status` says that it is paid.',
    }),
    link_id: Type.Optional(
      Type.String({
        description: 'Prefix `lnk_`: the link that its payer came from. Absent when your server made the session.',
      }),
    ),
    livemode,
    created_at: time('When the session was made.'),
    expires_at: time('When the page takes no payment any more.'),
    warning: Type.Optional(
      Type.String({
        description:
          'Only in the answer to its creation, while no operator can collect for you in this mode, or none that can takes the amount.',
      }),
    ),
  },
  { $id: 'CheckoutSession', description: 'A page on which one payer pays.' },
)
export type CheckoutSession = Static<typeof CheckoutSession>

/** The row of a session. */
export type SessionRow = Tenant & {
  id: string
  link_id: string | null
  status: SessionStatus
  amount: number
  min_amount: number | null
  max_amount: number | null
  currency: 'XOF'
  description: string | null
  reference: string | null
  /** The amount came from the address of a link whose payers choose. */
  amount_in_address: boolean
  return_url: string | null
  /** Number of attempts so far. */
  attempts: number
  payment_id: string | null
  /** The payment of `payment_id` has not ended. */
  attempt_live: boolean
  created_at: Date
  expires_at: Date
  paid_at: Date | null
}

/** Most attempts on one session. A payer who needs more asks the merchant for another session. */
export const ATTEMPTS_MAX = 20

/** The session as events and stored answers show it: without its address, because anybody with the address can see and pay the session. */
export function viewSession(row: SessionRow): CheckoutSession {
  return {
    id: row.id,
    object: 'checkout_session',
    status: row.status,
    amount: row.amount,
    amount_source: amountSource(row),
    ...(row.min_amount === null ? {} : { min_amount: row.min_amount }),
    ...(row.max_amount === null ? {} : { max_amount: row.max_amount }),
    currency: row.currency,
    description: row.description,
    reference: row.reference,
    return_url: row.return_url,
    payment_id: row.payment_id,
    ...(row.link_id === null ? {} : { link_id: row.link_id }),
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

/** The answer to a creation: the stored text with the address added. A replay has the same bytes. */
export function withAddress(kept: string, urlOf: (session_id: string) => string): string {
  const { id, object, status, ...rest } = JSON.parse(kept) as CheckoutSession
  return JSON.stringify({ id, object, status, url: urlOf(id), ...rest })
}
