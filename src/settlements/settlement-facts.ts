import { francs, merchantFact, oneOf, requestedBy, text } from '../acts/facts.ts'
import { endFact } from '../beneficiaries/destination-facts.ts'
import type { DestinationToday } from '../beneficiaries/destination-store.ts'
import type { SettlementRow } from './settlement.ts'

/** The facts that each person reads before they decide on a settlement. */
export const settlementFacts = {
  amount: francs(['Montant', 'Amount']),
  merchant: merchantFact,
  destination: endFact(['Destination', 'Destination']),
  holder: text(['Au nom de', 'Holder']),
  destination_today: oneOf<Exclude<DestinationToday, 'designated'>>(['Destination aujourd’hui', 'Destination today'], {
    no_longer_designated: ['une autre est désignée', 'another one is designated'],
    archived: ['retirée du carnet', 'removed from the address book'],
  }),
  requested_by: requestedBy,
} as const

/** @param today the state of the destination in the book; a designated one is not mentioned */
export function contentOf(settlement: SettlementRow, today: DestinationToday) {
  const { amount, beneficiary_id: id, operator, last4, name: holder, made_by: requested_by } = settlement
  const destination_today = today === 'designated' ? null : today
  return { amount, destination: { id, operator, last4 }, holder, destination_today, requested_by }
}
