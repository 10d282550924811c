import { combine, type Increase, type Part } from './part.ts'
import { isBeyond, type Rule } from './rule.ts'

/** A rule's condition that holds: since when, when it fired (null: not yet), and its value, if anything reports it. */
export type Held = {
  readonly rule: string
  readonly since: Date
  readonly fired_at: Date | null
  readonly value: number | null
}

/** The value of a rule over all processes at this moment. Null: nothing reports it. Pure. */
export function valueOfRule(rule: Rule, parts: readonly Part[], now: Date): number | null {
  if (parts.length === 0) return null
  if (rule.take === 'rate') return rateOf(rule, parts as readonly Increase[])
  const values = (parts as readonly { value: number }[]).map(({ value }) => value)
  const value = combine(rule.take, values)
  return rule.since ? now.getTime() / 1_000 - value : value
}

function rateOf({ of }: Rule, parts: readonly Increase[]): number | null {
  const sum = (field: keyof Increase) =>
    combine(
      'sum',
      parts.map((part) => part[field]),
    )
  if (of === undefined)
    return combine(
      'sum',
      parts.map(({ increase, seconds }) => increase / seconds),
    )
  return sum('whole') > 0 ? sum('increase') / sum('whole') : null
}

/** The state of a rule after one evaluation: it begins to hold, goes on, fires, or ends. */
export type Judged =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'ended'; readonly fired: boolean }
  | { readonly kind: 'holds'; readonly since: Date; readonly fires: boolean; readonly fired_at: Date | null }

/**
 * Decides about one rule. Pure.
 * @param before its state of the last evaluation; null: its condition did not hold
 * @param for_percent the part of each rule's time that has to pass, for runs that cannot wait
 */
export function judge(rule: Rule, value: number | null, before: Held | null, now: Date, for_percent = 100): Judged {
  if (!isBeyond(rule, value))
    return before === null ? { kind: 'quiet' } : { kind: 'ended', fired: before.fired_at !== null }
  const since = before?.since ?? now
  if (before?.fired_at != null) return { kind: 'holds', since, fires: false, fired_at: before.fired_at }
  const fires = now.getTime() - since.getTime() >= rule.for_seconds * for_percent * 10
  return { kind: 'holds', since, fires, fired_at: fires ? now : null }
}
