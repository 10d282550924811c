import { type Clock, machineMilliseconds } from '../../platform/clock.ts'
import { applyEffects, type Effect } from '../../platform/commands/effects.ts'
import { createGroupCommit } from '../../platform/commands/group-commit.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { eachShard } from '../../platform/each-shard.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { tenantKey } from '../../values/caller.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { keepAnomalies } from '../doubts/anomalies.ts'
import { type Instruction, type InstructionKey, instructionKey, isTooOld } from '../instruction.ts'
import { newReference } from '../reference.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import { routeOrder } from '../routing/route-order.ts'
import { SENDS_MAX } from './decide.ts'
import { type GroupToSend, LOST_JOB_SECONDS } from './jobs.ts'
import { writeJournal } from './journal-store.ts'
import { type ClaimedGroup, claimGroups } from './outbox-store.ts'
import type { Conclude, Concluded } from './record-answer.ts'
import { isOnSameTerms, type SendTerms } from './send-terms.ts'
import * as store from './sending-store.ts'

/** The order to collect for a payment. */
export type Collection = InstructionKey &
  Pick<Instruction, 'operator' | 'amount' | 'currency' | 'msisdn' | 'created_at'>

/** An order whose sending begins; with a failure code it can be given to nobody, and ends. */
export type Begun = InstructionKey & { failure_code: FailureCode | null }

/** Moves what is sent, or ends it, in the transaction that commits us to it. Passed in, because those features stand above this one. */
export type MarkSending = {
  /**
   * Returns the collections that are to be sent, and those that are not: their payments have ended, while they waited or just now. One that
   * is in neither list cannot be begun now.
   * @param begin called with each collection that is still to be begun
   */
  collect: (
    tx: Tx,
    keys: readonly InstructionKey[],
    begin: (collection: Collection) => Begun,
  ) => Promise<{ sending: readonly InstructionKey[]; ended: readonly InstructionKey[] }>
  payout: (begun: Begun) => Effect
  refund: (begun: Begun) => Effect
}

type Dependencies = {
  sql: Sql
  clock: Clock
  log: Log
  registry: Registry
  mark: MarkSending
  termsOf: SendTerms
  /** Ends payments that are never sent. */
  conclude: Conclude
  /** Hours after which a collection is no longer sent. */
  expiry_hours: number
}

/** Transactions that begin to send under way at once, in each of the two ways. */
const CONCURRENCY = 2
/** Groups begun by one transaction at most: of one payment each when few come, and of 32 when many do. */
const GROUPS_TOGETHER = 16
/** Milliseconds, and up to twice as many, after which an order that waits for an open connector is looked at again. */
const WAIT_MS = 10_000

/**
 * Intent before wire. An order is begun in one transaction: it is claimed, its payment, payout or refund is marked as being sent, and the
 * instruction in `sending` and its row in the journal are written. Only whoever gets it from here may call its operator, once, after the
 * commit (send-instruction.ts). If we die in between, the row says `sending` and the operator is asked: sending twice would cost real
 * money, asking twice costs nothing.
 */
