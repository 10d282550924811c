import { maySecond } from '../acts/second-person.ts'
import { recordAct } from '../audit-log/record-act.ts'
import { readEffectiveRoles } from '../people/store.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { designateLocked } from './designate-destination.ts'
import * as proposals from './proposal-store.ts'
import * as store from './store.ts'

/** A decision on a proposal. The proposer withdraws it; another person confirms or refuses it, with a reason of 1 to 500 characters. */
export type WantedDecision = { status: 'confirmed' } | { status: 'refused'; reason: string } | { status: 'withdrawn' }

export type DecideRefusal =
  | 'resource_not_found'
  | 'already_decided'
  | 'same_person'
  | 'not_proposer'
  | 'destination_archived'
  | 'no_owner'

export type ProposalDecided =
  | { kind: 'decided'; proposal: proposals.ProposalRow }
  | { kind: 'refused'; code: DecideRefusal }

/**
 * Decides a proposal that waits. A confirmation comes from a second person, who did not let the first one in within 90 days, and one of the two is an owner. From then on settlements go only
 * to this destination, and its cooling-off begins; requests before its end are refused.
 *
 * Refusals, in order of precedence: an unknown proposal, a decided one, the wrong person, a destination that is no longer in the book, two
 * people of whom none is an owner.
 */
export async function decideDestination(
  sql: Sql,
  key: proposals.ProposalKey,
  wanted: WantedDecision,
  by: Actor,
): Promise<ProposalDecided> {
  const refused = (code: DecideRefusal): ProposalDecided => ({ kind: 'refused', code })
  return sql.begin(async (tx): Promise<ProposalDecided> => {
    // Every change of a designation takes this lock first, so that the second of two simultaneous decisions sees the first.
    const destinations = await store.lockDestinations(tx, key)
    const proposal = await proposals.readProposal(tx, key)
    if (proposal === null) return refused('resource_not_found')
    const { status: before, beneficiary_id, proposed_by } = proposal
    if (before !== 'proposed') return refused('already_decided')
    const { status } = wanted
    if (status === 'withdrawn' && proposed_by !== by.person) return refused('not_proposer')
    if (status !== 'withdrawn' && !(await maySecond(tx, [proposed_by], by.person))) return refused('same_person')
    const entry = { ...key, id: beneficiary_id }
    if (status === 'confirmed' && !destinations.some(({ id }) => id === beneficiary_id))
      return refused('destination_archived')
    const owner = status === 'confirmed' ? await ownerAmong(tx, key.merchant_id, [by.person, proposed_by]) : null
    if (status === 'confirmed' && owner === null) return refused('no_owner')
    const reason = wanted.status === 'refused' ? wanted.reason : null
    const decided = await proposals.decideWaiting(tx, key, { status, decided_by: by.person, owner, reason })
    if (!decided) return refused('already_decided')
    if (status === 'confirmed') {
      await designateLocked(tx, entry, destinations, { since: null, by, proposal_id: key.id })
    } else {
      const act = status === 'refused' ? 'destination.refuse' : 'destination.withdraw'
      const after = { status, proposal_id: key.id }
      recordAct(tx, key, { actor: by, act, subject: beneficiary_id, before: { status: before }, after })
    }
    return { kind: 'decided', proposal: (await proposals.readProposal(tx, key))! }
  })
}

/** Finds the first of these people with an effective role of owner at the merchant. Null when there is none. */
async function ownerAmong(tx: Tx, merchant_id: number, people: readonly string[]): Promise<string | null> {
  for (const person of people) {
    const roles = await readEffectiveRoles(tx, person, merchant_id)
    if (roles.some((role) => role.merchant_id === merchant_id && role.role === 'owner')) return person
  }
  return null
}
