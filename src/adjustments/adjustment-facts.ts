import {
  choiceField,
  type Field,
  francs,
  merchantFact,
  oneOf,
  reasonFact,
  reasonField,
  requestedBy,
  sumField,
  text,
} from '../acts/facts.ts'

// The facts of an adjustment, as people propose, read and sign them.

/** The two directions, as the title of an adjustment. */
export const directionWords = {
  credit: ['Ajustement, en plus', 'Adjustment, owe more'],
  debit: ['Ajustement, en moins', 'Adjustment, owe less'],
} as const

const direction = oneOf(['Sens', 'Direction'], {
  credit: ['plus est dû au marchand', 'more is owed to the merchant'],
  debit: ['moins est dû au marchand', 'less is owed to the merchant'],
})
const against = text(['Contrepartie', 'Booked against'])

const NAME = /^[a-z][a-z0-9_-]{0,39}$/

export const adjustmentFacts = {
  amount: francs(['Montant', 'Amount']),
  merchant: merchantFact,
  direction,
  against,
  reason: reasonFact,
  requested_by: requestedBy,
}

export const adjustmentFields = {
  direction: choiceField(direction, {
    label: ['Sens', 'Direction'],
    choices: directionWords,
    fault: ['Choisissez un sens.', 'Choose a direction.'],
    says: 'credit: the service owes the merchant more; debit: less',
  }),
  amount: sumField(['Somme, F CFA', 'Sum, F CFA']),
  against: {
    ...against,
    read: (typed) => (NAME.test(typed) ? typed : undefined),
    form: {
      label: ['L’autre côté', 'The other side'],
      kind: 'line',
      longest: 40,
      fault: ['Choisissez l’autre côté.', 'Choose the other side.'],
    },
    option: {
      value: 'A',
      says: 'the other side: fees, an account of external-account list, or an operator for the wallet of its collections',
      sample: 'bank',
      must: 'must be fees, an account of external-account list, or an operator.',
    },
  } as Field<string>,
  reason: reasonField(['Pourquoi', 'Why'], { fault: ['Dites pourquoi, en une ligne.', 'Say why, in one line.'] }),
} as const
