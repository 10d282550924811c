import { findActivePayoutBeneficiaries, findNumbers } from '../beneficiaries/find-beneficiaries.ts'
import type { MerchantSettings } from '../merchants/fees.ts'
import { payoutFees, type WantedDestination } from '../payouts/create-payout.ts'
import { lockMeans, type UsualCaps } from '../payouts/means.ts'
import { countUse } from '../payouts/start-payout.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { claimKeys, decidedByClaim, keepAnswers } from '../platform/http/idempotency.ts'
import type { Idempotency } from '../platform/http/route.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { type Caller, type Tenant, tenantKey } from '../words/caller.ts'
import { newId } from '../words/ids.ts'
import { operatorOfPrefix } from '../words/msisdn.ts'
import { type BatchRow, type LineRow, viewBatch } from './batch.ts'
import * as store from './store.ts'

/** A batch as it was asked for, every line read. */
export type BatchOrder = {
  reference: string | null
  lines: readonly { amount: number; destination: WantedDestination; reference: string | null }[]
}

export type CreateBatchResult =
  | { kind: 'created' | 'replayed'; status: number; text: string }
  | { kind: 'refused'; code: 'idempotency_in_progress' | 'idempotency_key_reused' | 'merchant_inactive' }
  /** The line of this rank names an entry that is not in the book, or archived. */
  | { kind: 'refused'; code: 'invalid_beneficiary'; rank: number }

export type CreateBatchDeps = {
  sql: Sql
  clock: Clock
  settings: (merchant_id: number) => MerchantSettings | Promise<MerchantSettings>
  caps: UsualCaps
}

/**
 * Creates a batch; nothing is sent, and nothing comes to the book: that happens when it is executed. All or nothing: one wrong line
 * refuses the whole and leaves nothing behind. Above the cap of 24 hours, which counts the total, it waits for a person.
 */
export async function createBatch(
  deps: CreateBatchDeps,
  caller: Caller,
  idempotency: Idempotency,
  order: BatchOrder,
): Promise<CreateBatchResult> {
  const asked_at = deps.clock.now()
  const { fee_schedules } = await deps.settings(caller.merchant_id)
  const { merchant_id, livemode } = caller
  const tenant = { merchant_id, livemode }
  const result = await deps.sql.begin(async (tx): Promise<CreateBatchResult> => {
    const [claim] = await claimKeys(tx, [{ ...tenant, ...idempotency }])
    const decided = decidedByClaim(claim!)
    if (decided !== null) return decided
    const fromBook = await findBookDestinations(tx, tenant, order)
    const unknown = order.lines.findIndex(
      ({ destination }) => destination.kind === 'book' && !fromBook.has(destination.beneficiary_id.toLowerCase()),
    )
    if (unknown !== -1) return { kind: 'refused', code: 'invalid_beneficiary', rank: unknown + 1 }
    if (!caller.merchant_active) return { kind: 'refused', code: 'merchant_inactive' }

    const locked = await lockMeans(tx, [tenant], deps.caps)
    const means = locked.get(tenantKey(tenant))!
    const destinations = await destinationsOf(tx, tenant, order, fromBook)
    const lines = order.lines.map(({ amount, reference }, at): LineRow => {
      const { fee_amount } = payoutFees(fee_schedules, amount, asked_at)
      const rank = at + 1
      return {
        ...destinations[at]!,
        rank,
        status: 'pending',
        amount,
        fee_amount,
        reference,
        payout_id: null,
        failure_code: null,
      }
    })
    const total_amount = lines.reduce((sum, { amount }) => sum + amount, 0)
    const aboveCap = means.used + total_amount > means.caps.day
    const batch: BatchRow = {
      ...tenant,
      id: newId('pob', deps.clock.milliseconds()),
      status: aboveCap ? 'en_attente_validation' : 'brouillon',
      reference: order.reference,
      currency: 'XOF',
      total_amount,
      line_count: lines.length,
      made_by: `key:${caller.key_id}`,
      approved_at: null,
      created_at: deps.clock.now(),
      executed_at: null,
      finished_at: null,
    }
    const text = JSON.stringify(viewBatch(batch, lines))
    keepAnswers(tx, [{ ...tenant, ...idempotency, status: 201, body: text }])
    // A batch that waits counts as well, so that what waits cannot pass the cap together.
    const use = { ...tenant, subject_id: batch.id, amount: total_amount, window: means.window }
    await applyEffects(tx, [countUse(use)], batch.created_at)
    await Promise.all([store.insertBatch(tx, batch), store.insertLines(tx, { ...tenant, batch_id: batch.id }, lines)])
    return { kind: 'created', status: 201, text }
  })
  crashPoint('after_commit_before_ack')
  return result
}

type LineDestination = Pick<
  LineRow,
  'beneficiary_id' | 'archived_before' | 'is_inline' | 'name' | 'label' | 'msisdn' | 'operator'
>

/** The lines' entries of the book by their id; an unknown, archived or malformed one is absent. */
async function findBookDestinations(
  tx: Tx,
  tenant: Tenant,
  { lines }: BatchOrder,
): Promise<Map<string, LineDestination>> {
  const wanted = lines.flatMap(({ destination }) =>
    destination.kind === 'book' ? [{ ...tenant, id: destination.beneficiary_id }] : [],
  )
  const rows = wanted.length > 0 ? await findActivePayoutBeneficiaries(tx, wanted) : []
  return new Map(
    rows.map(({ id, name, label, msisdn, operator }) => [
      id,
      { beneficiary_id: id, archived_before: null, is_inline: false, name, label, msisdn, operator },
    ]),
  )
}

/** Every line's destination, in order. Those named inline take their label from the book, where the number is in it. */
async function destinationsOf(
  tx: Tx,
  tenant: Tenant,
  { lines }: BatchOrder,
  fromBook: ReadonlyMap<string, LineDestination>,
): Promise<LineDestination[]> {
  const numbers = await findNumbers(
    tx,
    tenant,
    lines.flatMap(({ destination }) => (destination.kind === 'inline' ? [destination.msisdn] : [])),
  )
  return lines.map(({ destination }) => {
    if (destination.kind === 'book') return fromBook.get(destination.beneficiary_id.toLowerCase())!
    const { msisdn, name } = destination
    const operator = destination.operator ?? operatorOfPrefix(msisdn)
    const { label, archived } = numbers.get(msisdn.e164)!
    const about = { name, label, msisdn: msisdn.e164, operator }
    return { beneficiary_id: null, archived_before: archived, is_inline: true, ...about }
  })
}
