import type { Clock } from '../../platform/clock.ts'
import { applyEffects, type Effect } from '../../platform/commands/effects.ts'
import { createGroupCommit } from '../../platform/commands/group-commit.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
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
import { type Answer, type Conclusion, decide, factOf } from './decide.ts'
import { markNotSent, type SendKey } from './journal-store.ts'

export type Concluded = InstructionKey & { conclusion: Conclusion }

/**
 * The effects of an instruction's end on the payment, payout or refund behind it, in the transaction that ends the instruction. Passed
 * in, because those features stand above this one.
 */
export type Conclude = (concluded: Concluded) => readonly Effect[]

/** The effect of an operator's charge on the ledger, in the transaction that confirms the instruction. Passed in likewise. */
export type BookCharge = (charged: InstructionKey & Charge) => Effect

export type ReceivedAnswer = {
  /** The connector that answered, and the order that it was asked about. */
  key: InstructionKey & Pick<Instruction, 'direction' | 'connector'>
  source: 'send' | 'inquiry'
  answer: Answer
  /** Of an answer to a send: which of the instruction's sends. Absent: it is about the reference. */
  attempt?: number
  /** Of an answer to a question: the sends that had begun when it was asked. Absent: it was asked just now. */
  asked_after?: number
}

export type RecordAnswer = (received: ReceivedAnswer) => Promise<void>

/** An answer that ended its instruction. */
type End = { readonly instruction: Instruction; readonly conclusion: Conclusion }

/** A charge that an operator states of an instruction that was confirmed before. */
type Stated = InstructionKey & { charge: number }

function charged(movement: Movement): (InstructionKey & Charge)[] {
  const { merchant_id, livemode, subject_id } = movement
  const charge = chargeIn(movement)
  return charge === null ? [] : [{ merchant_id, livemode, subject_id, ...charge }]
}

/** How an operator without a connector is asked: not at all, until it has one. */
const nobody = {
  inquiryPlan: usualInquiryPlan(),
  silenceAfter: usualSilence(),
  promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
}

type Dependencies = {
  sql: Sql
  clock: Clock
  log: Log
  registry: Registry
  conclude: Partial<Record<Instruction['direction'], Conclude>> & { charge: BookCharge }
  numbers: Pick<NumberKnowledge, 'teach'>
}

/**
 * Takes in answers of operators, many in one transaction: the instruction's new state, the evidence, what does not fit,
 * and what follows for the payment behind it, all or nothing.
 *
 * Payments and payouts each have transactions of their own: both lock accounts in one order, but in one transaction the
 * second round of locks would come after the first, and two processes could wait for one another in a circle.
 */
