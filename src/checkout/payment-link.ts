import Type, { type Static } from 'typebox'
import { AMOUNT_MAX } from '../values/amount.ts'
import { currency, livemode, objectField, textOrNull, time, timeOrNull } from '../values/fields.ts'
import { linkSituations, type viewLink } from './link.ts'

function francsOrNull(description: string) {
  return Type.Union([Type.Integer({ minimum: 1, maximum: AMOUNT_MAX }), Type.Null()], { description })
}

/** A link as the interface shows it. Amounts in francs, times in UTC. */
export const PaymentLink = Type.Object(
  {
    id: Type.String({ description: 'Prefix `lnk_`.' }),
    object: objectField('payment_link'),
    url: Type.String({ description: 'The page to hand to payers. Anybody who has it can pay.' }),
    status: Type.Enum([...linkSituations], {
      description:
        'Only an `open` link can be paid. `busy`: somebody is paying it, and it takes one payment. `paid`: it took its only payment.',
    }),
    amount: francsOrNull('The amount to pay, in francs; null when the payer chooses.'),
    min_amount: francsOrNull('The least that a payer may choose, in francs; null with a fixed `amount`.'),
    max_amount: francsOrNull('The most that a payer may choose, in francs; null with a fixed `amount`.'),
    currency,
    description: textOrNull('The text that payers read on the page; null without one.'),
    reference: textOrNull('Your reference, which each of its sessions gets; null without one.'),
    whatsapp: textOrNull(
      'The number to which a payer may send their receipt by WhatsApp: digits with the code of the country; null without one.',
    ),
    reusable: Type.Boolean({ description: 'True: many payers may pay. False: the first payment ends it.' }),
    livemode,
    created_at: time('When the link was made.'),
    expires_at: timeOrNull('When it takes no payment any more; null: never.'),
  },
  { $id: 'PaymentLink', description: 'A link that a merchant hands to one payer or to many.' },
)
export type PaymentLink = Static<typeof PaymentLink>

/** The link as stored answers hold it: without its address, so that the database holds no token. */
export function viewPaymentLink(link: ReturnType<typeof viewLink>): Omit<PaymentLink, 'url'> {
  const { link_id, status, amount, min_amount, max_amount, reusable, description, reference, whatsapp } = link
  return {
    id: link_id,
    object: 'payment_link',
    status,
    amount,
    min_amount,
    max_amount,
    currency: link.currency,
    description,
    reference,
    whatsapp,
    reusable,
    livemode: link.livemode,
    created_at: link.created_at,
    expires_at: link.expires_at,
  }
}

/** The link as answers show it, with its address. */
export function addressed(
  { id, object, ...rest }: Omit<PaymentLink, 'url'>,
  urlOf: (id: string) => string,
): PaymentLink {
  return { id, object, url: urlOf(id), ...rest }
}
