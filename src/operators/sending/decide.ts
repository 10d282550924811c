import type { FailureCode } from '../../values/failure-codes.ts'
import type { Instruction } from '../instruction.ts'
import { type InstructionState, type InstructionTrigger, nextState } from '../instruction-states.ts'
import { type Connector, type Evidence, isPromised, type NextAction } from '../port.ts'
import { type Answer, keptOf, unlistedIn } from './answer.ts'
import { DAILY, untilPlanned } from './inquiry-plan.ts'
import { LOST_JOB_SECONDS } from './jobs.ts'
import { type Looks, noLooks, untilNextLook } from './late-looks.ts'
import { repetitionsMax } from './repetition.ts'
import { isOfAcceptedOrder, untilItCounts } from './vague-refusals.ts'

/** The outcome that an answer establishes for the instruction's payment, payout or refund. */
export type Conclusion =
  | { kind: 'succeeded' }
  /** `payer_timeout` means that the request lapsed without a debit. */
  | { kind: 'failed'; failure_code: FailureCode }
  /** The operator has given no outcome of a payout for too long. This is not an end: inquiries go on. */
  | { kind: 'silent' }

/**
 * Kinds of anomalies:
 * - `amount_differs`, `currency_differs`: a proof of another amount or currency.
 * - `proof_after_refusal`, `refusal_after_proof`: an answer that contradicts the end.
 * - `unknown_status`: a status that the connector does not know.
 * - `unknown_reference`: a report about a reference that is not ours.
 * - `second_success`: a second success where one was expected.
 * - `in_doubt`: an operator that has been silent for too long; a person opens it.
 */
export type AnomalyKind =
  | 'amount_differs'
  | 'currency_differs'
  | 'proof_after_refusal'
  | 'refusal_after_proof'
  | 'unknown_status'
  | 'unknown_reference'
  | 'second_success'
  | 'in_doubt'

export type Decision = {
  state: InstructionState
  /** Milliseconds until the sweep looks at it again; null for never. */
  check_in: number | null
  /** Milliseconds until a job asks the operator for the second answer that a vague refusal needs; null without one. */
  ask_in: number | null
  /** Whether the last word of the operator is a vague refusal that it has not repeated. */
  is_vague: boolean
  /** Milliseconds until the next late look at a refused order; null for none. */
  look_in: number | null
  failure_code: FailureCode | null
  conclusion: Conclusion | null
  anomaly: AnomalyKind | null
  /** Whether the answered send is proven never to have left us. */
  not_sent: boolean
  operator_reference: string | null
  operator_state: Evidence | null
  next_action: NextAction | null
}

/**
 * The sends after which an instruction is refused when all of them are proven not to have left us: certainly no money moved. A payout or
 * refund waits instead, as long as its operator does not answer. Sends that may have left have another limit (`repetitionOf`).
 */
export const SENDS_MAX = 5
/** Milliseconds until a send that never left is tried again. */
const RESEND_IN = 30_000
/** The longest such wait, for a payout or refund that reached `SENDS_MAX` and waits for its operator. */
const RESEND_AT_LATEST = 300_000

/**
 * Decides what one answer of an operator changes in an instruction. Pure. The rules:
 * - A proof counts only for the exact amount.
 * - Only a definite refusal fails anything. A vague one of an order that the operator had accepted must be said twice.
 * - An unknown outcome stays unknown and is asked about later.
 * - An answer that contradicts an earlier end becomes an anomaly for a person. One exception: a proof after a lapsed
 *   request is credited.
 *
 * When an instruction was sent several times, "not sent" or "refused" from one send ends only that send. The other
 * sends may have left, so only an answer about the reference ends the instruction.
 *
 * A word that the connector does not know becomes an anomaly too, unless the answer has a graver one.
 * @param attempt the send that this answers; null when the answer is about the reference
 * @param isSilent whether the operator left the last send of this process, of any order, unanswered
 * @param looks the late looks at an order of this direction and connector, once it is refused
 */
export function decide(
  instruction: Instruction,
  outcome: Answer,
  connector: ConnectorFacts,
  attempt: number | null = null,
  isSilent = false,
  looks = noLooks,
): Decision {
  const decision = establish({ ...aboutOf(instruction, outcome, connector, attempt), isSilent, looks }, outcome)
  const strange = decision.anomaly === null && unlistedIn(outcome) !== null
  return strange ? { ...decision, anomaly: 'unknown_status' } : decision
}

