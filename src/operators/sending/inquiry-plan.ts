import type { Instruction } from '../instruction.ts'

/** Milliseconds of a day: the last pause of an empty plan, and the pause between checks of a contradiction that waits for a person. */
export const DAILY = 86_400_000

/**
 * Milliseconds until the plan's next inquiry. The plan counts answers, but a planned time after the send is never
 * missed: an extra inquiry, caused by a callback or a person, must not delay the planned ones. After a standstill of
 * the service the count of answers decides, so no inquiry of the plan is skipped.
 */
export function untilPlanned({ asked, sent_ms_ago }: Instruction, plan: readonly number[]): number {
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
