import {
  choiceField,
  francs,
  merchantFact,
  oneOf,
  reasonFact,
  reasonField,
  requestedBy,
  sumField,
  text,
} from '../acts/facts.ts'
import { operatorNames } from '../values/operators.ts'
import { counterpartAccount, counterparts } from './adjustment.ts'

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

const ownSides = { fees: ['Nos frais', 'Our fees'], bank: ['Banque', 'Bank'] } as const
const sides = Object.fromEntries(
  counterparts.map((side) => {
    if (side === 'fees' || side === 'bank') return [side, ownSides[side]]
    const name = side === 'simulator' ? side : operatorNames[side]
    return [side, [name, name]]
  }),
) as Record<(typeof counterparts)[number], readonly [string, string]>

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
  against: choiceField(against, {
    label: ['L’autre côté', 'The other side'],
    choices: sides,
    fault: ['Choisissez l’autre côté.', 'Choose the other side.'],
    says: 'the account that it is booked against',
    read: counterpartAccount,
  }),
  reason: reasonField(['Pourquoi', 'Why'], { fault: ['Dites pourquoi, en une ligne.', 'Say why, in one line.'] }),
} as const
