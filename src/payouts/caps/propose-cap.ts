import { recordAct } from '../../audit-log/record-act.ts'
import { lockMerchant } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { violatedConstraint } from '../../platform/postgres/failures.ts'
import type { Actor } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import { newId } from '../../values/ids.ts'
import type { CapName, CapProposal } from './cap-proposal.ts'
import { insertProposal } from './proposal-store.ts'
import { readCaps, type UsualLimits } from './read-caps.ts'
import { changeCaps } from './set-caps.ts'

export type CapProposed =
  /** As low as it was, or lower: it holds from the next payout on. */
  | { kind: 'lowered' }
  /** Higher: it waits for a person of the team. */
  | { kind: 'proposed'; proposal: CapProposal }
  /** `already_waiting`: another rise of this cap waits. */
  | { kind: 'refused'; code: 'resource_not_found' | 'already_waiting' }

/**
 * Asks for another cap, in francs. A lower one holds at once, because it takes power from nobody but the merchant; a higher one waits
 * until another person confirms it.
 */
export async function proposeCap(
  { sql, clock, usual }: { sql: Sql; clock: Clock; usual: UsualLimits },
  tenant: Tenant,
  { cap, amount, reason }: { cap: CapName; amount: number; reason: string },
  by: Actor,
): Promise<CapProposed> {
  try {
    return await sql.begin(async (tx): Promise<CapProposed> => {
      if ((await lockMerchant(tx, tenant.merchant_id)) === null) return { kind: 'refused', code: 'resource_not_found' }
      const inForce = (await readCaps(tx, tenant, usual))[cap]
      if (amount === inForce) return { kind: 'lowered' }
      if (amount < inForce) {
        await changeCaps(tx, tenant, { [cap]: amount }, { actor: by, act: 'caps.set' })
        return { kind: 'lowered' }
      }
      const proposal: CapProposal = {
        merchant_id: tenant.merchant_id,
        livemode: tenant.livemode,
        ...{ id: newId('cap', clock.milliseconds()), cap, amount, reason, status: 'proposed' },
        ...{ proposed_by: by.person, proposed_at: clock.now() },
        ...{ decided_by: null, decided_at: null, refusal_reason: null },
      }
      insertProposal(tx, proposal)
      const change = { before: { [cap]: inForce }, after: { [cap]: amount } }
      recordAct(tx, tenant, { actor: by, act: 'caps.propose', subject: proposal.id, ...change })
      return { kind: 'proposed', proposal }
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'cap_proposals_standing') throw error
    return { kind: 'refused', code: 'already_waiting' }
  }
}
