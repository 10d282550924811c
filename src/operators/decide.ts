import type { FailureCode } from '../values/failure-codes.ts'
import type { Instruction, InstructionState } from './instruction.ts'
import type { Connector, Evidence, NextAction, ReadOutcome, SendOutcome } from './port.ts'

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
 * moved. When one may have left, it stays in doubt, for a person. The database has the same number (`check_send`).
 */
export const SENDS_MAX = 5
/** Milliseconds before a send that never left is tried again. */
const RESEND_IN = 30_000
/** Milliseconds between two looks at what contradicts itself, while a human decides. */
const DAILY = 86_400_000

/**
 * Decides the changes that one answer of an operator makes to an instruction. Pure. The rules: proof counts only for the exact
 * amount; only a definite refusal fails anything; an unknown outcome stays unknown and is asked about later; a contradiction
 * of an earlier end is kept for a human, except that a proof after a lapsed request is good news and is credited.
 *
 * Of an instruction that was sent again, an answer to one of its sends tells only of that send when it says that nothing came of it: not
 * sent, or refused. The others may have left, so only the operator's word about the reference ends it.
 * @param attempt which send this answers; null: it is about the reference
 */
export function decide(
  instruction: Instruction,
  outcome: Answer,
  { inquiryPlan, silenceAfter, promises }: Pick<Connector, 'inquiryPlan' | 'silenceAfter' | 'promises'>,
  attempt: number | null = null,
): Decision {
  const unchanged: Decision = {
    state: instruction.state,
    check_in: null,
    failure_code: instruction.failure_code,
    conclusion: null,
    anomaly: null,
    not_sent: false,
    operator_reference: instruction.operator_reference,
    operator_state: instruction.operator_state,
    next_action: instruction.next_action,
  }
  const kept = keptOf(outcome)
  // Only a payer can let a request lapse: the money of a refused payout has gone back already.
  const lapsed =
    instruction.direction === 'collect' &&
    instruction.state === 'refused' &&
    instruction.failure_code === 'payer_timeout'
  const planned = inquiryPlan[Math.min(instruction.asked, inquiryPlan.length - 1)] ?? DAILY
  // A payout is asked about when its time of silence is over, even if the plan says later, so that it becomes indeterminate then.
  const untilSilence = silenceAfter - (instruction.sent_ms_ago ?? 0)
  const watched = instruction.direction === 'payout'
  const soonestOf = (pause: number) => (watched && untilSilence > 0 ? Math.min(pause, untilSilence) : pause)
  const nextCheck = soonestOf(planned)
  const ofOneSend = attempt !== null && instruction.sent_again > 0
  const silence: Conclusion | null = watched && untilSilence <= 0 ? { kind: 'silent' } : null

  if (outcome.kind === 'settled') {
    if (outcome.currency !== instruction.currency || outcome.amount !== instruction.amount) {
      const anomaly = outcome.amount === instruction.amount ? 'currency_differs' : 'amount_differs'
      // An ended instruction keeps its end, and is not asked about again by itself.
      const open = instruction.state !== 'refused' && instruction.state !== 'confirmed'
      const check_in = open ? soonestOf(DAILY) : null
      return {
        ...unchanged,
        ...kept,
        state: open ? 'sent' : instruction.state,
        anomaly,
        check_in,
        conclusion: open ? silence : null,
      }
    }
    if (instruction.state === 'confirmed') return unchanged
    if (instruction.state === 'refused' && !lapsed) return { ...unchanged, anomaly: 'proof_after_refusal' }
    return {
      ...unchanged,
      ...kept,
      state: 'confirmed',
      failure_code: null,
      conclusion: { kind: 'succeeded' },
      next_action: null,
    }
  }
  if (instruction.state === 'confirmed') {
    return outcome.kind === 'refused' && !ofOneSend ? { ...unchanged, anomaly: 'refusal_after_proof' } : unchanged
  }
  if (instruction.state === 'refused') {
    // Only a callback makes us ask about a refused instruction, and a second one with the same bytes does not. An answer that
    // settles nothing must not be the last one, or we would miss a late proof.
    const settlesNothing = outcome.kind === 'unknown' || outcome.kind === 'pending'
    return settlesNothing ? { ...unchanged, check_in: planned } : unchanged
  }

  /**
   * Milliseconds after which to ask again about what the operator says it does not hold, so that it can leave again as soon as its word
   * counts. An order that is kept from leaving for long, say because payouts are stopped, is asked about less and less often.
   */
  function untilHeard(): number {
    const { same_reference, not_found } = promises[instruction.direction]
    const open = instruction.state !== 'sent' && same_reference === 'never_twice' && instruction.attempts < SENDS_MAX
    if (!open) return Number.POSITIVE_INFINITY
    return Math.max((not_found.after_seconds * 1_000) / not_found.times, (instruction.sent_ms_ago ?? 0) / 4)
  }

  /** One send is over without effect; we know no more of the others than before. */
  function oneLess(): Decision {
    const over = instruction.state === 'sending' && attempt === instruction.attempts
    return { ...unchanged, state: over ? 'unknown' : instruction.state, check_in: Math.min(nextCheck, RESEND_IN) }
  }

  switch (outcome.kind) {
    case 'refused': {
      if (ofOneSend) return oneLess()
      const { failure_code } = outcome
      const conclusion: Conclusion = { kind: 'failed', failure_code }
      return { ...unchanged, ...kept, state: 'refused', failure_code, conclusion, next_action: null }
    }
    case 'not_sent': {
      if (ofOneSend) return { ...oneLess(), not_sent: true }
      // The operator has shown that it holds it: it did leave.
      if (instruction.state === 'sent') return { ...unchanged, check_in: nextCheck }
      if (instruction.attempts < SENDS_MAX) {
        return { ...unchanged, state: 'prepared', not_sent: true, check_in: RESEND_IN }
      }
      const failure_code: FailureCode = 'operator_unavailable'
      return {
        ...unchanged,
        state: 'refused',
        not_sent: true,
        failure_code,
        conclusion: { kind: 'failed', failure_code },
      }
    }
    case 'expired_unsent': {
      // A worker may have begun to send since we looked; then it is no longer ours to give up.
      if (instruction.state !== 'prepared') return { ...unchanged, check_in: nextCheck }
      const failure_code: FailureCode = 'payer_timeout'
      return { ...unchanged, state: 'refused', failure_code, conclusion: { kind: 'failed', failure_code } }
    }
    case 'accepted':
    case 'duplicate':
      // However long the send took, it has just been answered.
      return { ...unchanged, ...kept, state: 'sent', check_in: nextCheck }
    case 'pending':
      return { ...unchanged, ...kept, state: 'sent', check_in: nextCheck, conclusion: silence }
    case 'not_found':
    case 'unknown':
      // Asked before it was proven that nothing had left: the answer tells nothing of the send that is still to come.
      if (instruction.state === 'prepared') return { ...unchanged, check_in: RESEND_IN }
      return {
        ...unchanged,
        state: instruction.state === 'sent' ? 'sent' : 'unknown',
        check_in: Math.min(nextCheck, outcome.kind === 'not_found' ? untilHeard() : nextCheck),
        conclusion: silence,
      }
  }
}

/**
 * The fact that an answer states, in few words: a fact is kept for a human once, however often an operator repeats it.
 * Empty for an answer that states nothing.
 */
export function factOf(answer: Answer): string {
  if (answer.kind === 'settled') return `${answer.amount} ${answer.currency}`
  return answer.kind === 'refused' ? answer.failure_code : ''
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
