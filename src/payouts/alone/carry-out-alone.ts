import { confirmKey } from '../../api-keys/change-key.ts'
import { findKeyOf, keyStatus } from '../../api-keys/find-keys.ts'
import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import { type Actor, SYSTEM } from '../../values/actor.ts'
import { tenantOf } from '../../values/caller.ts'
import { readRequestToDecide } from '../approval-store.ts'
import { type ApprovalDeps, approveRequest } from '../decide-request.ts'
import { endSinglePerson, termsHold } from './allow-single-person.ts'
import { isRequest, mayDecideAlone, ownApproval } from './approve-alone.ts'
import * as store from './store.ts'

/** Merchants, and approvals of one, that a sweep looks at. */
const MERCHANTS_MAX = 1_000
const APPROVALS_MAX = 200

/**
 * Carries out what merchants of one person approved a day ago, and ends what holds no longer: a second person has the right, the team
 * allows it no more, or it was decided otherwise. A payout that the funds do not cover yet is tried again until its request expires.
 */
export async function carryOutAlone(deps: ApprovalDeps & { log: Log }): Promise<void> {
  const { sql, log } = deps
  const merchants = await store.readMerchantsAlone(sql, MERCHANTS_MAX)
  const apart = { task: 'approvals by one person', log, nameOf: String }
  await eachApart(merchants, { ...apart, act: (merchant_id) => settleMerchant(deps, merchant_id) })
}

async function settleMerchant(deps: ApprovalDeps, merchant_id: number): Promise<void> {
  const { sql } = deps
  const terms = await store.readTerms(sql, merchant_id)
  // The ordinary rule holds again, and for good: the team allows it anew, or not.
  if (terms !== null && !(await termsHold(sql, terms))) await endSinglePerson(sql, merchant_id, SYSTEM)
  for (const approval of await store.readAllSoloApprovals(sql, merchant_id, APPROVALS_MAX)) await settle(deps, approval)
}

async function settle(deps: ApprovalDeps, approval: store.SoloApproval): Promise<void> {
  const { sql } = deps
  const end = (outcome: store.SoloOutcome) =>
    sql.begin((tx) => store.endSoloApproval(tx, approval, outcome, SYSTEM.person))
  const decided_by = await deciderOf(deps, approval)
  if (decided_by !== null) return void (await end('decided'))
  if ((await mayDecideAlone(sql, approval.merchant_id, approval.approved_by)) !== null)
    return void (await end('not_alone'))
  if (!approval.is_due) return
  const by: Actor = {
    person: approval.approved_by,
    door: 'console',
    from: approval.from_address,
    step_up_id: approval.step_up_id,
  }
  if (isRequest(approval)) await approveRequest(deps, approval.subject_id, by)
  else await confirmKey(sql, tenantOf(approval), approval.subject_id, by, ownApproval(approval, by.person))
}

/** The person who has decided on it, `time` when it expired, or an empty text when nobody will; null: it waits. */
async function deciderOf({ sql }: ApprovalDeps, approval: store.SoloApproval): Promise<string | null> {
  const { subject_id } = approval
  if (isRequest(approval)) {
    const request = await readRequestToDecide(sql, { ...tenantOf(approval), request_id: subject_id })
    if (request === null) return ''
    return request.status === 'pending_approval' ? null : (request.decided_by ?? '')
  }
  const key = await findKeyOf(sql, approval, subject_id)
  if (key === null || key.revoked_at !== null) return ''
  return keyStatus(key) === 'to_confirm' ? null : (key.confirmed_by ?? '')
}
