import type { FailureCode } from '../../values/failure-codes.ts'
import type { Instruction, InstructionState } from '../instruction.ts'
import type { Connector, Evidence, NextAction, ReadOutcome, SendOutcome } from '../port.ts'

/** The outcome that an answer established for the payment, payout or refund behind the instruction. */
export type Conclusion =
  | { kind: 'succeeded' }
  /** `payer_timeout` says that the request lapsed without a debit. */
  | { kind: 'failed'; failure_code: FailureCode }
  /** The operator has not concluded a payout for too long. No end: it goes on being asked about. */
  | { kind: 'silent' }

/** We gave up before anything was sent: it only counts while nothing has been. Not a word of any operator. */
export type ExpiredUnsent = { kind: 'expired_unsent'; evidence: Evidence }

/** An answer of an operator, to a send or to a question, or our own giving up. */
export type Answer = SendOutcome | ReadOutcome | ExpiredUnsent

/**
 * Kinds of contradictions: proof of another amount or in another currency; proof after a refusal; refusal after a proof; an
 * unknown status; a report about a reference that is none of ours; a second success where one was expected; an operator that
 * has been silent for too long, opened by a person.
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
  /** Milliseconds until it is looked at again; null: never by itself. */
  check_in: number | null
  failure_code: FailureCode | null
  conclusion: Conclusion | null
  anomaly: AnomalyKind | null
  /** The send that was answered is proven never to have left us. */
  not_sent: boolean
  operator_reference: string | null
  operator_state: Evidence | null
  next_action: NextAction | null
}

/**
 * Sends of one instruction at most. When the last is proven not to have left us, and no other may have, it is refused: certainly nothing
 * moved. When one may have left, it stays in doubt, for a person. The database has the same number (`check_send`). Money going out that
 * is proven not to have left waits instead, for as long as its operator does not answer.
 */
export const SENDS_MAX = 5
/** Milliseconds before a send that never left is tried again. */
const RESEND_IN = 30_000
/** The same at most, once it was sent as often as may be and waits for its operator. */
const RESEND_AT_LATEST = 300_000
/** Milliseconds between two looks at what contradicts itself, while a human decides. */
const DAILY = 86_400_000

/**
 * Decides the changes that one answer of an operator makes to an instruction. Pure. The rules: proof counts only for the exact
 * amount; only a definite refusal fails anything; an unknown outcome stays unknown and is asked about later; a contradiction
 * of an earlier end is kept for a human, except that a proof after a lapsed request is good news and is credited.
 *
 * Of an instruction that was sent again, an answer to one of its sends tells only of that send when it says that nothing came of it: not
 * sent, or refused. The others may have left, so only the operator's word about the reference ends it.
 *
 * A word that the connector does not know is kept for a human as well, unless there is something graver to keep.
 * @param attempt which send this answers; null: it is about the reference
 * @param isSilent whether the connector's operator did not answer the last send of this process, to whichever order
 */
export function decide(
  instruction: Instruction,
  outcome: Answer,
  connector: Pick<Connector, 'inquiryPlan' | 'silenceAfter' | 'promises'>,
  attempt: number | null = null,
  isSilent = false,
): Decision {
  const decision = establish({ ...aboutOf(instruction, outcome, connector, attempt), isSilent }, outcome)
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
      if (about.of_one_send) return oneSendLess(about)
      return { ...failed(about, outcome.failure_code), ...kept, next_action: null }
    case 'not_sent':
      return ofNotSent(about)
    case 'expired_unsent':
      // A worker may have begun to send since we looked; then it is no longer ours to give up.
      return instruction.state === 'prepared' ? failed(about, 'payer_timeout') : { ...unchanged, check_in: next_check }
    case 'accepted':
    case 'duplicate':
      // However long the send took, it has just been answered.
      return { ...unchanged, ...kept, state: 'sent', check_in: next_check }
    case 'pending':
      return { ...unchanged, ...kept, state: 'sent', check_in: next_check, conclusion: about.silence }
    case 'not_found':
    case 'unknown':
      return ofNothingKnown(about, outcome.kind)
  }
}

