import { recordAct } from '../../audit-log/record-act.ts'
import { lockMerchant } from '../../merchants/store.ts'
import { maySecond } from '../../people/second-person.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import type { CapProposal } from './cap-proposal.ts'
import * as store from './proposal-store.ts'
import { changeCaps } from './set-caps.ts'

export type CapDecided =
  | { kind: 'decided'; proposal: CapProposal }
  | { kind: 'refused'; code: 'resource_not_found' | 'already_decided' | 'same_person' }

/**
 * Confirms a higher cap, or refuses it with a reason for the merchant. A confirmed cap applies from the next payout on.
 * The proposer cannot decide, nor whoever let them in within 90 days. Refusals in order of precedence: no such proposal, already decided, the same person.
 * @param refusal_reason null to confirm the cap
 */
export async function decideCapProposal(
  sql: Sql,
  id: string,
  { refusal_reason, by }: { refusal_reason: string | null; by: Actor },
): Promise<CapDecided> {
  const found = await store.findProposal(sql, id)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  if (found.status !== 'proposed') return { kind: 'refused', code: 'already_decided' }
  if (!(await maySecond(sql, [found.proposed_by], by.person))) return { kind: 'refused', code: 'same_person' }
  return sql.begin(async (tx): Promise<CapDecided> => {
    await lockMerchant(tx, found.merchant_id)
    const status = refusal_reason === null ? 'approved' : 'refused'
    const proposal = await store.decideProposal(tx, found, { status, decided_by: by.person, refusal_reason })
    // Somebody decided it after we read it.
    if (proposal === null) return { kind: 'refused', code: 'already_decided' }
    if (refusal_reason === null) {
      await changeCaps(
        tx,
        proposal,
        { [proposal.cap]: proposal.amount },
        { actor: by, act: 'caps.approve', subject: id },
      )
    } else {
      const change = { before: { status: found.status }, after: { status, [proposal.cap]: proposal.amount } }
      recordAct(tx, proposal, { actor: by, act: 'caps.refuse', subject: id, ...change })
    }
    return { kind: 'decided', proposal }
  })
}
