import assert from 'node:assert/strict'
import type { Act, ActRefused } from '../../src/acts/act.ts'
import type { ActDeps } from '../../src/acts/perform.ts'
import * as batches from '../../src/payout-batches/decide-batch.ts'
import type { ApprovalDeps } from '../../src/payouts/approval-facts.ts'
import * as requests from '../../src/payouts/decide-request.ts'
import type { Actor } from '../../src/values/actor.ts'
import { perform } from './perform.ts'

type Deps = ActDeps & ApprovalDeps
/** Caps that only the approval of a request reads. */
const caps = { payout_cap_operation: 0, payout_cap_day: 0, unchecked_day_max: 200_000 }

type Decided<Kind extends string, Result> = ({ kind: Kind } & Result) | ActRefused

/** Decides as a command on the host does. */
async function decide<Kind extends string, Result>(
  kind: Kind,
  act: Act<Deps, Result>,
  deps: Deps,
  { id, by }: { id: string; by: Actor },
): Promise<Decided<Kind, Result>> {
  const performed = await perform(act, deps, { id, values: { decline_reason: null } }, by)
  assert.ok(performed.kind !== 'ask_again')
  return performed.kind === 'refused' ? performed : { kind, ...performed.result }
}

export const approveRequest = (deps: Deps, id: string, by: Actor) =>
  decide('approved', requests.approveRequest, deps, { id, by })
export const rejectRequest = (deps: ActDeps, id: string, by: Actor) =>
  decide('rejected', requests.rejectRequest, { ...deps, payoutCaps: caps }, { id, by })
export const approveBatch = (deps: ActDeps, id: string, by: Actor) =>
  decide('decided', batches.approveBatch, { ...deps, payoutCaps: caps }, { id, by })
export const rejectBatch = (deps: ActDeps, id: string, by: Actor) =>
  decide('decided', batches.rejectBatch, { ...deps, payoutCaps: caps }, { id, by })