/** An instruction and an answer, with the facts on which every decision about them rests. Times in milliseconds. */
type About = {
  readonly instruction: Instruction
  readonly promises: Connector['promises']
  readonly attempt: number | null
  /** The connector's operator did not answer the last send of this process. */
  readonly isSilent: boolean
  /** The decision that leaves all as it is. */
  readonly unchanged: Decision
  /** The operator's words in the answer, which are kept. */
  readonly kept: Partial<Decision>
  /** Until the plan says to ask again. */
  readonly planned: number
  /**
   * Until it is asked about again. A payout is asked about when its time of silence is over, even if the plan says later, so that it
   * becomes indeterminate then.
   */
  readonly next_check: number
  /** Until a human is shown again what contradicts itself. */
  readonly next_daily: number
  /** Only that one send, of several, is answered. */
  readonly of_one_send: boolean
  /** The conclusion when the answer brings none: the operator has been silent for too long, or null. */
  readonly silence: Conclusion | null
}

function aboutOf(
  instruction: Instruction,
  outcome: Answer,
  { inquiryPlan, silenceAfter, promises }: Pick<Connector, 'inquiryPlan' | 'silenceAfter' | 'promises'>,
  attempt: number | null,
): Omit<About, 'isSilent'> {
  const planned = untilPlanned(instruction, inquiryPlan)
  const watched = instruction.direction === 'payout'
  const until_silence = silenceAfter - (instruction.sent_ms_ago ?? 0)
  const latest = watched && until_silence > 0 ? until_silence : Number.POSITIVE_INFINITY
  return {
    instruction,
    promises,
    attempt,
    unchanged: unchangedOf(instruction),
    kept: keptOf(outcome),
    planned,
    next_check: Math.min(planned, latest),
    next_daily: Math.min(DAILY, latest),
    of_one_send: attempt !== null && instruction.sent_again > 0,
    silence: watched && until_silence <= 0 ? { kind: 'silent' } : null,
  }
}

/**
 * Milliseconds until the plan says to ask again: counted in answers, and at the latest at its next time after the send. A callback or a
 * person that makes us ask brings one more answer, and must not put off the questions that are due anyway. After the service stood still,
 * the answers count: it asks as often as it would have.
 */
function untilPlanned({ asked, sent_ms_ago }: Instruction, plan: readonly number[]): number {
  const byAnswers = plan[Math.min(asked, plan.length - 1)] ?? DAILY
  const last = plan.at(-1) ?? DAILY
  const age = sent_ms_ago ?? 0
  let time = 0
  for (const pause of plan) {
    time += pause
    if (time > age) return Math.min(byAnswers, time - age)
  }
  return Math.min(byAnswers, last - ((age - time) % last))
}

function unchangedOf(instruction: Instruction): Decision {
  const { state, failure_code, operator_reference, operator_state, next_action } = instruction
  return {
    state,
    check_in: null,
    failure_code,
    conclusion: null,
    anomaly: null,
    not_sent: false,
    operator_reference,
    operator_state,
    next_action,
  }
}

/** The operator says that the money moved. */
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
    state: 'confirmed',
    failure_code: null,
    conclusion: { kind: 'succeeded' },
    next_action: null,
  }
}

/** An ended instruction keeps its end, and is not asked about again by itself. */
function ofWrongProof({ instruction, unchanged, kept, next_daily, silence }: About, anomaly: AnomalyKind): Decision {
  const { state } = instruction
  const open = state !== 'refused' && state !== 'confirmed'
  return open
    ? { ...unchanged, ...kept, state: 'sent', anomaly, check_in: next_daily, conclusion: silence }
    : { ...unchanged, ...kept, anomaly }
}

/** Only a payer can let a request lapse: the money of a refused payout has gone back already. */
function hasLapsed({ direction, state, failure_code }: Instruction): boolean {
  return direction === 'collect' && state === 'refused' && failure_code === 'payer_timeout'
}

