import { canDecideOn, type Decider, readDecider } from '../../acts/second-person.ts'
import { type Deciders, hasSecond, readDeciders } from '../../beneficiaries/destination-deciders.ts'
import { readDestination } from '../../beneficiaries/destination-store.ts'
import {
  type ActiveDestination,
  type ProposalRow,
  readActiveDestinations,
  readPast,
  readWaiting,
} from '../../beneficiaries/proposal-store.ts'
import { type DesignatedDestination, readDesignated } from '../../beneficiaries/store.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { isIndependentApprover } from '../../values/independent-approver.ts'
import type { Right } from '../../values/rights.ts'
import { readNames } from '../approvals/waiting.ts'
import type { Names } from '../approvals/words.ts'
import { type AskDeps, type AskDestination, type AskFacts, readAsk } from '../settlements/ask-facts.ts'
import { type OwnNumber, type OwnNumberDeps, readOwnNumber } from './own-number-facts.ts'

export type DestinationDeps = OwnNumberDeps & AskDeps

/** The number of past proposals on the page. */
const PAST_SHOWN = 20

/**
 * The reasons why a person cannot decide a proposal: it is their own, they let in the person who made it, they lack the right, or one of the two must
 * be an owner. `own_company` and `company`: two people of the company decide, on their own or another person's.
 */
export type NotYours = 'own' | 'let_in' | 'no_right' | 'no_owner' | 'own_company' | 'company'

export type WaitingProposal = ProposalRow & {
  /** The whole account, for a person who decides. Null for others. */
  readonly account: string | null
  /** Null when this person may decide. */
  readonly not_yours: NotYours | null
}

/** Francs that can be withdrawn now, and where they go. */
export type Withdrawable = { readonly available: number; readonly destination: AskDestination }

export type DestinationFacts = {
  readonly designated: DesignatedDestination | null
  readonly waiting: WaitingProposal | null
  /** Decided proposals, newest first. */
  readonly past: readonly ProposalRow[]
  /** The other destinations of the book. */
  readonly known: readonly ActiveDestination[]
  readonly cooling_hours: number
  /** Whether another person could confirm this person's proposal. */
  readonly has_second: boolean
  /** Whether this person is an owner. One who is alone has the company as second person. */
  readonly is_owner: boolean
  /** The francs that this person can withdraw to the present destination before a change. Null: nothing now. */
  readonly withdrawable: Withdrawable | null
  /** The choice of a number of their own, for an owner who may make it alone. Null for others. */
  readonly own_number: OwnNumber | null
  readonly names: Names
}

type Reader = { readonly person: string; readonly can: (right: Right) => boolean }

/** Reads a merchant's destination for settlements, the proposal that waits, and past ones. */
export async function readDestinations(
  deps: DestinationDeps,
  tenant: Tenant,
  reader: Reader,
): Promise<DestinationFacts> {
  const { sql, settlementRules } = deps
  const cooling_hours = settlementRules.destination_cooling_hours
  const [designated, proposal, past, all, owners, own_number, ask, names] = await Promise.all([
    readDesignated(sql, tenant, cooling_hours),
    readWaiting(sql, tenant),
    readPast(sql, tenant, PAST_SHOWN),
    readActiveDestinations(sql, tenant),
    readDeciders(sql, tenant.merchant_id),
    reader.can('destination.propose') ? readOwnNumber(deps, tenant, reader.person) : null,
    reader.can('settlements.request') ? readAsk(deps, tenant) : null,
    readNames(sql, tenant),
  ])
  const not_yours = proposal === null ? null : notYours(proposal, await readerOf(sql, reader), owners)
  const waiting =
    proposal === null
      ? null
      : { ...proposal, not_yours, account: not_yours === null ? await accountOf(sql, tenant, proposal) : null }
  const has_second = hasSecond(owners, reader.person)
  const known = all.filter(({ id }) => id !== designated?.id)
  const is_owner = owners.get(reader.person)?.owner === true
  const withdrawable = ask && withdrawableOf(ask)
  return { designated, waiting, past, known, cooling_hours, has_second, is_owner, withdrawable, own_number, names }
}

function withdrawableOf({ available, floor, active, destination }: AskFacts): Withdrawable | null {
  const serves = active && destination?.has_cooled && available >= floor
  return serves ? { available, destination } : null
}

async function accountOf(sql: Sql, tenant: Tenant, { beneficiary_id: id }: ProposalRow): Promise<string> {
  return (await readDestination(sql, { ...tenant, id })).account
}

const readerOf = async (sql: Sql, { person, can }: Reader) => ({ can, ...(await readDecider(sql, person)) })

function notYours(
  { proposed_by, by_company }: ProposalRow,
  { can, ...decider }: Decider & Reader,
  deciders: Deciders,
): NotYours | null {
  const { person } = decider
  const isOwn = !isIndependentApprover(proposed_by, person)
  if (by_company) return isOwn ? 'own_company' : 'company'
  if (isOwn) return 'own'
  if (!canDecideOn(decider, [proposed_by])) return 'let_in'
  if (!can('destination.confirm')) return 'no_right'
  const hasOwner = [person, proposed_by].some((one) => deciders.get(one)?.owner === true)
  return hasOwner ? null : 'no_owner'
}

/** Reads the proposal that waits for this person, for the first page. Null when none does. */
export async function readProposalFor(sql: Sql, tenant: Tenant, reader: Reader): Promise<ProposalRow | null> {
  const proposal = await readWaiting(sql, tenant)
  if (proposal === null) return null
  return notYours(proposal, await readerOf(sql, reader), await readDeciders(sql, tenant.merchant_id)) === null
    ? proposal
    : null
}
