import { randomUUID } from 'node:crypto'
import { type Balances, readBalances } from '../../src/ledger/balances.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { nextRank } from '../harness/borrow-stand.ts'
import { depositToTransfer } from '../harness/fill-transfer.ts'
import type { Installation } from '../harness/installation.ts'
import type { Merchant, Mode } from '../harness/merchant.ts'
import { mode as ofTests } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Answer, Asked } from './ask.ts'
import { type Batch, checkBatch, checkPayout, type Payout } from './payout-answers.ts'

export const PAYOUTS = '/v1-payouts'
export const BATCHES = '/v1-payout-batches'

/**
 * Long enough for every awaited condition, also on a machine that is busy with other tests. A job of a worker that was killed is free 30
 * to 40 s later, when its lease has run out.
 */
export const PATIENCE = { deadline_ms: 60_000 }

/** A merchant that sends money, in one mode, with short functions for its calls. */
export type Sender = {
  merchant: Merchant
  tenant: Tenant
  /** Its key with the scope `payout`. */
  key: string
  key_id: string
  /** The options `--merchant … --mode …`. */
  words: string[]
  /** `POST /v1-payouts` with a new idempotency key. */
  send(body: unknown, more?: Partial<Asked>, process?: number): Promise<Answer>
  /** `GET /v1-payouts/<id>`. */
  read(id: string, process?: number): Promise<Answer>
  /** `POST /v1-payout-batches` with a new idempotency key. */
  prepare(body: unknown, more?: Partial<Asked>, process?: number): Promise<Answer>
  readBatch(id: string, process?: number): Promise<Answer>
  execute(id: string, process?: number): Promise<Answer>
  cancel(id: string, process?: number): Promise<Answer>
  deposit(amount: number): Promise<void>
  balances(): Promise<Balances>
  /** Reads a payout until it has this status. */
  untilPayout(id: string, status: string): Promise<Payout>
  untilBatch(id: string, status: string): Promise<Batch>
}

/** A new merchant, or another mode of one, with a key that pays out and so many francs in its transfer balance. */
export async function newSender(
  installation: Installation,
  { funds = 1_000_000, mode = ofTests, of }: { funds?: number; mode?: Mode; of?: Merchant } = {},
): Promise<Sender> {
  const { ask, db } = installation
  const merchant = of ?? (await installation.newMerchant())
  const { merchant_id } = merchant
  const { key, key_id } = await merchant.newKey(mode, 'payout')
  const tenant = { merchant_id, livemode: mode === 'live' }
  const sender: Sender = {
    merchant,
    tenant,
    key,
    key_id,
    words: ['--merchant', String(merchant_id), '--mode', mode],
    send: (body, more = {}, process = 0) => ask({ ...post(PAYOUTS, key, body), ...more }, process),
    read: (id, process = 0) => ask({ path: `${PAYOUTS}/${id}`, key }, process),
    prepare: (body, more = {}, process = 0) => ask({ ...post(BATCHES, key, body), ...more }, process),
    readBatch: (id, process = 0) => ask({ path: `${BATCHES}/${id}`, key }, process),
    execute: (id, process = 0) => ask({ method: 'POST', path: `${BATCHES}/${id}/execute`, key }, process),
    cancel: (id, process = 0) => ask({ method: 'POST', path: `${BATCHES}/${id}/cancel`, key }, process),
    async deposit(amount) {
      await depositToTransfer(db.sql, tenant, amount, createClock())
    },
    balances: async () => (await readBalances(db.sql, tenant))!,
    untilPayout: (id, status) =>
      waitFor(
        async () => {
          const payout = checkPayout(await sender.read(id), 200)
          return payout.status === status && payout
        },
        { ...PATIENCE, what: `${id} to be ${status}` },
      ),
    untilBatch: (id, status) =>
      waitFor(
        async () => {
          const batch = checkBatch(await sender.readBatch(id), 200)
          return batch.status === status && batch
        },
        { ...PATIENCE, what: `${id} to be ${status}` },
      ),
  }
  if (funds > 0) await sender.deposit(funds)
  return sender
}

/** A finished payout to a new recipient, in live mode without an operator: no row of it changes any more. */
export async function sendWhole(sender: Sender, more: Partial<Asked> = {}): Promise<void> {
  const { id } = checkPayout(await sender.send(payout(100), more), 201)
  await waitFor(async () => ['succeeded', 'failed'].includes(checkPayout(await sender.read(id), 200).status), {
    ...PATIENCE,
    what: `${id} to end`,
  })
}

/** A POST with an idempotency key of its own. */
export function post(path: string, key: string, body: unknown): Asked {
  return { method: 'POST', path, key, idempotency_key: randomUUID(), body }
}

/** A number that no test of the file has used. Its payout succeeds, or has the outcome that the end chooses. */
export function newNumber(end = '1234'): string {
  return `07${String(nextRank('recipient')).padStart(4, '0')}${end}`
}

/** A destination given inline, with a new number. */
export function inline(end?: string): { msisdn: string; operator: string; name: string } {
  return { msisdn: newNumber(end), operator: 'orange_ci', name: 'Awa Koné' }
}

/** The body of a payout to a new recipient. */
export function payout(amount: number, end?: string): { amount: number; beneficiary: ReturnType<typeof inline> } {
  return { amount, beneficiary: inline(end) }
}

/**
 * Holds `clock_now()` still at a moment, for what happens to the second. `moveClock` lets it go on.
 * @param at such as `2027-01-01 00:00:00+00`
 */
export async function holdClock({ db }: Installation, at: Date): Promise<void> {
  await db.sql.unsafe(`create or replace function clock_now() returns timestamptz
    language sql stable parallel safe return timestamptz '${at.toISOString()}'`)
}
