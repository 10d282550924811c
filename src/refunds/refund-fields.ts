import {
  type Fact,
  type Field,
  francs,
  lineField,
  merchantFact,
  optional,
  reasonField,
  recipientFact,
  sumField,
  text,
} from '../acts/facts.ts'
import { looksLikeId } from '../values/ids.ts'
import { readFrancs } from '../values/read-typed.ts'

export const refundFacts = {
  amount: francs(['Montant', 'Amount']),
  recipient: recipientFact,
  merchant: merchantFact,
  paid: francs(['Paiement d’origine', 'Original payment']),
  given: francs(['Déjà rendu ou en route', 'Refunded or on its way']),
  reason: text(['Raison', 'Reason']),
  by_hand: {
    name: ['Comment', 'How'],
    write: () => ['à la main : une autre personne entre la preuve', 'by hand: another person enters the proof'],
  } satisfies Fact<true>,
} as const

const amount = sumField(['Somme à rendre, F CFA', 'Amount to refund, F CFA'])

const reason = reasonField(['Raison', 'Reason'], {
  fault: [
    'Écrivez la raison sur une ligne de 500 signes au plus.',
    'Write the reason on a line of 500 characters at most.',
  ],
})

const hidden = (name: string) => ({ label: [name, name], kind: 'line', fault: ['', ''] }) as const

export const refundFields = {
  /** The form that was shown: one form makes one refund. The command line has none. */
  form: {
    ...text(['Formulaire', 'Form']),
    read: (typed) => (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(typed) ? typed : undefined),
    form: hidden('form'),
    option: { must: '', absent: null },
  } as Field<string | null>,
  /** Francs of the payment's amount to refund. Null, on the command line alone: all that is left. */
  amount: { ...amount, option: { ...amount.option, absent: null } } as Field<number | null>,
  /** Francs that the person saw as refunded or on their way. */
  given: {
    ...refundFacts.given,
    read: (typed) => readFrancs(typed, 0),
    form: hidden('given'),
    option: { must: '', absent: null },
  } as Field<number | null>,
  reason: optional(reason),
  /** A person makes the refund by hand, even where the operator could. */
  by_hand: {
    name: refundFacts.by_hand.name,
    write: refundFacts.by_hand.write,
    read: (typed) => typed === '1',
    form: { ...hidden('by_hand'), kind: 'choice' },
    option: { must: '', absent: false },
  } as Field<boolean>,
  /** The command line's own name for the refund. */
  key: optional(lineField(text(['Clé', 'Key']), { label: ['Clé', 'Key'], longest: 255, fault: ['', ''] })),
  /** The merchant's request that this refund accepts. */
  request: {
    ...text(['Demande', 'Request']),
    read: (typed) => (typed === '' ? null : looksLikeId('rfq', typed) ? typed : undefined),
    form: hidden('request'),
    option: { must: '', absent: null },
  } as Field<string | null>,
  /** The mode of the payment, as a check. */
  mode: {
    ...text(['Mode', 'Mode']),
    read: (typed) => (typed === 'test' || typed === 'live' ? typed : null),
    form: hidden('mode'),
    option: { must: '', absent: null },
  } as Field<'test' | 'live' | null>,
} as const