/**
 * Only a callback makes us ask about a refused instruction, and a second one with the same bytes does not. An answer that
 * settles nothing must not be the last one, or we would miss a late proof.
 */
function afterRefusal({ unchanged, planned }: About, { kind }: Answer): Decision {
  return kind === 'unknown' || kind === 'pending' ? { ...unchanged, check_in: planned } : unchanged
}

/** A send is proven not to have left. */
function ofNotSent(about: About): Decision {
  const { instruction, unchanged, next_check } = about
  if (about.of_one_send) return { ...oneSendLess(about), not_sent: true }
  // The operator has shown that it holds it: it did leave.
  if (instruction.state === 'sent') return { ...unchanged, check_in: next_check }
  const prepared = { ...unchanged, state: 'prepared', not_sent: true } as const
  const more = instruction.attempts - SENDS_MAX
  if (more < 0) return { ...prepared, check_in: RESEND_IN }
  if (about.isSilent && instruction.direction !== 'collect') {
    return { ...prepared, check_in: Math.min(RESEND_IN * 2 ** Math.min(more, 8), RESEND_AT_LATEST) }
  }
  return { ...failed(about, 'operator_unavailable'), not_sent: true }
}

/** The operator does not hold it, or says nothing that we understand. */
function ofNothingKnown(about: About, kind: 'not_found' | 'unknown'): Decision {
  const { instruction, unchanged, next_check, silence } = about
  // Asked before it was proven that nothing had left: the answer tells nothing of the send that is still to come.
  if (instruction.state === 'prepared') return { ...unchanged, check_in: RESEND_IN }
  return {
    ...unchanged,
    state: instruction.state === 'sent' ? 'sent' : 'unknown',
    check_in: kind === 'not_found' ? Math.min(next_check, untilHeard(about)) : next_check,
    conclusion: silence,
  }
}

/** It certainly moved nothing. */
function failed({ unchanged }: About, failure_code: FailureCode): Decision {
  return { ...unchanged, state: 'refused', failure_code, conclusion: { kind: 'failed', failure_code } }
}

/** One send is over without effect; we know no more of the others than before. */
function oneSendLess({ instruction, attempt, unchanged, next_check }: About): Decision {
  const over = instruction.state === 'sending' && attempt === instruction.attempts
  return { ...unchanged, state: over ? 'unknown' : instruction.state, check_in: Math.min(next_check, RESEND_IN) }
}

/**
 * Milliseconds after which to ask again about what the operator says it does not hold, so that it can leave again as soon as its word
 * counts. An order that is kept from leaving for long, say because payouts are stopped, is asked about less and less often.
 */
function untilHeard({ instruction, promises }: About): number {
  const { same_reference, not_found } = promises[instruction.direction]
  const open =
    instruction.state !== 'sent' && same_reference === 'never_twice' && instruction.sent_again + 1 < SENDS_MAX
  if (!open) return Number.POSITIVE_INFINITY
  return Math.max((not_found.after_seconds * 1_000) / not_found.times, (instruction.sent_ms_ago ?? 0) / 4)
}

/**
 * The fact that an answer states, in few words: a fact is kept for a human once, however often an operator repeats it.
 * Empty for an answer that states nothing.
 */
export function factOf(answer: Answer): string {
  const unlisted = unlistedIn(answer)
  if (unlisted !== null) return unlisted
  if (answer.kind === 'settled') return `${answer.amount} ${answer.currency}`
  return answer.kind === 'refused' ? answer.failure_code : ''
}

function unlistedIn(answer: Answer): string | null {
  return 'unlisted' in answer ? (answer.unlisted ?? null) : null
}

function keptOf(outcome: Answer): Partial<Decision> {
  if (!('operator_state' in outcome || 'operator_reference' in outcome || 'next_action' in outcome)) return {}
  const { operator_reference, operator_state, next_action } = outcome
  return {
    ...(operator_reference === undefined ? {} : { operator_reference }),
    ...(operator_state === undefined ? {} : { operator_state }),
    ...(next_action === undefined ? {} : { next_action }),
  }
}