function establish(about: About, outcome: Answer): Decision {
  const { instruction, unchanged, kept, next_check } = about
  if (outcome.kind === 'settled') return ofProof(about, outcome)
  if (instruction.state === 'confirmed') {
    return outcome.kind === 'refused' && !about.of_one_send
      ? { ...unchanged, anomaly: 'refusal_after_proof' }
      : unchanged
  }
  if (instruction.state === 'refused') return afterRefusal(about, outcome)
  switch (outcome.kind) {
    case 'refused':
      return about.of_one_send ? oneSendLess(about) : ofRefusal(about, outcome)
    case 'not_sent':
      return ofNotSent(about)
    case 'expired_unsent':
      // A worker may have begun to send it since the sweep read it. Then it must not expire.
      return instruction.state === 'prepared'
        ? failed(about, 'waited_too_long', 'payer_timeout')
        : { ...unchanged, check_in: next_check }
    case 'accepted':
    case 'duplicate':
      // The plan counts from this answer, however long the send took.
      return { ...unchanged, ...kept, state: held(about), check_in: next_check }
    case 'pending':
      return {
        ...unchanged,
        ...kept,
        state: held(about),
        is_vague: false,
        check_in: next_check,
        conclusion: about.silence,
      }
    case 'not_found':
    case 'unknown':
      return ofNothingKnown(about, outcome.kind)
  }
}

type ConnectorFacts = Pick<Connector, 'inquiryPlan' | 'silenceAfter' | 'promises' | 'secondAnswerAfter'>

/** An instruction, its answer and the facts that every rule needs. Times in milliseconds. */
type About = {
  readonly instruction: Instruction
  readonly promises: Connector['promises']
  readonly secondAnswerAfter: number | undefined
  readonly looks: Looks
  readonly attempt: number | null
  /** The operator did not answer the last send of this process. */
  readonly isSilent: boolean
  /** The decision that changes nothing. */
  readonly unchanged: Decision
  /** The facts of the answer to store. */
  readonly kept: Partial<Decision>
  /** Time until the next inquiry by the plan. */
  readonly planned: number
  /**
   * Time until the next inquiry. For a payout it is at the latest the end of `silenceAfter`, so that the payout becomes
   * indeterminate then.
   */
  readonly next_check: number
  /** Time until the end of `silenceAfter` of a payout, before which every check comes. Otherwise infinite. */
  readonly latest: number
  /** Time until the next check of a contradiction. */
  readonly next_daily: number
  /** The answer is about one send of several. */
  readonly of_one_send: boolean
  /** The conclusion when the answer has none: `silent` after too long a silence, otherwise null. */
  readonly silence: Conclusion | null
}

function aboutOf(
  instruction: Instruction,
  outcome: Answer,
  { inquiryPlan, silenceAfter, promises, secondAnswerAfter }: ConnectorFacts,
  attempt: number | null,
): Omit<About, 'isSilent' | 'looks'> {
  const planned = untilPlanned(instruction, inquiryPlan)
  const watched = instruction.direction === 'payout'
  const until_silence = silenceAfter - (instruction.sent_ms_ago ?? 0)
  const latest = watched && until_silence > 0 ? until_silence : Number.POSITIVE_INFINITY
  return {
    instruction,
    promises,
    secondAnswerAfter,
    attempt,
    unchanged: unchangedOf(instruction),
    kept: keptOf(outcome),
    planned,
    next_check: Math.min(planned, latest),
    latest,
    next_daily: Math.min(DAILY, latest),
    of_one_send: attempt !== null && instruction.sent_again > 0,
    silence: watched && until_silence <= 0 ? { kind: 'silent' } : null,
  }
}

function unchangedOf(instruction: Instruction): Decision {
  const { state, failure_code, operator_reference, operator_state, next_action } = instruction
  return {
    state,
    check_in: null,
    ask_in: null,
    is_vague: instruction.vague_ms_ago != null,
    look_in: null,
    failure_code,
    conclusion: null,
    anomaly: null,
    not_sent: false,
    operator_reference,
    operator_state,
    next_action,
  }
}

/** Handles a proof that the money moved. */
function ofProof(about: About, { amount, currency }: Extract<Answer, { kind: 'settled' }>): Decision {
  const { instruction, unchanged, kept } = about
  if (currency !== instruction.currency || amount !== instruction.amount) {
    return ofWrongProof(about, amount === instruction.amount ? 'currency_differs' : 'amount_differs')
  }
  if (instruction.state === 'confirmed') return unchanged
  if (instruction.state === 'refused' && !hasLapsed(instruction))
    return { ...unchanged, anomaly: 'proof_after_refusal' }
  return {
    ...unchanged,
    ...kept,
    state: nextState(instruction.state, 'proof_received'),
    is_vague: false,
    failure_code: null,
    conclusion: { kind: 'succeeded' },
    next_action: null,
  }
}

/**
 * Handles a proof with a wrong amount or currency. An instruction that has ended keeps its end, and the sweep does not
 * ask about it again.
 */
function ofWrongProof(about: About, anomaly: AnomalyKind): Decision {
  const { unchanged, kept, next_daily, silence } = about
  const { state } = about.instruction
  const open = state !== 'refused' && state !== 'confirmed'
  return open
    ? { ...unchanged, ...kept, state: held(about), is_vague: false, anomaly, check_in: next_daily, conclusion: silence }
    : { ...unchanged, ...kept, anomaly }
}

