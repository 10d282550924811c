import type { Words } from '../../values/language.ts'
import type { DifferenceKind } from './difference.ts'

/** The decisions of two people about a difference. Each but `accept` is booked. */
export const resolutionWords = {
  assign: ['à un marchand', 'a merchant’s'],
  own_funds: ['argent de la maison', 'the house’s own money'],
  own_transfer: ['virement entre nos comptes', 'a transfer between our accounts'],
  charge: ['frais de la banque ou de l’opérateur', 'a charge of the bank or operator'],
  loss: ['perte de la maison', 'a loss of the house'],
  accept: ['accepté tel quel', 'accepted as it is'],
} as const satisfies Record<string, Words>

export type Resolution = keyof typeof resolutionWords

/** The account of the house that takes the money of a line. An assigned one passes its wallet on its way to the merchant. */
export const accountOf: Readonly<Record<Exclude<Resolution, 'assign' | 'accept'>, string>> = {
  own_funds: 'own_funds',
  own_transfer: 'in_transit',
  charge: 'bank_charges',
  loss: 'losses',
}

/** The resolutions of each kind. Kinds about an order are decided on their anomaly, and the others explain themselves. */
const resolutionsOf: Partial<Record<DifferenceKind, readonly Resolution[]>> = {
  missing_here: ['assign', 'own_funds', 'own_transfer', 'charge', 'loss'],
  wrong_day: ['accept'],
  wrong_account: ['accept'],
  line_changed: ['accept'],
  file_missing: ['accept'],
}

/** Only money that arrived can be a merchant's, and only money that left is lost. */
const onlyFor: Partial<Record<Resolution, 'in' | 'out'>> = { assign: 'in', loss: 'out' }

/** The resolutions among which two people may choose. @param direction of the line. Null: there is none */
export function resolutionsFor(kind: DifferenceKind, direction: 'in' | 'out' | null): readonly Resolution[] {
  return (resolutionsOf[kind] ?? []).filter((one) => [undefined, direction].includes(onlyFor[one]))
}

/** The money of a line that confirmed a deposit is booked already, so that two people can only accept its difference. */
export const servesDepositWords: Words = [
  'Cette ligne a confirmé un dépôt : son argent est déjà inscrit. Acceptez l’écart tel quel.',
  'This line confirmed a deposit: its money is booked already. Accept the difference as it is.',
]

/** The merchant's money came in by a deposit already. */
export const depositedWords: Words = [
  'Ce marchand a déjà un dépôt sous la référence de cette ligne.',
  'This merchant has a deposit under the reference of this line already.',
]
