import type { Clock } from '../../../platform/clock.ts'
import { newId } from '../../../values/ids.ts'
import type { NewAnomaly } from '../../doubts/anomaly-store.ts'
import { movementOf, statedIn } from '../../float/charge.ts'
import type { Movement } from '../../float/movement-store.ts'
import { type Instruction, type InstructionKey, instructionKey } from '../../instruction.ts'
import { promisesNothing, usualInquiryPlan, usualSilence } from '../../port.ts'
import { connectorOf, type Registry } from '../../routing/registry.ts'
import type { AnswerRow, Decided } from '../../store.ts'
import { type Answer, factOf, heldBefore } from '../answer.ts'
import { type Conclusion, type Decision, decide } from '../decide.ts'
import type { SendKey } from '../journal-store.ts'
import type { createLooksAt } from '../late-looks.ts'
import type { Concluded, ReceivedAnswer } from './received-answer.ts'

/** An answer that ended its instruction. */
export type End = { readonly instruction: Instruction; readonly conclusion: Conclusion }

/** An order to ask about once more, in so many milliseconds. */
type SecondAnswer = InstructionKey & Pick<Instruction, 'operator'> & { ask_in: number }

/** A charge that an operator states for an instruction that was confirmed earlier. */
export type Stated = InstructionKey & { charge: number }

/** Everything to record of answers. The maps are by instruction: of several answers about one the last counts. */
export type Judgement = {
  /** The instructions, as the answers so far left them. */
  readonly instructions: Map<string, Instruction>
  readonly decided: Map<string, Decided>
  readonly answers: AnswerRow[]
  /** The sends that are proven never to have left. */
  readonly notSent: Map<string, readonly SendKey[]>
  readonly again: Map<string, SecondAnswer>
  readonly anomalies: (NewAnomaly & Pick<Instruction, 'connector'>)[]
  readonly concluded: Concluded[]
  /** For each answer, in order: the end that it brought, or null. */
  readonly ends: (End | null)[]
  readonly moved: Movement[]
  readonly stated: Map<string, Stated>
}

export type JudgeDeps = {
  readonly clock: Clock
  readonly registry: Registry
  readonly looksAt: ReturnType<typeof createLooksAt>
}

/** One answer as it counts, with its decision. `instruction`: as it was before. */
type Judged = {
  readonly of: string
  readonly about: InstructionKey
  readonly instruction: Instruction
  readonly received: ReceivedAnswer
  readonly answer: Answer
  readonly decision: Decision
}

/**
 * Decides answers one by one, each on the state that the one before left.
 * @param rows the instructions, locked
 * @throws when an answer is about none of them, which is a defect
 */
export function judgeAnswers(
  deps: JudgeDeps,
  rows: readonly Instruction[],
  received: readonly ReceivedAnswer[],
): Judgement {
  const judgement: Judgement = {
    instructions: new Map(rows.map((row) => [instructionKey(row), row])),
    ...{ decided: new Map(), notSent: new Map(), again: new Map(), stated: new Map() },
    ...{ answers: [], anomalies: [], concluded: [], ends: [], moved: [] },
  }
  for (const one of received) {
    const judged = judgeAnswer(deps, judgement, one)
    keepDecision(judgement, judged)
    askOnceMore(judgement, judged)
    proveNotSent(judgement, judged)
    openAnomaly(deps, judgement, judged)
    conclude(deps, judgement, judged)
    countMoney(deps, judgement, judged)
  }
  return judgement
}

/** The terms used when the instruction has no connector: there is nobody to ask. */
const nobody = {
  inquiryPlan: usualInquiryPlan(),
  silenceAfter: usualSilence(),
  promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
}

