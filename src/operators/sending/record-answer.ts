import type { Clock } from '../../platform/clock.ts'
import { applyEffects, type Effect } from '../../platform/commands/effects.ts'
import { createGroupCommit, type GroupOptions } from '../../platform/commands/group-commit.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { tenantKey } from '../../values/caller.ts'
import { newId } from '../../values/ids.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { insertAnomalies, type NewAnomaly } from '../doubts/anomaly-store.ts'
import { type Charge, chargeIn, correctionOf, movementOf, statedIn } from '../float/charge.ts'
import { insertMovements, type Movement, readUncorrected } from '../float/movement-store.ts'
import { type Instruction, type InstructionKey, instructionKey } from '../instruction.ts'
import { promisesNothing, usualInquiryPlan, usualSilence } from '../port.ts'
import type { NumberKnowledge } from '../prediction/number-knowledge.ts'
import { lessonOf } from '../prediction/prediction.ts'
import { connectorOf, type Registry } from '../routing/registry.ts'
import * as store from '../store.ts'
import { type Answer, factOf } from './answer.ts'
import { type Conclusion, decide } from './decide.ts'
import { jobsFor, queryOperatorJob } from './jobs.ts'
import { markNotSent, type SendKey } from './journal-store.ts'
import { createLooksAt } from './late-looks.ts'

export type Concluded = InstructionKey & { conclusion: Conclusion }

/**
 * The effects of an instruction's end on its payment, payout or refund, in the transaction that ends the instruction.
 * Passed in, because those features are in a layer above this one.
 */
export type Conclude = (concluded: Concluded) => readonly Effect[]

/**
 * The effect of an operator's charge on the ledger, in the transaction that confirms the instruction. Passed in too.
 */
export type BookCharge = (charged: InstructionKey & Charge) => Effect

export type ReceivedAnswer = {
  /** The order, and the connector that answered about it. */
  key: InstructionKey & Pick<Instruction, 'direction' | 'connector'>
  source: 'send' | 'inquiry'
  answer: Answer
  /** For an answer to a send, the number of that send. Absent when the answer is about the reference. */
  attempt?: number
  /** Whether the order is one of many of its merchant that are answered together. Absent: no. */
  of_busy?: boolean
  /** For an answer to an inquiry, the number of sends that had begun before it. When absent, all of them. */
  asked_after?: number
  /** Whether a late look at a refused order made us ask. */
  is_look?: boolean
}

export type RecordAnswer = (received: ReceivedAnswer) => Promise<void>

/** An answer that ended its instruction. */
type End = { readonly instruction: Instruction; readonly conclusion: Conclusion }

/** An order to ask about once more, in so many milliseconds. */
type SecondAnswer = InstructionKey & Pick<Instruction, 'operator'> & { ask_in: number }

/** A charge that an operator states for an instruction that was confirmed earlier. */
type Stated = InstructionKey & { charge: number }

function charged(movement: Movement): (InstructionKey & Charge)[] {
  const { merchant_id, livemode, subject_id } = movement
  const charge = chargeIn(movement)
  return charge === null ? [] : [{ merchant_id, livemode, subject_id, ...charge }]
}

/** The merchants with many payouts under way whose answers are recorded at once. */
const BUSY_TOGETHER = 2

/** The terms used when the instruction has no connector: there is nobody to ask. */
const nobody = {
  inquiryPlan: usualInquiryPlan(),
  silenceAfter: usualSilence(),
  promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
}

/** A new anomaly `proof_after_refusal`. */
export type MovedAfterRefusal = Pick<NewAnomaly, 'id' | 'livemode'> & Pick<Instruction, 'connector'>

type Dependencies = {
  sql: Sql
  clock: Clock
  log: Log
  registry: Registry
  conclude: Partial<Record<Instruction['direction'], Conclude>> & { charge: BookCharge }
  /** Seconds after a refusal at which the service looks at the order again. */
  late_looks: readonly number[]
  /** Tells the staff of money that moved after a refusal, in the transaction that found it. */
  tellMoved: (tx: Tx, moved: readonly MovedAfterRefusal[]) => void
  numbers: Pick<NumberKnowledge, 'teach'>
}

/**
 * Records operators' answers, many in one transaction: the instruction's new state, the evidence, anomalies, and the
 * effects on the payment, payout or refund. All of them happen or none.
 *
 * Each direction has its own transactions. Each locks accounts in one order, but in a common transaction the second
 * round of locks would come after the first, and two processes could deadlock.
 */
