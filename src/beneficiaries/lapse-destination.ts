import { defineLapse } from '../acts/lapse-proposals.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import * as proposals from './proposal-store.ts'
import { lockDestinations } from './store.ts'

const writeEnd = defineEffect<proposals.ProposalRow>('destination proposal', proposals.updateProposals)

/** How a proposed destination lapses that nobody confirmed. Settlements go where they went. */
export const lapsingDestinations = defineLapse<proposals.ProposalRow>({
  table: 'destination_proposals',
  proposedAs: () => 'destination.propose',
  async lock(tx, id) {
    const key = await proposals.findProposal(tx, id)
    if (key === null) return null
    // Every change of a designation takes this lock first.
    await lockDestinations(tx, key)
    return proposals.readProposal(tx, key)
  },
  write: writeEnd,
})
