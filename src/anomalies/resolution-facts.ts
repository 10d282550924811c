import { type Fact, type Field, text } from '../acts/facts.ts'
import type { Words } from '../values/language.ts'
import type { Resolution } from './anomaly.ts'

/** The effect of each resolution, in words for the two people. */
export const resolutionWords: Readonly<Record<Resolution, Words>> = {
  as_proven: ['L’opération a réussi : l’opérateur a bougé l’argent', 'It succeeded: the operator moved the money'],
  as_refused: ['L’opération a échoué : rien n’a bougé', 'It failed: nothing moved'],
  credit_available: ['Devoir davantage au marchand', 'Owe the merchant more'],
  debit_available: ['Devoir moins au marchand', 'Owe the merchant less'],
  returned_by_hand: ['L’opérateur a rendu l’argent au payeur', 'The operator gave the payer the money back'],
  nothing: ['Ne rien faire et clore', 'Do nothing and close'],
}

/** The loss if a resolution is wrong. */
export const riskWords: Readonly<Record<Resolution, Words>> = {
  as_proven: [
    'Si c’est faux, le marchand est crédité d’un argent qui n’est pas venu, ou un envoi manque à son destinataire.',
    'If it is wrong, the merchant is credited money that never came, or a payout never reaches its recipient.',
  ],
  as_refused: [
    'Si c’est faux, l’argent a bougé deux fois dès que le marchand recommence.',
    'If it is wrong, the money moves twice as soon as the merchant tries again.',
  ],
  credit_available: ['Si c’est faux, nous perdons cette somme.', 'If it is wrong, we lose this sum.'],
  debit_available: ['Si c’est faux, le marchand perd cette somme.', 'If it is wrong, the merchant loses this sum.'],
  returned_by_hand: [
    'Si c’est faux, le payeur n’a pas son argent et le marchand non plus.',
    'If it is wrong, neither the payer nor the merchant has the money.',
  ],
  nothing: [
    'Si c’est faux, ce qui ne va pas n’est plus devant personne.',
    'If it is wrong, nobody looks at the mismatch any longer.',
  ],
}

/** The terminal also shows the word of the option. */
export const resolutionFact: Fact<Resolution> = {
  name: ['Résolution', 'Resolution'],
  write(resolution) {
    const [french, english] = resolutionWords[resolution]
    return [french, `${resolution}: ${english}`]
  },
}

/** The merchant whose money moves: of the anomaly, or the one to credit where the anomaly has none. */
export const merchantOf: Fact<{ name: string; merchant_id: number }> = {
  name: ['Marchand', 'Merchant'],
  write: ({ name, merchant_id }) => [`${name} (${merchant_id})`, `${name} (${merchant_id})`],
}

const proposalFact = text(['Proposition', 'Proposal'])

/** The proposal that the person has read: no other is decided. Null: the one that waits. */
export const proposalField: Field<string | null> = {
  ...proposalFact,
  write: (id) => proposalFact.write(id ?? ''),
  read: (typed) => (typed === '' ? null : typed),
  form: { label: proposalFact.name, kind: 'line', fault: ['Rechargez la page.', 'Load the page again.'] },
  option: {
    ...{
      value: 'ID',
      says: 'the proposal that you have read; absent: the one that waits',
      sample: 'anp_01k5v0e9t8fq3a7mzd4n2xw6rb',
    },
    must: 'must be a proposal.',
    absent: null,
  },
}
