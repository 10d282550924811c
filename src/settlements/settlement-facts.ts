import { type Fact, francs, merchantFact, oneOf, requestedBy } from '../acts/facts.ts'
import { type End, writeEnd } from '../beneficiaries/destination-facts.ts'
import type { DestinationToday } from '../beneficiaries/destination-store.ts'
import type { SettlementRow } from './settlement.ts'

/** The facts that each person reads before they decide on a settlement. */
export const settlementFacts = {
  amount: francs(['Montant', 'Amount']),
  recipient: {
    name: ['Destinataire', 'Recipient'],
    write: ({ name, ...end }) => {
      const [french, english] = writeEnd(end)
      return [`${name}, ${french}`, `${name}, ${english}`]
    },
  } satisfies Fact<End & { name: string }>,
  destination_today: oneOf<Exclude<DestinationToday, 'designated'>>(['Destination aujourd’hui', 'Destination today'], {
    no_longer_designated: ['une autre est désignée depuis', 'another one is designated since'],
    archived: ['retirée du carnet depuis', 'removed from the address book since'],
  }),
  merchant: merchantFact,
  requested_by: requestedBy,
} as const

/** @param today the state of the destination in the book; a designated one is not mentioned */
export function contentOf(settlement: SettlementRow, today: DestinationToday) {
  const { amount, beneficiary_id: id, name, operator, last4, made_by: requested_by } = settlement
  const destination_today = today === 'designated' ? null : today
  return { amount, recipient: { id, name, operator, last4 }, destination_today, requested_by }
}