export function createRecordAnswer({ sql, clock, log, registry, conclude, numbers }: Dependencies): RecordAnswer {
  async function recordTogether(tx: Tx, direction: Instruction['direction'], received: readonly ReceivedAnswer[]) {
    const rows = await store.lockInstructions(
      tx,
      received.map(({ key }) => key),
    )
    const { decided, notSent, answers, anomalies, concluded, moved, stated, ends } = judge(rows, received)
    store.updateInstructions(tx, decided)
    store.insertAnswers(tx, answers)
    markNotSent(tx, notSent)
    const kept = anomalies.length > 0 ? await insertAnomalies(tx, anomalies) : new Set<string>()
    insertMovements(tx, moved)
    const corrections = stated.size > 0 ? await correct(tx, [...stated.values()]) : []
    const charges = [...moved, ...corrections].flatMap(charged)
    if (concluded.length > 0 || charges.length > 0) {
      const act = conclude[direction]
      if (act === undefined) throw new Error(`Nothing is bound to conclude a ${direction}.`)
      await applyEffects(tx, [...concluded.flatMap(act), ...charges.map(conclude.charge)], clock.now())
    }
    crashPoint('after_response_before_commit')
    for (const { id, kind, subject_id } of anomalies) {
      if (kept.has(id)) log.warn({ anomaly_id: id, kind, subject_id }, 'operators: anomaly recorded, a person decides')
    }
    return ends
  }

  /** Writes the differences to charges that were booked by the tariff before their operator stated its own. */
  async function correct(tx: Tx, stated: readonly Stated[]): Promise<Movement[]> {
    const charges = new Map(stated.map((one) => [instructionKey(one), one.charge]))
    const booked = await readUncorrected(tx, stated)
    const corrections = booked.flatMap((one) => correctionOf(one, charges.get(instructionKey(one))!) ?? [])
    insertMovements(tx, corrections)
    return corrections
  }

  /** Decides answer by answer, each on the state that the one before left. */
  function judge(rows: readonly Instruction[], received: readonly ReceivedAnswer[]) {
    const instructions = new Map(rows.map((row) => [instructionKey(row), row]))
    const decided = new Map<string, store.Decided>()
    const notSent = new Map<string, SendKey[]>()
    const answers: store.AnswerRow[] = []
    const anomalies: NewAnomaly[] = []
    const concluded: Concluded[] = []
    const ends: (End | null)[] = []
    const moved: Movement[] = []
    const stated = new Map<string, Stated>()
    for (const { key, source, answer: given, attempt, asked_after } of received) {
      const of = instructionKey(key)
      const instruction = instructions.get(of)
      if (instruction === undefined) throw new Error('An answer came for an instruction that does not exist.')
      const is_late = (asked_after ?? instruction.attempts) < instruction.attempts
      const of_reference = is_late ? ofEarlier(given) : given
      const answer = key.connector === instruction.connector ? of_reference : ofAnother(given, key.connector)
      const connector = connectorOf(registry, instruction) ?? nobody
      const isSilent = instruction.connector !== null && registry.isSilent(instruction.connector)
      const { conclusion, anomaly, ...decision } = decide(instruction, answer, connector, attempt, isSilent)
      const { merchant_id, livemode, subject_id } = instruction
      const about = { merchant_id, livemode, subject_id }
      const asked = instruction.asked + 1
      const { evidence } = answer
      instructions.set(of, { ...instruction, ...decision, asked })
      decided.set(of, { ...about, ...decision, asked })
      if (decision.not_sent) {
        notSent.set(of, [...(notSent.get(of) ?? []), { ...about, attempt: attempt ?? instruction.attempts }])
      } else if (instruction.sent_again === 0 && decision.state !== 'prepared') {
        // The proof that nothing left outlives what comes after it in the same moment, as long as nothing contradicts it.
        notSent.delete(of)
      }
      answers.push({ ...about, number: asked, source, outcome: answer.kind, evidence })
      if (anomaly !== null) {
        const { operator } = instruction
        const id = newId('ano', clock.milliseconds())
        anomalies.push({ ...about, id, kind: anomaly, fact: factOf(answer), operator, evidence })
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
    return { ...changes, concluded, moved, stated, ends }
  }

  /** The terms of the contract that carried it. Null: none did, as in a simulation. */
  function termsOf({ connector }: Instruction) {
    return connector === null ? null : registry.termsOf(connector)
  }

  const recorderOf = (direction: Instruction['direction']) =>
    createGroupCommit<ReceivedAnswer, End | null>(sql, {
      for: 'background',
      tenantOf: ({ key }) => key,
      ownerOf: ({ key }) => tenantKey(key),
      run: (tx, received) => recordTogether(tx, direction, received),
    })
  const recorders = { collect: recorderOf('collect'), payout: recorderOf('payout'), refund: recorderOf('refund') }
  return async (received) => {
    const end = await recorders[received.key.direction](received)
    if (end !== null) teach(end)
  }

  /** After the commit, and behind whoever recorded the answer: nothing that moves money waits for it. */
  function teach({ instruction, conclusion }: End): void {
    const msisdn = instruction.msisdn === null ? null : Msisdn.stored(instruction.msisdn)
    const capabilities = connectorOf(registry, instruction)?.capabilitiesOf(instruction.operator) ?? null
    const lesson = lessonOf({ ...instruction, msisdn }, conclusion, capabilities)
    if (lesson !== null) numbers.teach(instruction, lesson)
  }
}

/**
 * The answer to a question that was asked before the last send began: that nothing was there then, or nothing came of it, tells nothing of that
 * send. It is asked about anew. That the operator holds it, or that the money moved, is true of the reference whenever it was asked.
 */
function ofEarlier(answer: Answer): Answer {
  const { kind, evidence } = answer
  if (kind !== 'not_found' && kind !== 'refused') return answer
  return { kind: 'unknown', evidence: { ...evidence, said: kind, asked: 'before the last send' } }
}

/**
 * The answer of a connector that was asked before the order moved to another: it tells nothing of what the other holds. One that says that it
 * holds the order contradicts the proof that it never left, and is kept for people.
 */
function ofAnother(answer: Answer, connector: string | null): Answer {
  const { kind, evidence } = answer
  // Our own giving up, which only counts while nothing has left.
  if (connector === null || kind === 'expired_unsent') return answer
  const said: Answer = { kind: 'unknown', evidence: { ...evidence, connector, said: kind } }
  const holds = kind === 'accepted' || kind === 'duplicate' || kind === 'pending' || kind === 'settled'
  return holds ? { ...said, unlisted: `${kind} at ${connector}, which carried it before` } : said
}
