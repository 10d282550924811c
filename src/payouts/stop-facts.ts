import { choiceField, type Fact, merchantField, optional } from '../acts/facts.ts'
import type { Words } from '../values/language.ts'
import { isOperatorCode, type OperatorCode, operatorCodes, operatorNames } from '../values/operators.ts'
import type { Stop, StopRow } from './store.ts'

/** The payouts that a stop covers: all, those through one operator, or those of one merchant. */
export type StopScope =
  | { scope: 'all' }
  | { scope: 'operator'; operator: string }
  | { scope: 'merchant'; merchant_id: number }

type What = 'all' | 'merchant' | OperatorCode

const ALL: Words = ['Tous les envois, tous les opérateurs', 'All payouts, all operators']
const ofOperator = (name: string): Words => [`${name}, envois`, `${name}, payouts`]
const ofMerchant = (name: string): Words => [`Marchand ${name}, envois`, `Merchant ${name}, payouts`]

/** Writes which payouts a stop covers. @param merchant its name, or its number when nobody knows it */
export function writeStop({ scope, value }: Stop, merchant: string): Words {
  if (scope === 'all') return ALL
  if (scope === 'merchant') return ofMerchant(merchant)
  return ofOperator(isOperatorCode(value) ? operatorNames[value] : value)
}

/** @property name of the merchant; null: of none, or unknown */
export const payoutsFact: Fact<Stop & { name: string | null }> = {
  name: ['Envois', 'Payouts'],
  write: ({ name, ...stop }) => writeStop(stop, name ?? stop.value),
}

const operators = Object.fromEntries(operatorCodes.map((code) => [code, ofOperator(operatorNames[code])]))

const wordsOfWhat: Readonly<Record<What, Words>> = {
  all: ALL,
  ...(operators as Record<OperatorCode, Words>),
  merchant: ['Un marchand', 'One merchant'],
}

const CHOOSE: Words = [
  'Choisissez quoi arrêter ; pour un marchand, écrivez son numéro.',
  'Choose what to stop; for a merchant, write its number.',
]

/** The scope as a person chooses it: all, an operator, or a merchant by its number. */
export const scopeFields = {
  what: choiceField<What>(
    { name: payoutsFact.name, write: (what) => wordsOfWhat[what] },
    { label: ['Quoi', 'What'], choices: wordsOfWhat, fault: CHOOSE, says: 'the payouts' },
  ),
  merchant: optional(merchantField(['Son numéro', 'Its number'], CHOOSE)),
} as const

/** Returns the scope of the fields. Null: a merchant without a number. */
export function scopeOf({ what, merchant }: { what: What; merchant: number | null }): StopScope | null {
  if (what === 'all') return { scope: 'all' }
  if (what !== 'merchant') return { scope: 'operator', operator: what }
  return merchant === null ? null : { scope: 'merchant', merchant_id: merchant }
}

export const NO_SCOPE = { words: CHOOSE, at: 'what' } as const

/** Why the service stopped payouts itself, and what the two people say who lift the stop. */
export const causeFact: Fact<Pick<StopRow, 'cause' | 'cause_detail'>> = {
  name: ['Cause', 'Cause'],
  write: ({ cause, cause_detail }) =>
    cause === 'restored'
      ? writeRestored(cause_detail ?? '')
      : writeCollation((cause_detail ?? '').replace(' to ', ' → ')),
}

const writeCollation = (detail: string): Words => [
  `L’ordre des textes de la base a changé (${detail}), et ses index peuvent se tromper. Qui rouvre dit que tous les index ont été reconstruits et que bandama audit ne trouve aucune faute (docs/deploy.md).`,
  `The collation of the database has changed (${detail}), and its indexes may be wrong. Those who resume say that all indexes were rebuilt and that bandama audit finds no fault (docs/deploy.md).`,
]

const writeRestored = (detail: string): Words => [
  `La base vient d’une sauvegarde (${detail}) et ne connaît pas les ordres partis depuis. Qui rouvre dit que bandama audit ne trouve aucune faute et que les relevés des opérateurs ont été comparés (docs/deploy.md).`,
  `The database comes from a backup (${detail}) and does not know the orders sent since. Those who resume say that bandama audit finds no fault and that the statements of the operators were compared (docs/deploy.md).`,
]