export function createBeginSending({ sql, clock, log, registry, mark, termsOf, conclude, expiry_hours }: Dependencies) {
  const committed = () => crashPoint('after_intent_commit')

  /** Collections that wait in the outbox. One whose payment was cancelled meanwhile is left out, and what waited too long is given up. */
  async function beginGroups(tx: Tx, jobs: readonly GroupToSend[]): Promise<(Instruction[] | null)[]> {
    const ids = jobs.map(({ group }) => group)
    const groups = await claimGroups(tx, ids)
    const { late = [], fresh = [] } = Object.groupBy(groups, (group) => (isLate(group) ? 'late' : 'fresh'))
    const waiting = new Map(fresh.flatMap(collectionsOf).map((one) => [instructionKey(one), one]))
    const instructions = new Map<string, Instruction>()
    const { sending, ended } = await mark.collect(tx, [...waiting.values()], (collection) => {
      const one = waiting.get(instructionKey(collection))!
      const instruction = routed(instructionFor(collection, one.simulate, one.taken_at))
      instructions.set(instructionKey(collection), instruction)
      return instruction
    })
    const isSent = new Set(sending.map(instructionKey))
    const isEnded = new Set(ended.map(instructionKey))
    // A payment that does not move cannot be seen yet, or should not wait: the group stays.
    const stuck = [...waiting.keys()].find((key) => !isSent.has(key) && !isEnded.has(key))
    if (stuck !== undefined) throw new Error(`${stuck} waits to be sent and cannot be begun.`)
    const begun = new Map(
      groups.map((group) => {
        const sent = group.collections.map(instructionKey).filter((key) => isSent.has(key))
        return [group.id, sent.map((key) => instructions.get(key)!)]
      }),
    )
    store.insertSending(tx, [...begun.values()].flat())
    writeJournal(tx, [...begun.values()].flat(), termsOf)
    if (late.length > 0) {
      await applyEffects(tx, late.flatMap(collectionsOf).map(expiredUnsent).flatMap(conclude), clock.now())
    }
    return handOut(ids, begun)
  }

  /**
   * Prepared payouts and refunds, and whatever is proven not to have left when it was sent. Left out: what is stopped or too old, and what
   * waits, as it is, until a connector of its route is open, or the refund before it has ended. A collection does not wait: its payer would
   * be asked when nobody expects it.
   */
  async function beginPrepared(tx: Tx, keys: readonly InstructionKey[]): Promise<(Instruction | null)[]> {
    const prepared = await store.lockPrepared(tx, keys, expiry_hours)
    const { behind = [], next = [] } = Object.groupBy(prepared, (one) => (waitsForAnother(one) ? 'behind' : 'next'))
    const tried = next.map((one) => routed(sendingAgain(atItsLock(one))))
    const waiting = [...behind.map(atItsLock), ...tried.filter(mayWait)]
    const begun = tried.filter((one) => !mayWait(one))
    const sending = begun.filter(({ failure_code }) => failure_code === null)
    const refused = begun.filter(({ failure_code }) => failure_code !== null)
    store.updateSending(tx, sending)
    writeJournal(tx, sending, termsOf)
    store.updateNotRoutable(tx, refused)
    store.updateWaiting(tx, waiting.map(lookedAtLater))
    const effects = begun.flatMap((one) => (one.direction === 'collect' ? endUnsent(one) : [mark[one.direction](one)]))
    await applyEffects(tx, effects, clock.now())
    return handOut(keys.map(instructionKey), new Map(sending.map((one) => [instructionKey(one), one])))
  }

  /**
   * Orders that may have left, where to send one once more is certain to move money once at most: its operator has said, often and long enough since
   * the last send, that it does not hold the reference, and promises never to carry one reference out twice. An earlier send that still
   * arrives is the same order with the same reference. The journal holds this evidence, and the database refuses a send without it
   * (`check_send`). One that was sent as often as may be, or would leave on other terms than before, is kept for people (`in_doubt`), and
   * goes on being asked about.
   */
  async function beginAgain(tx: Tx, keys: readonly InstructionKey[]): Promise<Instruction[]> {
    const judged = (await store.lockNotHeld(tx, keys, expiry_hours)).map(({ last_terms, ...one }) => {
      return { one, why_not: whyNotAgain(one, isOnSameTerms(last_terms, termsOf(one))) }
    })
    const kept = judged.flatMap(({ one, why_not }) => (why_not === null ? [] : [inDoubt(one, why_not)]))
    await keepAnomalies(tx, kept, clock.now())
    const again = judged.flatMap(({ one, why_not }) => (why_not === null ? [one] : []))
    const begun = again.map((one) => ({ ...sendingAgain(one), sent_again: one.sent_again + 1 }))
    store.updateSending(tx, begun)
    writeJournal(tx, begun, termsOf)
    return begun
  }

  /** Whether it is a refund that its operator would refuse now, because another of the same payment comes first. */
  function waitsForAnother({ is_behind, ...instruction }: store.Prepared): boolean {
    return is_behind && connectorOf(registry, instruction)?.refundsInTurn === true
  }

  /** An instruction that is to be sent, with its connector; with a failure code when it can be given to nobody. */
  function routed(instruction: Instruction): Instruction {
    const route = routeOrder(registry, instruction)
    if (route.kind === 'routed') {
      if (route.connector !== null) registry.sendBegan(route.connector, instruction.subject_id)
      return { ...instruction, connector: route.connector }
    }
    const { reason, failure_code } = route
    // Told by the circuit, once for all of them.
    if (failure_code === 'operator_unavailable') return { ...instruction, state: 'refused', failure_code }
    log.warn({ subject_id: instruction.subject_id, reason }, 'operators: an order can be given to nobody, it fails')
    return { ...instruction, state: 'refused', failure_code }
  }

  /** A collection is prepared only after a send that did not leave: its payment is pending, and stays so unless it can be given to nobody. */
  function endUnsent({ merchant_id, livemode, subject_id, failure_code }: Instruction): readonly Effect[] {
    if (failure_code === null) return []
    return conclude({ merchant_id, livemode, subject_id, conclusion: { kind: 'failed', failure_code } })
  }

  function isLate({ created_at, taken_at }: ClaimedGroup): boolean {
    return isTooOld({ direction: 'collect', created_at }, taken_at, expiry_hours)
  }

  /** When its transaction fails, nothing of it was sent, and another order may be tried with a connector that does not answer. */
  async function undoing<Begun>(keys: readonly InstructionKey[], begin: Promise<Begun>): Promise<Begun> {
    try {
      return await begin
    } catch (error) {
      for (const { subject_id } of keys) registry.sendUndone(subject_id)
      throw error
    }
  }

  const groups = createGroupCommit<GroupToSend, Instruction[] | null>(sql, {
    tenantOf: ({ collections }) => collections[0]!,
    ownerOf: ({ group }) => group,
    turnOf: ({ collections }) => String(collections[0]!.merchant_id),
    concurrency: CONCURRENCY,
    size: GROUPS_TOGETHER,
    run: beginGroups,
    committed,
  })
  const prepared = createGroupCommit<InstructionKey, Instruction | null>(sql, {
    tenantOf: (key) => key,
    ownerOf: tenantKey,
    concurrency: CONCURRENCY,
    run: beginPrepared,
    committed,
  })
  return {
    /** Null: another run took it. */
    group: (group: GroupToSend) => undoing(group.collections, groups(group)),
    /** Null: it was begun by another run, or is not to be sent now. */
    prepared: (key: InstructionKey) => undoing([key], prepared(key)),
    /** Those of them that are to be sent again now. */
    async again(keys: readonly InstructionKey[]): Promise<Instruction[]> {
      const begun = await eachShard(sql, keys, (some) => sql.begin((tx) => beginAgain(tx, some)))
      committed()
      return begun.flat()
    },
  }
}

