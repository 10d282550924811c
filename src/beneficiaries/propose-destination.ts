import { recordAct } from '../audit-log/record-act.ts'
import { notify } from '../people/notices/notify.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { beneficiaryIdIn } from './beneficiary.ts'
import * as proposals from './proposal-store.ts'
import * as store from './store.ts'

export type DestinationProposed =
  | { kind: 'proposed'; proposal: proposals.ProposalRow }
  | { kind: 'refused'; code: 'resource_not_found' | 'already_designated' | 'another_waits' }

/**
 * Proposes a destination of the book for settlements, as the first of two people. Nothing changes until a second person confirms. Repeating
 * one's own proposal returns the one that waits.
 *
 * Refusals, in order of precedence: no active settlement destination of this merchant, a designated one, another proposal that waits.
 * @param text the id of the destination
 */
export async function proposeDestination(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  text: string,
  by: Actor,
): Promise<DestinationProposed> {
  const id = beneficiaryIdIn(text)
  if (id === null) return { kind: 'refused', code: 'resource_not_found' }
  return sql.begin(async (tx): Promise<DestinationProposed> => {
    const key = { merchant_id, livemode, id }
    const destinations = await store.lockDestinations(tx, key)
    const destination = destinations.find((one) => one.id === id)
    if (destination === undefined) return { kind: 'refused', code: 'resource_not_found' }
    if (destination.designated_at !== null) return { kind: 'refused', code: 'already_designated' }
    const waiting = await proposals.readWaiting(tx, key)
    if (waiting !== null) {
      const isSame = waiting.beneficiary_id === id && waiting.proposed_by === by.person
      return isSame ? { kind: 'proposed', proposal: waiting } : { kind: 'refused', code: 'another_waits' }
    }
    await proposals.insertProposal(tx, key, id, by.person)
    const proposal = (await proposals.readWaiting(tx, key))!
    const after = { status: proposal.status, proposal_id: proposal.id }
    recordAct(tx, key, { actor: by, act: 'destination.propose', subject: id, after })
    notify(tx, { name: 'destination_proposed', about: { merchant_id, livemode }, subject: id, except: [by.person] })
    return { kind: 'proposed', proposal }
  })
}
