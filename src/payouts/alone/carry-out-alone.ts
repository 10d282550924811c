import type { Act } from '../../acts/act.ts'
import { type LapseDeps, lapsesAt } from '../../acts/lapse-proposals.ts'
import { type Proof, performAct } from '../../acts/perform.ts'
import { confirmOwnKey } from '../../api-keys/confirm-key.ts'
import { findKeyOf } from '../../api-keys/find-keys.ts'
import { keyStatus } from '../../api-keys/states.ts'
import type { Clock } from '../../platform/clock.ts'
import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Actor, SCHEDULE } from '../../values/actor.ts'
import { tenantOf } from '../../values/caller.ts'
import type { SoloRefusal } from '../../values/solo-approval.ts'
import type { ApprovalDeps } from '../approval-facts.ts'
import { approveRequest } from '../decide-request.ts'
import { endHeldNoLonger, lapseTerms, whyTermsEnd } from './allow-single-person.ts'
import { ownApproval } from './approve-alone.ts'
import { endAlone, nounOf, refuseAlone } from './end-alone.ts'
import * as store from './store.ts'

/** The most terms that are read at once. A round reads them all. */
const TERMS_READ = 1_000
/** The most approvals of each kind in one round. */
const APPROVALS_MAX = 200

type Deps = ApprovalDeps &
  LapseDeps & {
    sql: Sql
    clock: Clock
    log: Log
    /** The approval of a batch. Passed in, because batches are a layer above. */
    approveBatch: Act<ApprovalDeps, unknown>
  }

/**
 * One round of the service, with a transaction for each item:
 * - Ends the terms that no longer hold, and the approvals that wait under them.
 * - Ends the approvals of keys that were confirmed or revoked otherwise. (A decision on a request or a batch ends the
 *   approval in its own transaction.)
 * - Carries out the approvals that are due. A refused one is recorded, and tried again until its request expires.
 *
 * An item that fails is logged and delays no other.
 */
export async function carryOutAlone(deps: Deps): Promise<void> {
  const { sql, log } = deps
  await endTerms(deps)
  const named = { task: 'approvals by one person', log, nameOf: ({ subject_id }: store.SoloApproval) => subject_id }
  const keys = await store.readKeyApprovals(sql, APPROVALS_MAX)
  await eachApart(keys, { ...named, act: (approval) => endIfKeyDecided(deps, approval) })
  const due = await store.readDueApprovals(sql, APPROVALS_MAX)
  await eachApart(due, { ...named, act: (approval) => carryOut(deps, approval) })
}

/** Ends all terms that no longer hold, a part at a time. */
async function endTerms(deps: Deps): Promise<void> {
  const { sql, log } = deps
  for (let after: number | undefined = 0; after !== undefined; ) {
    const terms = await store.readOpenTerms(sql, after, TERMS_READ)
    await eachApart(terms, {
      task: 'terms of one person',
      log,
      nameOf: ({ merchant_id }) => String(merchant_id),
      act: (one) => endUnlessHeld(deps, one),
    })
    after = terms[TERMS_READ - 1]?.merchant_id
  }
}

/** Ends terms that no longer hold. They do not come back by themselves: the staff have to propose new ones. */
async function endUnlessHeld({ sql, clock, proposal_days }: Deps, terms: store.SinglePersonTerms): Promise<void> {
  const why = await whyTermsEnd(sql, terms)
  if (why !== null) await endHeldNoLonger(sql, terms.merchant_id, SCHEDULE, why)
  else if (terms.confirmed_at === null && lapsesAt(terms, { proposal_days }) <= clock.now())
    await lapseTerms(sql, terms.merchant_id, proposal_days)
}

async function carryOut(deps: Deps, approval: store.SoloApproval): Promise<void> {
  const { sql } = deps
  await store.markTried(sql, approval)
  const by: Actor = {
    person: approval.approved_by,
    door: 'console',
    from: approval.from_address,
    step_up_id: approval.step_up_id,
  }
  const call = { by, id: approval.subject_id, within: tenantOf(approval), values: {} }
  // The person gave the factor a day ago, for this approval.
  const proof: Proof = { step_up_id: approval.step_up_id, use: async () => null }
  const noun = nounOf(approval)
  if (noun === 'key') {
    if (!(await endIfKeyDecided(deps, approval)))
      await confirmOwnKey(deps, tenantOf(approval), approval.subject_id, by, ownApproval(approval, by.person))
    return
  }
  const done =
    noun === 'payout_batch'
      ? await performAct(deps.approveBatch, deps, call, proof)
      : await performAct(approveRequest, deps, call, proof)
  if (done.kind === 'refused' && isKept(done.code)) await refuseAlone(sql, approval, done.code)
}

/** Whether a refusal is to be recorded. After any other the approval has ended, or its request is about to expire. */
function isKept(code: string): code is SoloRefusal {
  return (['insufficient_funds', 'merchant_inactive', 'beneficiary_archived', 'unchecked'] as string[]).includes(code)
}

/** Ends the approval of a key that was confirmed otherwise, or revoked. False when the key still waits. */
async function endIfKeyDecided({ sql }: Deps, approval: store.SoloApproval): Promise<boolean> {
  const key = await findKeyOf(sql, approval, approval.subject_id)
  const status = key === null ? 'revoked' : keyStatus(key)
  if (status === 'to_confirm') return false
  await sql.begin((tx) => endAlone(tx, approval, status === 'revoked' ? 'revoked' : 'decided', SCHEDULE))
  return true
}
