import type { Clock } from '../../platform/clock.ts'
import { applyEffects, type Effect } from '../../platform/commands/effects.ts'
import { createGroupCommit } from '../../platform/commands/group-commit.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { eachShard } from '../../platform/each-shard.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { inOrder } from '../../platform/postgres/in-order.ts'
import { tenantKey } from '../../values/caller.ts'
import type { FailureCode } from '../../values/failure-codes.ts'
import { keepAnomalies } from '../doubts/anomalies.ts'
import { type Instruction, type InstructionKey, instructionKey, isTooOld, orderOf } from '../instruction.ts'
import { type InstructionTrigger, nextState } from '../instruction-states.ts'
import { isPromised } from '../port.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import { routeOrder } from '../routing/route-order.ts'
import { type GroupToSend, LOST_JOB_SECONDS } from './jobs.ts'
import { findUsedReferences, writeJournal } from './journal-store.ts'
import { type ClaimedGroup, claimGroups } from './outbox-store.ts'
import { firstUseOf, withOwnReferences } from './own-reference.ts'
import type { Conclude, Concluded } from './record-answer.ts'
import { repetitionOf } from './repetition.ts'
import { isOnSameTerms, type SendTerms } from './send-terms.ts'
import * as store from './sending-store.ts'

/** The order to collect a payment. */
export type Collection = InstructionKey &
  Pick<Instruction, 'operator' | 'amount' | 'currency' | 'msisdn' | 'created_at'>

/** An order whose sending begins. With a failure code, no connector can carry it, and it ends. */
export type Begun = InstructionKey & { failure_code: FailureCode | null }

/**
 * Moves the payments, payouts and refunds that are being sent, or ends them, in the transaction that commits us to
 * sending. Passed in, because those features are in a layer above this one.
 */
export type MarkSending = {
  /**
   * Returns the collections to send, and those whose payments have ended (while they waited, or just now). A collection
   * in neither list cannot be begun now.
   * @param begin called with each collection that is still to be sent
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
  /** Hours after which a collection is too old to send. */
  expiry_hours: number
}

/** Transactions in progress at once, for groups and for prepared instructions each. */
const CONCURRENCY = 2
/** Most groups in one transaction. A group has one payment under low load and 32 under high load. */
const GROUPS_TOGETHER = 16
/**
 * Milliseconds until an order that waits for an available connector is tried again; a random spread makes it up to
 * twice as long.
 */
const WAIT_MS = 10_000

/**
 * Commits the intent before anything is sent. One transaction claims the order, marks its payment, payout or refund as
 * being sent, and writes the instruction in `sending` with its row in the send journal. Only the caller that receives
 * the order from here may call its operator, once, after the commit (send-instruction.ts). If the process dies in
 * between, the row says `sending` and we ask the operator: sending twice would cost real money, asking twice costs
 * nothing.
 */
