import { type Field, lineField, optional, readDay, sumField, text, type ValuesOf } from '../acts/facts.ts'
import type { Words } from '../values/language.ts'

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

/** Without `amount` the payer chooses, from `min` to `max`. */
export const linkFields = {
  description: optional(description),
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
