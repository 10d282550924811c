import { type ActDecision, defineAct, type RefusalWords, refuse, row } from '../acts/act.ts'
import { type Fact, francs } from '../acts/facts.ts'
import { recordActs } from '../audit-log/record-act.ts'
import { createdOf, lockBook } from '../beneficiaries/create-destination.ts'
import type { CoolingDeps } from '../beneficiaries/decide-destination.ts'
import { designateOwn } from '../beneficiaries/designate-own.ts'
import { accountFacts } from '../beneficiaries/destination-facts.ts'
import {
  aloneRefusals,
  readFirstDestination,
  readOwnersToTell,
  tellOfDestination,
  whyNotAlone,
} from '../beneficiaries/first-destination.ts'
import * as book from '../beneficiaries/store.ts'
import type { CollectsFromNumber } from '../operators/collects-from-number.ts'
import { readInstructionsIn } from '../operators/store.ts'
import type { PaymentRow } from '../payments/payment.ts'
import { lockPayments } from '../payments/store.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { type NumberProof, PROOF_HOURS, readProof } from './number-proofs.ts'
import { readSession } from './store.ts'

/** @property from_number whether its money came from the wallet of its number, whoever opened the operator's page */
type Paid = Pick<PaymentRow, 'status' | 'msisdn' | 'operator' | 'succeeded_at'> & { readonly from_number: boolean }

/** Why a payment does not prove the number. Null: it does. Pure. @param payment the last attempt; null: nobody was asked */
export function whyNotProven(
  proof: Pick<NumberProof, 'msisdn' | 'operator'>,
  payment: Paid | null,
  now: Date,
): keyof typeof proofRefusals | null {
  if (payment === null) return 'not_paid'
  const { status, msisdn, operator, from_number, succeeded_at } = payment
  if (status === 'refunded' || status === 'partially_refunded') return 'refunded'
  if (status !== 'succeeded' || succeeded_at === null) return 'not_paid'
  if (msisdn !== proof.msisdn || operator !== proof.operator) return 'other_number'
  if (!from_number) return 'any_wallet'
  return now.getTime() - succeeded_at.getTime() > PROOF_HOURS * 3_600_000 ? 'too_old' : null
}

const proofRefusals = {
  not_paid: [
    'Les 100 F CFA ne sont pas encore payés. Rien n’est choisi.',
    'The 100 francs are not paid yet. Nothing is chosen.',
  ],
  refunded: [
    'Ce paiement est rendu : il ne prouve plus le numéro. Recommencez.',
    'This payment was refunded: it proves the number no more. Begin again.',
  ],
  other_number: [
    'Un autre numéro a payé : ce paiement ne prouve pas le vôtre. Recommencez.',
    'Another number paid: this payment does not prove yours. Begin again.',
  ],
  any_wallet: [
    'La page de cet opérateur laisse payer un autre numéro : ce paiement ne prouve pas le vôtre. Prenez un compte avec notre rappel.',
    'The page of this operator lets another number pay: this payment does not prove yours. Take an account with our call.',
  ],
  too_old: [
    'Ce paiement date de plus d’un jour. Recommencez avec 100 F CFA.',
    'This payment is more than a day old. Begin again with 100 francs.',
  ],
} as const satisfies Record<string, RefusalWords>

const refusals = {
  ...aloneRefusals,
  ...proofRefusals,
  other_person: [
    'Une autre personne a demandé ce paiement : elle choisit son numéro elle-même.',
    'Another person asked for this payment: they choose their number themselves.',
  ],
  other_operator: [
    'Ce numéro est déjà au carnet chez un autre opérateur. Prenez ce compte avec notre rappel.',
    'This number is in the address book with another operator already. Take that account with our call.',
  ],
} as const satisfies Record<string, RefusalWords>

/** @property collectsFromNumber whether the connector of a collection takes the money from its number alone */
export type ChooseDeps = { readonly collectsFromNumber: CollectsFromNumber }

/** Locks a payment, and reads whether the connector that collected it, perhaps after others, took its number's money. */
async function lockPaid(tx: Tx, key: Tenant & { readonly payment_id: string }, collectsFromNumber: CollectsFromNumber) {
  const [payment] = await lockPayments(tx, [key])
  const [collected] = await readInstructionsIn(tx, ['confirmed'], [{ ...tenantOf(key), subject_id: key.payment_id }])
  return { ...payment!, from_number: collected !== undefined && collectsFromNumber(collected) }
}

