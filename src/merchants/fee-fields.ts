import { choiceField, type Field, oneOf, readDay, sumField } from '../acts/facts.ts'
import { writeDate, writeDay } from '../platform/http/pages/write-values.ts'
import { asSeen } from '../values/as-seen.ts'
import type { Words } from '../values/language.ts'
import { bearerWords, feeServiceWords } from './fee-words.ts'
import type { FeeSchedule, FeeService } from './fees.ts'

const sumFault: Words = ['Écrivez une somme en francs, comme 25.', 'Write a sum in francs, such as 25.']

function sum(label: Words, hint?: Words): Field<number> {
  const field = sumField(label, { name: label, min: 0, ...(hint === undefined ? {} : { hint }) })
  return {
    ...field,
    read: (typed) => (typed === '' ? 0 : field.read(typed)),
    form: { ...field.form, fault: sumFault },
    option: { ...field.option, absent: 0 },
  }
}

const mostHint: Words = ['Vide : sans limite.', 'Empty: no limit.']
const most = sum(['Au plus, F CFA', 'At most, F CFA'], mostHint)

/** Hundredths of a percent, typed as a percentage with at most two decimals: `1,75` or `1.75`. */
const percent: Field<number> = {
  name: ['Pourcentage', 'Percentage'],
  write: (basis_points) => [`${basis_points / 100} %`, `${basis_points / 100} %`],
  read(typed) {
    const [, whole, part = ''] = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(asSeen(typed).replace(/[\s%]/g, '')) ?? []
    if (whole === undefined) return undefined
    const basis_points = Number(whole) * 100 + Number(part.padEnd(2, '0'))
    return basis_points <= 10_000 ? basis_points : undefined
  },
  form: {
    label: ['Pourcentage', 'Percentage'],
    hint: ['Comme 1,75. Écrivez 0 s’il n’y en a pas.', 'Such as 1.75. Write 0 for none.'],
    kind: 'decimal',
    fault: ['Écrivez un pourcentage de 0 à 100, comme 1,75.', 'Write a percentage from 0 to 100, such as 1.75.'],
  },
  option: { name: 'bps', must: 'must be a whole number from 0 to 10000.', absent: 0 },
}

/** Writes a moment: the day alone when it is the first of its day in Abidjan, which is on UTC. */
export function momentInWords(iso: string): Words {
  const at = new Date(iso)
  const write = iso.endsWith('T00:00:00.000Z') ? writeDay : writeDate
  return [write(at, 'fr'), write(at, 'en')]
}

/** The moment from which the fees hold. Null: at once. */
const from: Field<string | null> = {
  name: ['Dès le', 'From'],
  write: (iso) => (iso === null ? ['maintenant', 'now'] : momentInWords(iso)),
  read: (typed) => (typed === '' ? null : readDay(typed, 'T00:00:00.000Z')),
  form: {
    label: ['Dès le', 'From'],
    hint: [
      'Vide : tout de suite. Un paiement garde les frais du moment où il est demandé.',
      'Empty: at once. A payment keeps the fees of the moment at which it is asked for.',
    ],
    kind: 'day',
    fault: ['Choisissez un jour.', 'Choose a day.'],
  },
  option: { must: 'must be a time such as 2027-01-01T00:00:00Z.', absent: null },
}

export const feeFields = {
  service: choiceField<FeeService>(oneOf(['Sur', 'On'], feeServiceWords), {
    label: ['Sur', 'On'],
    choices: feeServiceWords,
    fault: ['Choisissez les opérations.', 'Choose the operations.'],
    says: 'the operations that the fee is for',
  }),
  percent,
  fixed: sum(['Somme fixe en plus, F CFA', 'Fixed amount added, F CFA']),
  minimum: sum(['Au moins, F CFA', 'At least, F CFA']),
  maximum: {
    ...most,
    read: (typed: string) => (typed === '' ? null : most.read(typed)),
    option: { ...most.option, absent: null },
  } as Field<number | null>,
  bearer: choiceField<FeeSchedule['bearer']>(oneOf(['Qui le paie', 'Paid by'], bearerWords), {
    label: ['Qui le paie', 'Paid by'],
    hint: ['Les frais d’un envoi viennent toujours en plus.', 'The fee of a payout is always added.'],
    choices: bearerWords,
    fault: ['Choisissez qui le paie.', 'Choose the side that pays it.'],
    says: 'the side that pays the fee',
  }),
  from,
} as const
