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

/** Callbacks that wait to be written, at most: beyond it the operator has to call again. */
const WAITING_MAX = 10_000

/**
 * `ignored`: its operator signs nothing, and it names none of our references, or holds another token than its order's; or it is about the order
 * of another contract. `forged`: its operator signs, and this is not its signature.
 * `unknown`: nobody is called at this address.
 */
export type CallbackReceipt = 'kept' | 'ignored' | 'forged' | 'unknown'

/** A callback, and the mode of its connector. */
type Received = NewCallback & { livemode: boolean }

/**
 * Takes in what an operator calls to tell us. The bytes are checked and kept once, and the operator is asked; nothing is
 * decided from the callback itself, because most operators do not sign theirs. A reference we do not know waits for a
 * person: it may be money that nobody is waiting for. Callbacks that come while others are written are written together.
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
    // Once for each, as when they come one by one.
    for (const _ of kept) crashPoint('during_callback_commit')
  }

  /** @param from the owner of the call, for turns: an address, or the merchant of the simulator's order; empty: none */
  return async (call: CallbackCall, from: string): Promise<CallbackReceipt> => {
    const reading = await registry.readCallback(call)
    if (reading.kind === 'elsewhere') return 'ignored'
    if (reading.kind !== 'about') return reading.kind
    const { reference, evidence, token } = reading
    if (token !== undefined && !fits(token, await readStateOf(sql, call.connector, reference))) return 'ignored'
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

/** Whether a callback holds the token that is kept of its order, or none is kept that it could be compared with. */
function fits({ name, value }: CallbackToken, state: Evidence | null): boolean {
  const kept = state?.[name]
  if (typeof kept !== 'string') return true
  const [one, other] = [Buffer.from(value), Buffer.from(kept)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * Stands for the bytes of a callback: their hash, of which the beginning of the reference they are about takes the first
 * eight bytes. The same bytes speak of the same reference, and ours begin with their time, so that the key of a large table
 * is appended to.
 */
function digestOf(raw: Buffer, reference: string): Buffer {
  const digest = createHash('sha256').update(raw).digest()
  digest.write(reference.slice(0, 8), 'latin1')
  return digest
}

export type ReceiveCallback = ReturnType<typeof createReceiveCallback>
