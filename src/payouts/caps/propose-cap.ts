import { recordAct } from '../../audit-log/record-act.ts'
import { lockMerchant, readPaymentUndo } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { violatedConstraint } from '../../platform/postgres/failures.ts'
import type { Actor } from '../../values/actor.ts'
import type { Tenant } from '../../values/caller.ts'
import { newId } from '../../values/ids.ts'
import type { CapName, CapProposal } from './cap-proposal.ts'
import { type CapAsker, judgeWish, undoAfter } from './judge-wish.ts'
import { insertProposal } from './proposal-store.ts'
import { readCaps, type UsualLimits } from './read-caps.ts'
import { changeCaps } from './set-caps.ts'

export type CapProposed =
  /** Unchanged, lowered, or restored by the owner: it applies at once. */
  | { kind: 'saved' }
  /** Raised: it waits for one of the staff. */
  | { kind: 'proposed'; proposal: CapProposal }
  /**
   * `owner_only`: only an owner may lower the cap of a payment. `already_waiting`: another proposal for this cap waits.
   */
  | { kind: 'refused'; code: 'resource_not_found' | 'owner_only' | 'already_waiting' }

/**
 * Asks for another cap, in francs.
 * - A lower cap of payouts applies at once, because it limits only the merchant itself.
 * - A higher cap waits until a second person confirms it.
 * - A lower cap of a payment refuses payers, so only an owner of the merchant may set it. The owner can restore the old
 *   cap at once, for 24 hours.
 */
export async function proposeCap(
  { sql, clock, usual }: { sql: Sql; clock: Clock; usual: UsualLimits },
  tenant: Tenant,
  { cap, amount, reason }: { cap: CapName; amount: number; reason: string },
  by: Actor,
  asker: CapAsker,
): Promise<CapProposed> {
  try {
    return await sql.begin(async (tx): Promise<CapProposed> => {
      if ((await lockMerchant(tx, tenant.merchant_id)) === null) return { kind: 'refused', code: 'resource_not_found' }
      const in_force = (await readCaps(tx, tenant, usual))[cap]
      const undo = await readPaymentUndo(tx, tenant.merchant_id)
      const move = judgeWish({ cap, amount }, { in_force, undo }, asker)
      if (move === 'same') return { kind: 'saved' }
      if (move === 'owner_only') return { kind: 'refused', code: 'owner_only' }
      if (move !== 'proposed') {
        const left = asker === 'owner' ? undoAfter(move, { amount, in_force, undo, now: clock.now() }) : null
        await changeCaps(tx, tenant, { [cap]: amount }, { actor: by, act: 'caps.set' }, left)
        return { kind: 'saved' }
      }
      const proposal: CapProposal = {
        merchant_id: tenant.merchant_id,
        livemode: tenant.livemode,
        ...{ id: newId('cap', clock.milliseconds()), cap, amount, reason, status: 'proposed' },
        ...{ proposed_by: by.person, proposed_at: clock.now() },
        ...{ decided_by: null, decided_at: null, refusal_reason: null },
      }
      insertProposal(tx, proposal)
      const change = { before: { [cap]: in_force }, after: { [cap]: amount } }
      recordAct(tx, tenant, { actor: by, act: 'caps.propose', subject: proposal.id, ...change })
      return { kind: 'proposed', proposal }
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'cap_proposals_standing') throw error
    return { kind: 'refused', code: 'already_waiting' }
  }
}