export type BeginSending = ReturnType<typeof createBeginSending>

/** Gives each name what was begun under it, once: of two jobs that name it in the same moment, one sends it. */
function handOut<Begun>(names: readonly string[], begun: Map<string, Begun>): (Begun | null)[] {
  return names.map((name) => {
    const one = begun.get(name) ?? null
    begun.delete(name)
    return one
  })
}

function collectionsOf({ collections, taken_at }: ClaimedGroup) {
  return collections.map((one) => ({ ...one, taken_at }))
}

/** Its request lapses without ever having been made. */
function expiredUnsent({ merchant_id, livemode, subject_id }: InstructionKey): Concluded {
  return { merchant_id, livemode, subject_id, conclusion: { kind: 'failed', failure_code: 'payer_timeout' } }
}

/** Why an order that its operator does not hold is not sent again; null: it is. */
function whyNotAgain({ sent_again }: Instruction, on_same_terms: boolean): string | null {
  if (sent_again + 1 >= SENDS_MAX) return 'sent as often as may be, and its operator does not hold it'
  return on_same_terms ? null : 'its connector was given other settings since it left, and there it is not held'
}

function inDoubt({ merchant_id, livemode, subject_id, operator, attempts }: Instruction, reason: string) {
  const evidence = { reason, attempts }
  return { merchant_id, livemode, subject_id, operator, kind: 'in_doubt' as const, fact: `${attempts} sends`, evidence }
}

/** Whether it waits for a connector: money going out. */
function mayWait({ direction, failure_code }: Instruction): boolean {
  return failure_code === 'operator_unavailable' && direction !== 'collect'
}

/** As it waits. Many are spread over the time until they are looked at again, because a circuit tries one at a time. */
function lookedAtLater(instruction: Instruction): Instruction {
  const after_ms = WAIT_MS * (1 + Math.random())
  return { ...instruction, next_check_at: new Date(instruction.sent_at!.getTime() + after_ms) }
}

/** A prepared instruction whose sending, or waiting, begins now. */
function atItsLock({ locked_at, is_behind: _, ...instruction }: store.Prepared): Instruction {
  return { ...instruction, sent_at: locked_at }
}

/** As it stands with its next send. */
function sendingAgain(instruction: Instruction): Instruction {
  return { ...instruction, state: 'sending', attempts: instruction.attempts + 1 }
}

/** The instruction of a collection at its first send, with the reference that it keeps for ever. */
function instructionFor(collection: Collection, simulate: Instruction['simulate'], now: Date): Instruction {
  return {
    ...collection,
    direction: 'collect',
    simulate,
    connector: null,
    state: 'sending',
    reference: newReference(machineMilliseconds()),
    operator_reference: null,
    operator_state: null,
    refund_of: null,
    next_action: null,
    failure_code: null,
    asked: 0,
    attempts: 1,
    sent_again: 0,
    next_check_at: new Date(now.getTime() + LOST_JOB_SECONDS * 1_000),
    sent_at: now,
    sent_ms_ago: 0,
  }
}