/**
 * Whether the payer let the request lapse. Only a collection can lapse; the money of a refused payout has already been
 * returned.
 */
function hasLapsed({ direction, state, failure_code }: Instruction): boolean {
  return direction === 'collect' && state === 'refused' && failure_code === 'payer_timeout'
}

/**
 * Handles a refusal. One of the send itself is final: the operator took nothing. One of an order that it had accepted
 * counts when it is not vague any more, and is looked at again later, because the money may have moved all the same.
 */
function ofRefusal(about: About, outcome: Extract<Answer, { kind: 'refused' }>): Decision {
  const { instruction, unchanged, kept, attempt, looks, latest, silence } = about
  const ended = { ...failed(about, 'refusal_established', outcome.failure_code), ...kept, next_action: null }
  if (!isOfAcceptedOrder(instruction, outcome, attempt)) return ended
  const wait = untilItCounts(instruction, outcome, about.secondAnswerAfter)
  if (wait === null) return { ...ended, look_in: untilNextLook(0, looks.after) }
  const check_in = Math.min(wait + LOST_JOB_SECONDS * 1_000, latest)
  return { ...unchanged, ...kept, state: held(about), is_vague: true, ask_in: wait, check_in, conclusion: silence }
}

/**
 * A callback or a late look triggers an inquiry about a refused instruction, and an identical second callback does not.
 * So an answer that settles nothing schedules another inquiry; otherwise we would miss a late proof. That of a look
 * goes on with the looks.
 */
function afterRefusal({ instruction, unchanged, planned, looks }: About, { kind }: Answer): Decision {
  const silent = kind === 'unknown' || kind === 'pending'
  const look_in = untilNextLook(instruction.ended_ms_ago ?? 0, looks.after, silent && looks.isLook)
  return { ...unchanged, look_in, check_in: silent && !looks.isLook ? planned : null }
}

/** Handles the proof that a send did not leave. */
function ofNotSent(about: About): Decision {
  const { instruction, unchanged, next_check } = about
  if (about.of_one_send) return { ...oneSendLess(about), not_sent: true }
  // The operator has already shown that it holds the order, so it did leave.
  if (instruction.state === 'sent') return { ...unchanged, check_in: next_check }
  const prepared = { ...unchanged, state: nextState(instruction.state, 'never_left'), not_sent: true }
  const more = instruction.attempts - SENDS_MAX
  if (more < 0) return { ...prepared, check_in: RESEND_IN }
  if (about.isSilent && instruction.direction !== 'collect') {
    return { ...prepared, check_in: Math.min(RESEND_IN * 2 ** Math.min(more, 8), RESEND_AT_LATEST) }
  }
  return { ...failed(about, 'never_left_too_often', 'operator_unavailable'), not_sent: true }
}

/** Handles an operator that does not hold the order, or whose answer we do not understand. */
function ofNothingKnown(about: About, kind: 'not_found' | 'unknown'): Decision {
  const { instruction, unchanged, next_check, silence } = about
  // The inquiry began before it was proven that nothing had left. Its answer says nothing about the next send.
  if (instruction.state === 'prepared') return { ...unchanged, check_in: RESEND_IN }
  return {
    ...unchanged,
    state: nextState(instruction.state, 'outcome_unclear'),
    check_in: kind === 'not_found' ? Math.min(next_check, untilHeard(about)) : next_check,
    conclusion: silence,
  }
}

/** Refuses an instruction that certainly moved no money. */
function failed({ instruction, unchanged }: About, trigger: InstructionTrigger, failure_code: FailureCode): Decision {
  const state = nextState(instruction.state, trigger)
  return { ...unchanged, state, is_vague: false, failure_code, conclusion: { kind: 'failed', failure_code } }
}

/** The state of an order that the operator holds. */
function held({ instruction }: About): InstructionState {
  return nextState(instruction.state, 'held_by_operator')
}

/** Ends one send without effect. Our knowledge of the other sends is unchanged. */
function oneSendLess({ instruction, attempt, unchanged, next_check }: About): Decision {
  const over = instruction.state === 'sending' && attempt === instruction.attempts
  const state = over ? nextState(instruction.state, 'outcome_unclear') : instruction.state
  return { ...unchanged, state, check_in: Math.min(next_check, RESEND_IN) }
}

/**
 * Milliseconds until the next inquiry about an order that the operator does not hold, timed so that the order can be
 * sent again as soon as the promise allows it. An order that must not leave for long, for example because payouts are
 * stopped, is asked about less and less often.
 */
function untilHeard({ instruction, promises }: About): number {
  const promise = promises[instruction.direction]
  const { not_found } = promise
  const age = instruction.sent_ms_ago ?? 0
  const open =
    instruction.state !== 'sent' &&
    isPromised(promise, age) &&
    instruction.sent_again < repetitionsMax(instruction.direction)
  if (!open) return Number.POSITIVE_INFINITY
  return Math.max((not_found.after_seconds * 1_000) / not_found.times, age / 4)
}