export function createBeginSending({ sql, clock, log, registry, mark, termsOf, conclude, expiry_hours }: Dependencies) {
  const committed = () => crashPoint('after_intent_commit')

  /**
   * Begins groups of collections that wait in the outbox. It leaves out payments that were cancelled meanwhile, and
   * expires those that waited too long.
   */
  async function beginGroups(tx: Tx, jobs: readonly GroupToSend[]): Promise<(Instruction[] | null)[]> {
    const ids = jobs.map(({ group }) => group)
    const wanted = jobs.flatMap(({ collections }) => collections.flatMap(({ reference }) => reference ?? []))
    const [groups, known] = await inOrder([claimGroups(tx, ids), findUsedReferences(tx, wanted)])
    const used = new Set(known)
    const { late = [], fresh = [] } = Object.groupBy(groups, (group) => (isLate(group) ? 'late' : 'fresh'))
    const waiting = new Map(fresh.flatMap(collectionsOf).map((one) => [instructionKey(one), one]))
    const instructions = new Map<string, Instruction>()
    const { sending, ended } = await mark.collect(tx, [...waiting.values()], (collection) => {
      const one = waiting.get(instructionKey(collection))!
      const reference = firstUseOf(one.reference ?? null, used)
      const instruction = routed(instructionFor(collection, { ...one, reference }))
      instructions.set(instructionKey(collection), instruction)
      return instruction
    })
    const isSent = new Set(sending.map(instructionKey))
    const isEnded = new Set(ended.map(instructionKey))
    // Such a payment is not visible yet, or should not be in the outbox. Throw, so that the group stays there.
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
   * Begins prepared payouts and refunds, and instructions whose send is proven not to have left. It leaves out those
   * that are stopped or too old. Payouts and refunds stay as they are while no connector of their route is available,
   * or until the refund before them ends. A collection never waits for a connector, because its payer would be asked
   * when nobody expects it.
   */
  async function beginPrepared(tx: Tx, keys: readonly InstructionKey[]): Promise<(Instruction | null)[]> {
    const prepared = await store.lockPrepared(tx, keys, expiry_hours)
    const { behind = [], next = [] } = Object.groupBy(prepared, (one) => (waitsForAnother(one) ? 'behind' : 'next'))
    const tried = withOwnReferences(next).map((one) => routed(atNextSend(atItsLock(one))))
    const waiting = [...behind.map(atItsLock), ...tried.filter(mayWait)]
    const begun = tried.filter((one) => !mayWait(one))
    const sending = begun.filter(({ failure_code }) => failure_code === null).map((one) => moved(one, 'sending_began'))
    const refused = begun.filter(({ failure_code }) => failure_code !== null).map((one) => moved(one, 'not_routable'))
    store.updateSending(tx, sending)
    writeJournal(tx, sending, termsOf)
    store.updateNotRoutable(tx, refused)
    store.updateWaiting(tx, waiting.map(lookedAtLater))
    const effects = begun.flatMap((one) => (one.direction === 'collect' ? endUnsent(one) : [mark[one.direction](one)]))
    await applyEffects(tx, effects, clock.now())
    return handOut(keys.map(instructionKey), new Map(sending.map((one) => [instructionKey(one), one])))
  }

  /**
   * Begins to send again orders that may have left. That is safe under two conditions: since the last send the operator
   * has said, often and long enough, that it does not hold the reference, and it promises never to execute a reference
   * twice. An earlier send that still arrives is the same order with the same reference. The journal holds this
   * evidence, and the database refuses a send without it (`check_send`). In an outage an order waits between its
   * repetitions (`repetitionOf`). One that reached the limit of sends, would leave on other terms than before, or is too
   * old for the promise becomes an anomaly for people (`in_doubt`), and inquiries go on.
   */
  async function beginAgain(tx: Tx, keys: readonly InstructionKey[]): Promise<Instruction[]> {
    const due: Instruction[] = []
    const kept: ReturnType<typeof inDoubt>[] = []
    for (const { last_terms, last_sent, ...one } of await store.lockNotHeld(tx, keys, expiry_hours)) {
      const answers = one.connector !== null && registry.hasAnswered(one.connector)
      const repetition = repetitionOf({ ...one, last_sent }, answers)
      if (repetition === 'never') kept.push(inDoubt(one, LIMIT_REACHED))
      else if (!isOnSameTerms(last_terms, termsOf(one))) kept.push(inDoubt(one, OTHER_TERMS))
      else if (!isStillPromised(one)) kept.push(inDoubt(one, TOO_OLD))
      else if (repetition === 'now') due.push(one)
    }
    await keepAnomalies(tx, kept, clock.now())
    const begun = due.map((one) => {
      return { ...moved(atNextSend(one), 'sent_again'), sent_again: one.sent_again + 1 }
    })
    store.updateSending(tx, begun)
    writeJournal(tx, begun, termsOf)
    return begun
  }

  function isStillPromised(instruction: Instruction): boolean {
    const promise = connectorOf(registry, instruction)?.promises[instruction.direction]
    return promise !== undefined && isPromised(promise, instruction.sent_ms_ago ?? 0)
  }

  /**
   * Whether this is a refund that its operator would refuse now, because another refund of the same payment comes
   * first.
   */
  function waitsForAnother({ is_behind, ...instruction }: store.Prepared): boolean {
    return is_behind && connectorOf(registry, instruction)?.refundsInTurn === true
  }

  /** The instruction with the connector that will carry it, or with a failure code when there is none. */
  function routed(instruction: Instruction): Instruction {
    const route = routeOrder(registry, instruction)
    if (route.kind === 'routed') {
      if (route.connector !== null) registry.sendBegan(route.connector, instruction.subject_id)
      const carried = { ...instruction, connector: route.connector }
      // Nothing has left, so that whatever an earlier connector kept is void.
      const operator_state = connectorOf(registry, carried)?.stateBeforeSend?.(orderOf(carried)) ?? null
      return { ...carried, operator_state }
    }
    const { reason, failure_code } = route
    // The circuit logs this once for all of them.
    if (failure_code === 'operator_unavailable') return { ...instruction, failure_code }
    log.warn({ subject_id: instruction.subject_id, reason }, 'operators: no connector can carry this order, failed it')
    return { ...instruction, failure_code }
  }

  /**
   * The effects of ending an instruction that no connector can carry. (A collection is `prepared` only after a send
   * that did not leave; its payment is pending.)
   */
  function endUnsent({ merchant_id, livemode, subject_id, failure_code }: Instruction): readonly Effect[] {
    if (failure_code === null) return []
    return conclude({ merchant_id, livemode, subject_id, conclusion: { kind: 'failed', failure_code } })
  }

  function isLate({ created_at, taken_at }: ClaimedGroup): boolean {
    return isTooOld({ direction: 'collect', created_at }, taken_at, expiry_hours)
  }

  /**
   * When the transaction fails, nothing was sent: frees the trial slot of a connector that does not answer for another
   * order.
   */
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
    /** Null when another run took it. */
    group: (group: GroupToSend) => undoing(group.collections, groups(group)),
    /** Null when another run began it, or when it must not be sent now. */
    prepared: (key: InstructionKey) => undoing([key], prepared(key)),
    /** Returns the instructions to send again now. */
    async again(keys: readonly InstructionKey[]): Promise<Instruction[]> {
      const begun = await eachShard(sql, keys, (some) => sql.begin((tx) => beginAgain(tx, some)))
      committed()
      return begun.flat()
    },
  }
}

