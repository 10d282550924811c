import { type Field, lineField, optional, readDay, sumField, text, type ValuesOf } from '../acts/facts.ts'
import type { Words } from '../values/language.ts'
import { REFERENCE_MAX, readReference } from './link-address.ts'
import { readWhatsApp } from './whatsapp-number.ts'

/** The text that the payer reads, above the amount. */
export const description = lineField(text(['Pour quoi', 'What for']), {
  label: ['Pour quoi', 'What for'],
  longest: 1_000,
  fault: ['Dites en une ligne ce que le client paie.', 'Write in one line what the payer pays for.'],
})

const amountFault: Words = ['Un montant est un nombre entier de francs.', 'An amount is a whole number of francs.']

/** A sum in whole francs. */
export function francsField(label: Words): Field<number> {
  const field = sumField(label, { name: label })
  return { ...field, form: { ...field.form, fault: amountFault } }
}

const reusable: Field<boolean> = {
  name: ['Réutilisable', 'Reusable'],
  write: (yes) => (yes ? ['oui', 'yes'] : ['non', 'no']),
  read: (typed) => (typed === '' ? false : typed === 'yes' ? true : undefined),
  form: {
    label: ['Combien de fois', 'Use'],
    kind: 'choice',
    choices: [{ value: 'yes', words: ['Réutilisable', 'Reusable'] }],
    fault: ['Choisissez combien de fois.', 'Choose how often.'],
  },
  option: { must: '', absent: false },
}

/** The time after which nobody can pay: the end of a day in Abidjan, or a moment. */
const until: Field<string | null> = {
  name: ['Jusqu’au', 'Until'],
  write: (moment) => [moment ?? '–', moment ?? '–'],
  read: (typed) => (typed === '' ? null : readDay(typed, 'T23:59:59.000Z')),
  form: {
    label: ['Jusqu’au (facultatif)', 'Until (optional)'],
    kind: 'day',
    fault: ['Choisissez un jour.', 'Choose a day.'],
  },
  option: { name: 'expires', must: 'must be a time such as 2027-01-01T00:00:00Z.', absent: null },
}

const referenceFault: Words = [
  'Une référence a 40 caractères au plus : lettres, chiffres, espaces et - _ . / #',
  'A reference has at most 40 characters: letters, digits, spaces and - _ . / #',
]

const referenceField: Field<string> = {
  ...text(['Votre référence', 'Your reference']),
  read: (typed) => readReference(typed) ?? undefined,
  form: {
    label: ['Votre référence', 'Your reference'],
    hint: ['Par exemple le numéro de la commande.', 'For example the number of the order.'],
    kind: 'line',
    longest: REFERENCE_MAX,
    fault: referenceFault,
  },
  option: { value: 'TEXT', says: 'your own label, such as an order number', must: referenceFault[1] },
}

const whatsappField: Field<string> = {
  ...text(['WhatsApp', 'WhatsApp']),
  read: (typed) => readWhatsApp(typed) ?? undefined,
  form: {
    label: ['Votre WhatsApp', 'Your WhatsApp'],
    hint: ['Le client peut y envoyer son reçu.', 'The payer can send their receipt to it.'],
    kind: 'line',
    longest: 24,
    fault: ['Écrivez un numéro de téléphone.', 'Write a phone number.'],
  },
  option: {
    value: 'NUMBER',
    says: 'the number to which payers may send their receipt by WhatsApp',
    must: 'must be an Ivorian number of ten digits, or a number with + and the code of its country.',
  },
}

/** Without `amount` the payer chooses, from `min` to `max`. */
export const linkFields = {
  description: optional(description),
  reference: optional(referenceField),
  whatsapp: optional(whatsappField),
  amount: optional(francsField(['Montant, F CFA', 'Amount, F CFA'])),
  min: optional(francsField(['Au moins, F CFA', 'At least, F CFA'])),
  max: optional(francsField(['Au plus, F CFA', 'At most, F CFA'])),
  reusable,
  until,
} as const

export type LinkWanted = ValuesOf<typeof linkFields>

/** The words of a refusal: payers could pay nothing at a code or link of a deactivated merchant. */
export const suspended: Words = [
  'Votre compte est suspendu : personne ne peut payer.',
  'Your account is suspended: nobody can pay.',
]
