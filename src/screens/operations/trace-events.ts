import { id, miniTable, type StoryEvent } from '../../console/components.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { BANK } from '../../external-accounts/external-account.ts'
import { heldIn } from '../../ledger/accounts.ts'
import type { EntryOfSubject } from '../../ledger/store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { movementTypeOf } from '../../statements/movement.ts'
import { movementWords } from '../../statements/movement-words.ts'
import { groupDigits } from '../../values/group-digits.ts'
import { isOperatorCode, operatorNames } from '../../values/operators.ts'
import type { EventAbout } from '../../webhooks/journal-store.ts'
import { type Names, writePerson } from '../approvals/words.ts'
import { deliveryStatus, hostOf } from '../webhooks/delivery-views.ts'
import type { Traces } from './read-traces.ts'

// The call, the entries and the events of an operation, as parts of its timeline.

/** An event of a timeline. `begins`: the request from which all the rest follows, so it stands first whatever its clock said. */
export type Happened = Omit<StoryEvent, 'when'> & { readonly begins?: true }
type Request = ScreenRequest<'console'>

/**
 * Returns the traces of an operation as parts of its timeline.
 * @param operator of the operation: a merchant reads its name in place of the wallet, which is the service's own matter. Absent: a bank
 */
export function traceEvents(
  request: Request,
  { call, entries, events }: Traces,
  names: Names,
  operator?: string | null,
): Happened[] {
  return [
    ...(call === null ? [] : [callEvent(request, call, names)]),
    ...bookings(entries).map((booking) => bookingEvent(booking, operator, request.say)),
    ...[...Map.groupBy(events, (event) => event.id).values()].map((one) => toldEvent(request, one)),
  ]
}

function callEvent(request: Request, call: NonNullable<Traces['call']>, names: Names): Happened {
  const { say, at, can, actor } = request
  const { request_id, key_id, method, path, status: answered, duration_ms, requested_at } = call
  const name = id(`${method} ${path}`)
  const linked = can('requests.read') ? html`<a href="${at(`/requests?request_id=${request_id}`)}">${name}</a>` : name
  return {
    at: requested_at,
    begins: true,
    icon: 'log',
    text: html`${say(['Demandé par', 'Requested by'])} ${writePerson({ say, names, me: actor.person }, `key:${key_id}`)}`,
    under: html`<p>${linked}, ${say(['réponse {answered} en {ms} ms', 'answer {answered} in {ms} ms'], { answered, ms: duration_ms })}</p>`,
  }
}

const accountWords: Readonly<Record<string, Words>> = {
  available: ['Solde disponible', 'Available balance'],
  transfer: ['Solde d’envoi', 'Payout balance'],
  payouts_in_flight: ['Envois en cours', 'Payouts under way'],
  settlements_in_flight: ['Reversements en cours', 'Settlements under way'],
  fees: ['Frais', 'Fees'],
  bank: ['Banque', 'Bank'],
  [heldIn(BANK)]: ['Banque', 'Bank'],
}

/** The names of postings that do not change the available balance, so that a statement has no name for them. */
const bookingWords: Readonly<Record<string, Words>> = {
  deposit: ['Dépôt sur le solde d’envoi', 'Deposit to the payout balance'],
  payout_started: ['Mis de côté pour l’envoi', 'Set aside for the payout'],
  payout_succeeded: ['Envoi versé', 'Payout paid'],
  payout_failed: ['Envoi revenu sur le solde', 'Payout back in the balance'],
  settlement_paid: ['Reversement versé', 'Settlement paid'],
  returned_by_hand: ['Rendu à la main', 'Refunded by hand'],
}

/** Groups the entries of each operation of the ledger, which were booked together. */
function bookings(entries: readonly EntryOfSubject[]): (readonly EntryOfSubject[])[] {
  return [...Map.groupBy(entries, ({ operation }) => operation).values()]
}

function bookingEvent(legs: readonly EntryOfSubject[], operator: string | null | undefined, say: Say): Happened {
  const { operation, created_at } = legs[0]!
  const movement = movementTypeOf[operation]
  const words = movement === null ? bookingWords[operation] : movementWords[movement]
  const written = say(['Écrit dans vos comptes', 'Booked in your accounts'])
  return {
    at: created_at,
    icon: 'scale',
    text:
      words === undefined ? written : say(['{written} : {what}', '{written}: {what}'], { written, what: say(words) }),
    under: entryTable(legs, operator, say),
  }
}

/** The table of debits and credits of one posting, in francs. */
function entryTable(legs: readonly EntryOfSubject[], operator: string | null | undefined, say: Say): Html {
  const lines = legs.map(({ account, amount }) => {
    const debit = html`<td class="n">${amount < 0 && groupDigits(-amount)}</td>`
    const credit = html`<td class="n">${amount > 0 && groupDigits(amount)}</td>`
    return html`<tr><td>${accountName(account, operator, say)}</td>${debit}${credit}</tr>`
  })
  const numbers = [say(['Débit', 'Debit']), say(['Crédit', 'Credit'])]
  return miniTable({ texts: [say(['Compte', 'Account'])], numbers }, lines)
}

function accountName(account: string, operator: string | null | undefined, say: Say): string {
  const words = accountWords[account]
  if (words !== undefined) return say(words)
  if (operator === undefined) return say(['Banque', 'Bank'])
  return operator !== null && isOperatorCode(operator) ? operatorNames[operator] : say(['Opérateur', 'Operator'])
}

/** An event, with its deliveries to each endpoint. */
function toldEvent(request: Request, deliveries: readonly EventAbout[]): Happened {
  const { say, at, can } = request
  const { id: event_id, type, created_at } = deliveries[0]!
  const sent = deliveries.flatMap((one) => {
    const { delivery_id, url, status: of, attempts, scheduled_attempts, next_attempt_at, last_response_status } = one
    if (delivery_id === null || url === null || of === null) return []
    const host = hostOf(url)
    const to = can('webhooks.read') ? html`<a href="${at(`/webhooks/deliveries/${delivery_id}`)}">${host}</a>` : host
    const answered =
      last_response_status === null
        ? ''
        : say(['réponse {answered}, essai {n}', 'answer {answered}, attempt {n}'], {
            answered: last_response_status,
            n: attempts ?? 0,
          })
    const delivery = { status: of, scheduled_attempts: scheduled_attempts ?? 0, next_attempt_at }
    const reply = answered !== '' && html` <span class="soft">${answered}</span>`
    return [html`<p>${to} ${deliveryStatus(request, delivery)}${reply}</p>`]
  })
  const event = can('webhooks.read') ? html`<a href="${at(`/events/${event_id}`)}">${id(event_id)}</a>` : id(event_id)
  const none = say(['Aucune adresse n’y est abonnée.', 'No endpoint subscribes to it.'])
  return {
    at: created_at,
    icon: 'bell',
    text: html`${say(['Événement', 'Event'])} ${id(type)}`,
    under: html`<p>${event}</p>${sent.length > 0 ? sent : html`<p class="soft">${none}</p>`}`,
  }
}

/** A person's decision as a part of the timeline. */
export function decisionEvent(
  { say, actor }: Request,
  names: Names,
  { at, person, words, under }: { at: Date; person: string; words: Words; under?: Html },
): Happened {
  const text = html`${say(words)} ${writePerson({ say, names, me: actor.person }, person)}`
  return { at, icon: 'person', text, ...(under === undefined ? {} : { under }) }
}