function judgeAnswer({ registry, looksAt }: JudgeDeps, { instructions }: Judgement, received: ReceivedAnswer): Judged {
  const of = instructionKey(received.key)
  const instruction = instructions.get(of)
  if (instruction === undefined) throw new Error('An answer came for an instruction that does not exist.')
  const answer = answerThatCounts(instruction, received)
  const connector = connectorOf(registry, instruction)
  const isSilent = instruction.connector !== null && registry.isSilent(instruction.connector)
  const looks = { after: looksAt(instruction.direction, connector), isLook: received.is_look ?? false }
  const decision = decide(instruction, answer, connector ?? nobody, received.attempt, isSilent, looks)
  const { merchant_id, livemode, subject_id } = instruction
  return { of, about: { merchant_id, livemode, subject_id }, instruction, received, answer, decision }
}

/** The answer, reinterpreted when the order was sent again since, or has left the connector that answers. */
function answerThatCounts(instruction: Instruction, { key, answer, asked_after }: ReceivedAnswer): Answer {
  const is_late = (asked_after ?? instruction.attempts) < instruction.attempts
  const of_reference = is_late ? ofEarlier(answer) : answer
  return key.connector === instruction.connector ? of_reference : ofAnother(answer, key.connector)
}

/** Keeps the new state of the instruction, and the answer as evidence. */
function keepDecision(
  { instructions, decided, answers }: Judgement,
  { of, about, instruction, received, answer, decision }: Judged,
): void {
  const { conclusion: _, anomaly: __, ask_in: ___, ...kept } = decision
  const asked = instruction.asked + 1
  const vague_ms_ago = kept.is_vague ? (instruction.vague_ms_ago ?? 0) : null
  instructions.set(of, { ...instruction, ...kept, asked, vague_ms_ago })
  decided.set(of, { ...about, ...kept, asked })
  const { kind: outcome, evidence } = answer
  answers.push({ ...about, number: asked, source: received.source, outcome, evidence })
}

/** Asks for the second answer that a vague refusal needs. */
function askOnceMore({ again }: Judgement, { of, about, instruction, decision: { ask_in } }: Judged): void {
  if (ask_in === null) again.delete(of)
  else again.set(of, { ...about, operator: instruction.operator, ask_in })
}

/** Keeps the proof that a send never left, unless a later answer of the same transaction contradicts it. */
function proveNotSent({ notSent }: Judgement, { of, about, instruction, received, decision }: Judged): void {
  if (decision.not_sent) {
    notSent.set(of, [...(notSent.get(of) ?? []), { ...about, attempt: received.attempt ?? instruction.attempts }])
  } else if (instruction.sent_again === 0 && decision.state !== 'prepared') {
    notSent.delete(of)
  }
}

function openAnomaly(
  { clock }: JudgeDeps,
  { anomalies }: Judgement,
  { about, instruction: { operator, connector }, answer, decision: { anomaly: kind } }: Judged,
): void {
  if (kind === null) return
  const id = newId('ano', clock.milliseconds())
  anomalies.push({ ...about, id, kind, fact: factOf(answer), operator, connector, evidence: answer.evidence })
}

function conclude(
  { registry }: JudgeDeps,
  { concluded, ends }: Judgement,
  { about, instruction, decision: { conclusion } }: Judged,
): void {
  if (conclusion !== null) {
    const wallet = conclusion.kind === 'succeeded' ? registry.walletOf(instruction) : null
    concluded.push({ ...about, conclusion, wallet })
  }
  ends.push(conclusion === null ? null : { instruction, conclusion })
}

/** Counts the money of a confirmed order at its operator, with the charge. Nothing without a contract, as in a simulation. */
function countMoney(
  { clock, registry }: JudgeDeps,
  { moved, stated }: Judgement,
  { of, about, instruction, answer, decision: { state, conclusion, anomaly } }: Judged,
): void {
  const { connector } = instruction
  const terms = state !== 'confirmed' || connector === null ? null : registry.termsOf(connector)
  if (terms === null) return
  const charge = statedIn(answer)
  if (conclusion?.kind === 'succeeded') moved.push(movementOf(instruction, terms, charge, clock.now()))
  else if (charge !== undefined && anomaly === null) stated.set(of, { ...about, charge })
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
  return holds ? { ...said, unlisted: heldBefore(kind, connector) } : said
}