export function createRecordAnswer(deps: Dependencies): RecordAnswer {
  const { sql, clock, log, registry, conclude, tellMoved, numbers } = deps
  const looksAt = createLooksAt(deps.late_looks)

  async function recordTogether(tx: Tx, direction: Instruction['direction'], received: readonly ReceivedAnswer[]) {
    const rows = await store.lockInstructions(
      tx,
      received.map(({ key }) => key),
    )
    const { decided, notSent, answers, anomalies, concluded, moved, stated, again, ends } = judge(rows, received)
    store.updateInstructions(tx, decided)
    for (const [delay_ms, some] of Map.groupBy(again, ({ ask_in }) => ask_in)) {
      const jobs = jobsFor(some).map((job) => ({ ...job, delay_ms }))
      enqueue(tx, queryOperatorJob, jobs)
    }
    store.insertAnswers(tx, answers)
    markNotSent(tx, notSent)
    const kept = anomalies.length > 0 ? await insertAnomalies(tx, anomalies) : new Set<string>()
    insertMovements(tx, moved)
    const corrections = stated.size > 0 ? await correct(tx, [...stated.values()]) : []
    const charges = [...moved, ...corrections].flatMap(charged)
    if (concluded.length > 0 || charges.length > 0) {
      const act = conclude[direction]
      if (act === undefined) throw new Error(`No conclusion is bound for the direction ${direction}.`)
      await applyEffects(tx, [...concluded.flatMap(act), ...charges.map(conclude.charge)], clock.now())
    }
    const moved_after = anomalies.filter(({ id, kind }) => kind === 'proof_after_refusal' && kept.has(id))
    if (moved_after.length > 0) tellMoved(tx, moved_after)
    crashPoint('after_response_before_commit')
    for (const { id, kind, subject_id } of anomalies) {
      if (kept.has(id)) log.warn({ anomaly_id: id, kind, subject_id }, 'operators: anomaly recorded, a person decides')
    }
    return ends
  }

  /** Books the difference when an operator states its charge after we booked one by the tariff. */
  async function correct(tx: Tx, stated: readonly Stated[]): Promise<Movement[]> {
    const charges = new Map(stated.map((one) => [instructionKey(one), one.charge]))
    const booked = await readUncorrected(tx, stated)
    const corrections = booked.flatMap((one) => correctionOf(one, charges.get(instructionKey(one))!) ?? [])
    insertMovements(tx, corrections)
    return corrections
  }

  /** Decides the answers one by one, each on the state that the one before left. */
  function judge(rows: readonly Instruction[], received: readonly ReceivedAnswer[]) {
    const instructions = new Map(rows.map((row) => [instructionKey(row), row]))
    const decided = new Map<string, store.Decided>()
    const notSent = new Map<string, SendKey[]>()
    const answers: store.AnswerRow[] = []
    const anomalies: (NewAnomaly & Pick<Instruction, 'connector'>)[] = []
    const concluded: Concluded[] = []
    const ends: (End | null)[] = []
    const moved: Movement[] = []
    const stated = new Map<string, Stated>()
    const again = new Map<string, SecondAnswer>()
    for (const { key, source, answer: given, attempt, asked_after, is_look = false } of received) {
      const of = instructionKey(key)
      const instruction = instructions.get(of)
      if (instruction === undefined) throw new Error('An answer came for an instruction that does not exist.')
      const is_late = (asked_after ?? instruction.attempts) < instruction.attempts
      const of_reference = is_late ? ofEarlier(given) : given
      const answer = key.connector === instruction.connector ? of_reference : ofAnother(given, key.connector)
      const connector = connectorOf(registry, instruction)
      const isSilent = instruction.connector !== null && registry.isSilent(instruction.connector)
      const looks = { after: looksAt(instruction.direction, connector), isLook: is_look }
      const judged = decide(instruction, answer, connector ?? nobody, attempt, isSilent, looks)
      const { conclusion, anomaly, ask_in, ...decision } = judged
      const { merchant_id, livemode, subject_id } = instruction
      const about = { merchant_id, livemode, subject_id }
      const asked = instruction.asked + 1
      const { evidence } = answer
      const vague_ms_ago = decision.is_vague ? (instruction.vague_ms_ago ?? 0) : null
      instructions.set(of, { ...instruction, ...decision, asked, vague_ms_ago })
      decided.set(of, { ...about, ...decision, asked })
      if (ask_in === null) again.delete(of)
      else again.set(of, { ...about, operator: instruction.operator, ask_in })
      if (decision.not_sent) {
        notSent.set(of, [...(notSent.get(of) ?? []), { ...about, attempt: attempt ?? instruction.attempts }])
      } else if (instruction.sent_again === 0 && decision.state !== 'prepared') {
        // Keep the proof that nothing left, unless a later answer in this batch contradicts it.
        notSent.delete(of)
      }
      answers.push({ ...about, number: asked, source, outcome: answer.kind, evidence })
      if (anomaly !== null) {
        const { operator, connector: asked_at } = instruction
        const id = newId('ano', clock.milliseconds())
        anomalies.push({ ...about, id, kind: anomaly, fact: factOf(answer), operator, connector: asked_at, evidence })
      }
      if (conclusion !== null) concluded.push({ ...about, conclusion })
      ends.push(conclusion === null ? null : { instruction, conclusion })
      const charge = statedIn(answer)
      const terms = decision.state !== 'confirmed' ? null : termsOf(instruction)
      if (terms !== null && conclusion?.kind === 'succeeded') {
        moved.push(movementOf(instruction, terms, charge, clock.now()))
      } else if (terms !== null && charge !== undefined && anomaly === null) {
        stated.set(of, { ...about, charge })
      }
    }
    const changes = { decided: [...decided.values()], notSent: [...notSent.values()].flat(), answers, anomalies }
    return { ...changes, concluded, moved, stated, again: [...again.values()], ends }
  }

  /** The terms of the contract that carried the order. Null when none did, as in a simulation. */
  function termsOf({ connector }: Instruction) {
    return connector === null ? null : registry.termsOf(connector)
  }

  const recorderOf = (direction: Instruction['direction'], more: Partial<GroupOptions<ReceivedAnswer>> = {}) =>
    createGroupCommit<ReceivedAnswer, End | null>(sql, {
      for: 'background',
      tenantOf: ({ key }) => key,
      ownerOf: ({ key }) => tenantKey(key),
      ...more,
      run: (tx, received) => recordTogether(tx, direction, received),
    })
  const recorders = { collect: recorderOf('collect'), payout: recorderOf('payout'), refund: recorderOf('refund') }
  /** The answers of jobs of busy merchants that are being recorded, by merchant and mode. */
  const busy = new Map<string, number>()
  // A merchant that executes batches holds the lock of its balance for most of the time, and the end of a payout needs that lock. In a
  // common transaction everybody's payouts would wait for it.
  const busyPayouts = recorderOf('payout', { keyOf: ({ key }) => tenantKey(key), concurrency: BUSY_TOGETHER })
  return async (received) => {
    const { direction } = received.key
    const end = direction === 'payout' ? await recordPayout(received) : await recorders[direction](received)
    if (end !== null) teach(end)
  }

  async function recordPayout(received: ReceivedAnswer): Promise<End | null> {
    const tenant = tenantKey(received.key)
    const count = busy.get(tenant) ?? 0
    if (received.of_busy !== true) return count > 0 ? busyPayouts(received) : recorders.payout(received)
    busy.set(tenant, count + 1)
    try {
      return await busyPayouts(received)
    } finally {
      const left = busy.get(tenant)! - 1
      if (left === 0) busy.delete(tenant)
      else busy.set(tenant, left)
    }
  }

  /** Updates the predictions after the commit, without making the caller wait. */
  function teach({ instruction, conclusion }: End): void {
    const msisdn = instruction.msisdn === null ? null : Msisdn.stored(instruction.msisdn)
    const capabilities = connectorOf(registry, instruction)?.capabilitiesOf(instruction.operator) ?? null
    const lesson = lessonOf({ ...instruction, msisdn }, conclusion, capabilities)
    if (lesson !== null) numbers.teach(instruction, lesson)
  }
}

/**
 * Reinterprets the answer to an inquiry that began before the last send. "Not found" or "nothing came of it" says
 * nothing about that send, so it becomes `unknown` and we ask again. "The operator holds it" and "the money moved" are
 * about the reference, and are true whenever we asked.
 */
function ofEarlier(answer: Answer): Answer {
  const { kind, evidence } = answer
  if (kind !== 'not_found' && kind !== 'refused') return answer
  return { kind: 'unknown', evidence: { ...evidence, said: kind, asked: 'before the last send' } }
}

/**
 * Reinterprets the answer of a connector that the order has left for another one. It says nothing about what the other
 * holds. If it says that it holds the order, it contradicts the proof that the order never left, and becomes an
 * anomaly.
 */
function ofAnother(answer: Answer, connector: string | null): Answer {
  const { kind, evidence } = answer
  // Our own expiry, which `decide` accepts only while nothing has left.
  if (connector === null || kind === 'expired_unsent') return answer
  const said: Answer = { kind: 'unknown', evidence: { ...evidence, connector, said: kind } }
  const holds = kind === 'accepted' || kind === 'duplicate' || kind === 'pending' || kind === 'settled'
  return holds ? { ...said, unlisted: `${kind} at ${connector}, which carried it before` } : said
}
