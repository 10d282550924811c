import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { createGroupCommit } from '../../platform/commands/group-commit.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { recordUnmatchedCallback } from '../doubts/anomalies.ts'
import type { InstructionKey } from '../instruction.ts'
import type { CallbackToken, Evidence } from '../port.ts'
import type { CallbackCall, Registry } from '../routing/registry.ts'
import { jobsFor, queryOperatorJob } from '../sending/jobs.ts'
import { keepCallbacks, type NewCallback, readStateOf } from './callback-store.ts'

/** The most callbacks that wait to be written. Beyond it the operator has to call again. */
const WAITING_MAX = 10_000

/**
 * The result of a callback.
 * - `ignored`: the URL or the signature is its operator's, but it is not readable, or it is about an order of another contract.
 * - `mismatched`: its token is not that of its order.
 * - `forged`: its operator signs, and this signature is wrong.
 * - `unknown`: no operator calls this URL.
 */
export type CallbackReceipt = 'kept' | 'ignored' | 'mismatched' | 'forged' | 'unknown'

/** A callback, with the mode of its connector. */
type Received = NewCallback & { livemode: boolean }

/**
 * Receives an operator's callback: verifies it, stores it once, and asks the operator. A callback decides nothing by
 * itself: most operators do not sign theirs, and a signature says who calls, not whose account was paid.
 * A callback about an unknown reference becomes an anomaly for people, because money may have arrived. Callbacks that
 * arrive during a write are written together in the next one.
 */
export function createReceiveCallback({ sql, registry, clock }: { sql: Sql; registry: Registry; clock: Clock }) {
  const keep = createGroupCommit<Received & { from: string }, void>(sql, {
    for: 'background',
    turnOf: ({ from }) => from,
    waiting_max: WAITING_MAX,
    async run(tx, callbacks) {
      await keepTogether(tx, callbacks)
      return callbacks.map(() => undefined)
    },
  })

  async function keepTogether(tx: Tx, callbacks: readonly Received[]): Promise<void> {
    const kept = await keepCallbacks(tx, callbacks)
    const asked: (InstructionKey & { operator: string })[] = []
    for (const [at, { key, isNew }] of kept.entries()) {
      if (!isNew) continue
      const callback = callbacks[at]!
      if (key === null) await recordUnmatchedCallback(tx, callback, clock)
      else asked.push({ ...key, operator: callback.connector })
    }
    enqueue(tx, queryOperatorJob, jobsFor(asked))
    // Once for each, as when they arrive one by one.
    for (const _ of kept) crashPoint('during_callback_commit')
  }

  /** @param from the owner of the call, for fair turns: an IP address, or the merchant of the simulator's order; empty for none */
  return async (call: CallbackCall, from: string): Promise<CallbackReceipt> => {
    const reading = await registry.readCallback(call)
    if (reading.kind === 'elsewhere') return 'ignored'
    if (reading.kind !== 'about') return reading.kind
    const { reference, evidence, token } = reading
    if (token !== undefined && !fits(token, await readStateOf(sql, call.connector, reference))) return 'mismatched'
    await keep({
      connector: call.connector,
      livemode: registry.isLive(call.connector),
      digest: digestOf(call.raw, reference),
      reference,
      evidence,
      from,
    })
    return 'kept'
  }
}

/** Whether a callback's token is the one stored with its order. True also when the order has no stored token. */
function fits({ name, value }: CallbackToken, state: Evidence | null): boolean {
  const kept = state?.[name]
  if (typeof kept !== 'string') return true
  const [one, other] = [Buffer.from(value), Buffer.from(kept)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * The key of a callback: the hash of its bytes, with the first eight bytes replaced by the start of its reference. The
 * same bytes name the same reference, so the callbacks of an order are together in the index.
 */
function digestOf(raw: Buffer, reference: string): Buffer {
  const digest = createHash('sha256').update(raw).digest()
  digest.write(reference.slice(0, 8), 'latin1')
  return digest
}

export type ReceiveCallback = ReturnType<typeof createReceiveCallback>
