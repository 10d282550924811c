import type { ScreenAnswer } from '../../console/screen.ts'
import type { NameMatch } from '../../operators/port.ts'
import { readBatchToDecide } from '../../payout-batches/approval-store.ts'
import { type RequestToDecide, readRequestToDecide } from '../../payouts/approval-store.ts'
import { isOfMakersSide } from '../../payouts/makers-side.ts'
import { findHolders } from '../../people/find-persons.ts'
import { tenantOf } from '../../values/caller.ts'
import { expiringWords, readAlone, readLast } from './alone-part.ts'
import { batchView } from './batch-view.ts'
import type { ApprovalRequest, Refused } from './parts.ts'
import { readBatchFacts } from './read-batch.ts'
import { type ReadDeps, readPayoutOf, readRequestFacts } from './read-request.ts'
import { type RefusalOfDecision, refusalWords } from './refusal-words.ts'
import { requestView } from './request-view.ts'
import { type Act, isSettled, settledView } from './settled-view.ts'
import { type Approval, readApprovals, readNames } from './waiting.ts'

/** Finds the request or batch of the address. Null when it is not this merchant's, or not of this mode. */
export async function findApproval({ tenant, params }: ApprovalRequest, { sql }: ReadDeps): Promise<Approval | null> {
  const [, prefix] = /^(por|pob)_[0-9a-z]{26}$/.exec(params.id ?? '') ?? []
  const id = params.id!
  if (prefix === 'por') {
    const row = await readRequestToDecide(sql, { ...tenant, request_id: id })
    return row && { kind: 'request', row }
  }
  if (prefix === undefined) return null
  const row = await readBatchToDecide(sql, { ...tenant, batch_id: id })
  return row && { kind: 'batch', row }
}

/** Shows the page of the current request or batch. */
export async function showApproval(
  request: ApprovalRequest,
  deps: ReadDeps,
  approval: Approval,
  news: { tried?: Act; refused?: RefusalOfDecision; name_check?: NameMatch } = {},
): Promise<ScreenAnswer> {
  const names = await readNames(deps.sql, request.tenant)
  if (isSettled(approval)) {
    const [payout, alone, next] = await Promise.all([
      approval.kind === 'request' ? readPayoutOf(deps.sql, approval.row) : null,
      readLast(deps.sql, request, approval.row.id),
      firstWaiting(request, deps),
    ])
    return settledView(request, { settled: { ...approval, payout, alone }, names, next, tried: news.tried ?? null })
  }
  const refused = news.refused === undefined ? null : refusedOf(request, approval, news.refused)
  const independent = await isIndependent(request, deps, approval)
  const alone = independent ? null : await readAlone(deps.sql, request, approval)
  if (approval.kind === 'batch') {
    return batchView(request, { facts: await readBatchFacts(deps, approval.row), names, independent, alone, refused })
  }
  const facts = await readRequestFacts(deps, approval.row)
  const deciders = independent ? [] : await readDeciders(deps.sql, approval.row)
  const name_check = news.name_check ?? null
  return requestView(request, { facts, names, independent, deciders, alone, name_check, refused })
}

function refusedOf(
  request: ApprovalRequest,
  { kind, row }: Approval,
  code: RefusalOfDecision,
): Refused & { code: RefusalOfDecision } {
  const words =
    code === 'expires_first' && kind === 'request' ? expiringWords(request, row) : refusalWords(request, code)
  return { code, ...words }
}

/** Whether this person is not on the maker's side. The operation checks the same. */
export async function isIndependent(
  { tenant, actor }: ApprovalRequest,
  { sql }: ReadDeps,
  { row }: Approval,
): Promise<boolean> {
  return !(await isOfMakersSide(sql, tenant, row.made_by, actor.person))
}

/** Reads the people who may decide on a request, for its maker. */
async function readDeciders(sql: ReadDeps['sql'], row: RequestToDecide): Promise<string[]> {
  const holders = await findHolders(sql, row.merchant_id, 'payouts.approve')
  const may = await Promise.all(
    holders.map(async (person) => !(await isOfMakersSide(sql, tenantOf(row), row.made_by, person))),
  )
  return holders.filter((_, at) => may[at])
}

/** Finds the first one that waits for this person. Null when nothing does, or they may not decide. */
async function firstWaiting({ tenant, actor, can }: ApprovalRequest, { sql }: ReadDeps): Promise<Approval | null> {
  if (!can('payouts.approve')) return null
  const wanted = { person: actor.person, part: 'waiting' as const, limit: 1, after: null }
  return (await readApprovals(sql, tenant, wanted)).rows[0] ?? null
}
