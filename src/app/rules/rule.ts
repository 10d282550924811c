import type { Words } from '../../console/say.ts'

/** Series of one metric. A label is given by its value, or by several of which any will do. */
export type Series = {
  readonly metric: string
  readonly labels?: Readonly<Record<string, string | readonly string[]>>
}

/**
 * A condition that a person must hear of. Prometheus, the worker and the runbook read the same declaration.
 * - `take`: how the values of several series and processes become one. `rate`: the increase within five minutes, per second; with `of`, as a share of
 *   the increase of those series.
 * - `since`: the metric is a moment in seconds since 1970, and the limit is for its age.
 * - `limit`: the condition holds beyond it, not at it.
 * - `absent`: what it means that nothing reports the metric. By default nothing.
 */
export type Rule = Series & {
  readonly name: string
  /** `page`: wakes a person. `ticket`: for the next working day. */
  readonly severity: 'page' | 'ticket'
  readonly take: 'max' | 'min' | 'sum' | 'rate'
  readonly of?: Series
  readonly since?: true
  readonly limit: { readonly above: number } | { readonly below: number }
  /** Seconds for which the condition must hold. */
  readonly for_seconds: number
  readonly absent?: 'fires'
  /** The symptom as a person sees it, in French and English. */
  readonly symptom: Words
  /** The section of the runbook, by its anchor. */
  readonly runbook: string
}

/** Seconds that a rate looks back. */
export const RATE_SECONDS = 300

/** Whether a value breaks the rule. Null: nothing reported it. */
export function isBeyond({ limit, absent }: Rule, value: number | null): boolean {
  if (value === null) return absent === 'fires'
  return 'above' in limit ? value > limit.above : value < limit.below
}