export type BeginSending = ReturnType<typeof createBeginSending>

/**
 * Gives each name what was begun under it, only once: when two jobs name the same order at the same moment, one of them
 * sends it.
 */
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

/** The conclusion of a collection that was never sent: its request lapses. */
function expiredUnsent({ merchant_id, livemode, subject_id }: InstructionKey): Concluded {
  return { merchant_id, livemode, subject_id, conclusion: { kind: 'failed', failure_code: 'payer_timeout' } }
}

/** Reasons why an order that its operator does not hold is not sent again. */
const LIMIT_REACHED = 'the limit of sends is reached, and its operator does not hold it'
const OTHER_TERMS = 'its connector has other settings since the last send, and with these the operator does not hold it'
const TOO_OLD = 'its operator does not hold it, and may have forgotten its reference since the first send'

function inDoubt({ merchant_id, livemode, subject_id, operator, attempts }: Instruction, reason: string) {
  const evidence = { reason, attempts }
  return { merchant_id, livemode, subject_id, operator, kind: 'in_doubt' as const, fact: `${attempts} sends`, evidence }
}

/** Whether it may wait for a connector: only payouts and refunds may. */
function mayWait({ direction, failure_code }: Instruction): boolean {
  return failure_code === 'operator_unavailable' && direction !== 'collect'
}

/**
 * The instruction with the time of its next try. The random spread matters because a circuit tries one order at a time.
 */
function lookedAtLater(instruction: Instruction): Instruction {
  const after_ms = WAIT_MS * (1 + Math.random())
  return { ...instruction, next_check_at: new Date(instruction.sent_at!.getTime() + after_ms) }
}

/** A locked instruction with `sent_at` set to the time of its lock. */
function atItsLock({ locked_at, is_behind: _, reference_used: __, ...instruction }: store.Prepared): Instruction {
  return { ...instruction, sent_at: locked_at, sent_ms_ago: 0 }
}

/** The instruction with the number of its next send. */
function atNextSend(instruction: Instruction): Instruction {
  return { ...instruction, attempts: instruction.attempts + 1 }
}

/** The instruction in its next state. */
function moved(instruction: Instruction, trigger: InstructionTrigger): Instruction {
  return { ...instruction, state: nextState(instruction.state, trigger) }
}

/** The instruction of a collection at its first send, with its permanent reference. */
function instructionFor(
  collection: Collection,
  { simulate, reference, taken_at: now }: Pick<Instruction, 'simulate' | 'reference'> & { taken_at: Date },
): Instruction {
  return {
    ...collection,
    direction: 'collect',
    simulate,
    connector: null,
    state: 'sending',
    reference,
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
