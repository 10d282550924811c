import type { OperatorReply } from './operator-http.ts'

/** Seconds by which the clock of this machine may be wrong. */
const CLOCK_TOLERANCE = 30

/** Why a check got no answer at all, as a sentence. */
export function unreachable(reply: Exclude<OperatorReply, { kind: 'answered' }>): string {
  return reply.kind === 'not_sent'
    ? `base_url cannot be reached: ${reply.reason}. Check its name, its port and this network.`
    : `base_url took the request and gave no answer: ${reply.reason}.`
}

/**
 * A sentence when this machine's clock and the operator's differ by more than half a minute; null otherwise.
 * @param because why that matters, to end the sentence with
 */
export function clockProblem(reply: OperatorReply, now: Date, operator: string, because: string): string | null {
  const date = reply.kind === 'answered' ? Date.parse(String(reply.headers.date)) : Number.NaN
  const wrong_by = Math.round(Math.abs(now.getTime() - date) / 1_000)
  if (Number.isNaN(date) || wrong_by <= CLOCK_TOLERANCE) return null
  return `The clock of this machine and that of ${operator} differ by ${wrong_by} seconds: set it, because ${because}.`
}
