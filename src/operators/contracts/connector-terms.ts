import Type, { type Static } from 'typebox'
import type { Order } from '../port.ts'
import type { SettingLabels } from './connector-type.ts'

const francs = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description }))
const ofAmount = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description }))

/** Settings that every type of connector takes besides its own. None is secret, and none changes a call to the operator. */
export const termSettings = Type.Object({
  'charges.collect.fixed': francs('Francs that the operator keeps of each payment.'),
  'charges.collect.per_ten_thousand': ofAmount('The part of each payment that it keeps.'),
  'charges.payout.fixed': francs('Francs that the operator takes for each payout.'),
  'charges.payout.per_ten_thousand': ofAmount('The part of each payout that it takes.'),
  'charges.refund.fixed': francs('Francs that the operator takes for each refund.'),
  'charges.refund.per_ten_thousand': ofAmount('The part of each refund that it takes.'),
  float_floor: francs('Francs below which the balance is warned of.'),
  float_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 720,
      description: 'Warn when the balance lasts for fewer hours. Absent: 6.',
    }),
  ),
})

/** The terms of a contract as typed, stored in the row of its connector. */
export type Terms = Static<typeof termSettings>

/** The name of each term for people. */
export const termLabels: SettingLabels<Terms> = {
  'charges.collect.fixed': ['Frais fixes d’un paiement', 'Fixed charge of a payment'],
  'charges.collect.per_ten_thousand': ['Part d’un paiement, pour dix mille', 'Part of a payment, per ten thousand'],
  'charges.payout.fixed': ['Frais fixes d’un envoi', 'Fixed charge of a payout'],
  'charges.payout.per_ten_thousand': ['Part d’un envoi, pour dix mille', 'Part of a payout, per ten thousand'],
  'charges.refund.fixed': ['Frais fixes d’un remboursement', 'Fixed charge of a refund'],
  'charges.refund.per_ten_thousand': ['Part d’un remboursement, pour dix mille', 'Part of a refund, per ten thousand'],
  float_floor: ['Seuil du solde', 'Floor of the balance'],
  float_hours: ['Heures que le solde doit tenir', 'Hours that the balance must last'],
}

const names: readonly string[] = Object.keys(termSettings.properties)

/** Settings split into the terms and those of the type, which are encrypted. */
export function divideSettings(settings: Readonly<Record<string, unknown>>): {
  terms: Terms
  own: Record<string, unknown>
} {
  const all = Object.entries(settings)
  const terms = Object.fromEntries(all.filter(([key]) => names.includes(key))) as Terms
  return { terms, own: Object.fromEntries(all.filter(([key]) => !names.includes(key))) }
}

/**
 * The charge of an order by the tariff, in whole francs: the fixed part and the part of the amount, which is rounded up. 0 without a
 * tariff. Pure.
 */
export function chargeByTariff(terms: Terms, { direction, amount }: Pick<Order, 'direction' | 'amount'>): number {
  const fixed = terms[`charges.${direction}.fixed`] ?? 0
  const part = BigInt(terms[`charges.${direction}.per_ten_thousand`] ?? 0)
  return fixed + Number((BigInt(amount) * part + 9_999n) / 10_000n)
}