/** Locks the payment, then the book and its destinations, in the lock order. */
async function loadChoice(
  tx: Tx,
  by: Actor,
  tenant: Tenant,
  { session_id, collectsFromNumber }: ChooseDeps & { readonly session_id: string },
) {
  const proof = await readProof(tx, { ...tenantOf(tenant), session_id })
  const session = proof && (await readSession(tx, { ...tenantOf(tenant), session_id }))
  if (proof === null || session === null) return null
  const { payment_id } = session
  const payment =
    payment_id === null ? null : await lockPaid(tx, { ...tenantOf(tenant), payment_id }, collectsFromNumber)
  await lockBook(tx, tenant)
  await book.lockDestinations(tx, tenant)
  const { msisdn, operator, holder } = proof
  const account = { ...tenantOf(tenant), kind: 'settlement', msisdn, iban: null } as const
  const entry = { ...account, id: crypto.randomUUID(), label: null, name: holder, added_by: by.person, operator }
  const known = await book.readActive(tx, entry)
  const designated = await book.readDesignated(tx, tenant)
  const first = await readFirstDestination(tx, tenant)
  const owners = await readOwnersToTell(tx, tenant.merchant_id, first.deciders)
  return { about: tenantOf(tenant), proof, payment, entry, known, designated, first, owners }
}

/**
 * Chooses a number that a payment proved as the first destination of a merchant of one person. Its cooling-off begins, and all owners are told. Any
 * other destination takes two people.
 */
export const chooseOwnNumber = defineAct({
  name: 'destination.choose_own',
  summary: 'Choose the own number that a payment proved, as the first destination of a merchant of one person',
  title: ['Choisir mon numéro', 'Choose my number'],
  right: 'destination.propose',
  fresh: true,
  on: row('cs', 'proof of a number', { option: 'session', place: 'named' }),
  fields: {},
  async load(tx, { by, id, within }, { settlementRules, collectsFromNumber }: CoolingDeps & ChooseDeps) {
    const has = await loadChoice(tx, by, within as Tenant, { session_id: id, collectsFromNumber })
    return has && { ...has, cooling_hours: settlementRules.destination_cooling_hours }
  },
  facts: {
    ...accountFacts,
    paid: francs(['Prouvé par un paiement de', 'Proven by a payment of']),
    cooling_hours: {
      name: ['Sert', 'In use'],
      write: (hours) => [`${hours} h plus tard`, `${hours} h later`],
    } satisfies Fact<number>,
  },
  content({ proof, known, payment, cooling_hours }) {
    const { msisdn: account, operator, holder } = proof
    const entry = { operator: known?.operator ?? operator, holder: known?.name ?? holder }
    return { account, ...entry, paid: payment?.amount ?? null, cooling_hours }
  },
  decide({ by }, has, now): ActDecision<null, keyof typeof refusals> {
    const { about, proof, payment, entry, known, designated, first, owners } = has
    const isOwn = !isIndependentApprover(proof.person, by.person)
    // A second tap, or another window of the same person.
    if (isOwn && known !== null && designated?.id === known.id) return { kind: 'unchanged', result: null }
    if (!isOwn) return refuse('other_person')
    const why = whyNotAlone(first, by.person) ?? whyNotProven(proof, payment, now)
    if (why !== null) return refuse(why)
    if (known !== null && known.operator !== proof.operator) return refuse('other_operator')
    const id = known?.id ?? entry.id
    const new_entry = known === null ? entry : null
    const { session_id: proof_session_id } = proof
    const own = designateOwn({ ...about, id, new_entry, person: by.person, proof_session_id })
    const created = { ...about, actor: by, act: 'destination.create' as const, subject: id, after: createdOf(entry) }
    return {
      kind: 'accepted',
      effects: [...(known === null ? [recordActs(created)] : []), own, ...tellOfDestination(about, id, owners)],
      result: null,
      subject: id,
      after: { id, proof_session_id },
    }
  },
  refusals,
  // Another window chose meanwhile.
  conflicts: { destination_proposals_own: 'not_first' },
})
