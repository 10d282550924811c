import { tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { type Held, judge, valueOfRule } from './judge.ts'
import type { Part } from './part.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules.ts'
import * as store from './store.ts'

/** Milliseconds of one row of figures. */
const FIGURES_MS = 300_000

/** A rule that fires, or has ended after it fired. */
export type RuleChange = {
  readonly rule: Rule
  readonly change: 'fires' | 'ended'
  readonly since: Date
  readonly value: number | null
}

/** The state of the service: the gravest severity of the rules that fire. */
export function stateOf(held: readonly Pick<Held, 'rule' | 'fired_at'>[]): store.State {
  const firing = new Set(held.filter(({ fired_at }) => fired_at !== null).map(({ rule }) => rule))
  const severities = rules.filter(({ name }) => firing.has(name)).map(({ severity }) => severity)
  return severities.includes('page') ? 'page' : severities.includes('ticket') ? 'ticket' : 'ok'
}

/**
 * Creates the evaluation of every rule over the reports of all processes. One worker evaluates at a time, and the states are in the database, so
 * each beginning and end is told once, in the transaction that records it. Returns the state, or null when another worker evaluates.
 * @param tell notes what people must hear of, in that transaction
 */
export function createEvaluateRules({
  sql,
  tell,
  follow,
  for_percent,
}: {
  sql: Sql
  tell: (tx: Tx, changes: readonly RuleChange[]) => void
  /** Gets the rules that fire and wake a person, in that transaction too. */
  follow: (tx: Tx, firing: readonly { rule: string; since: Date }[], now: Date) => Promise<void>
  for_percent: number
}): () => Promise<store.State | null> {
  return () =>
    sql.begin(async (tx) => {
      if (!(await tryAdvisoryLock(tx, 'rules'))) return null
      await store.forgetProcesses(tx)
      const processes = await store.readProcesses(tx)
      const { now, held } = await store.readHeld(tx)
      const changes: RuleChange[] = []
      const after: Held[] = []
      const figures: Record<string, number> = {}
      for (const rule of rules) {
        const before = held.find((one) => one.rule === rule.name) ?? null
        const value = valueOfRule(rule, partsOf(rule, processes), now)
        if (value !== null) figures[rule.name] = value
        const judged = judge(rule, value, before, now, for_percent)
        if (judged.kind === 'ended' && judged.fired)
          changes.push({ rule, change: 'ended', since: before!.since, value })
        if (judged.kind !== 'holds') continue
        const { since, fired_at, fires } = judged
        after.push({ rule: rule.name, since, fired_at, value })
        if (fires) changes.push({ rule, change: 'fires', since, value })
      }
      const gone = held.filter(({ rule }) => !after.some((one) => one.rule === rule)).map(({ rule }) => rule)
      if (gone.length > 0) await store.removeHeld(tx, gone)
      for (const one of after) await store.writeHeld(tx, one)
      const state = stateOf(after)
      await keepFigures(tx, now, state, figures)
      await follow(tx, pagesOf(after), now)
      if (changes.length > 0) tell(tx, changes)
      return state
    })
}

function pagesOf(held: readonly Held[]): Held[] {
  const pages = new Set(rules.filter(({ severity }) => severity === 'page').map(({ name }) => name))
  return held.filter(({ rule, fired_at }) => fired_at !== null && pages.has(rule))
}

/** The parts of a rule in all processes. A silent process tells only that it is not ready. */
function partsOf({ name }: Rule, processes: readonly store.ProcessRow[]): Part[] {
  return processes.flatMap(({ parts, silent }) => {
    const part = parts[name]
    if (part === undefined || (silent && name !== 'NotReady')) return []
    return [silent ? { value: 0 } : part]
  })
}

const gravity: readonly store.State[] = ['ok', 'ticket', 'page']

/** Keeps the gravest state and the values furthest in the direction of each rule's limit, for the five minutes of this moment. */
async function keepFigures(tx: Tx, now: Date, state: store.State, values: Record<string, number>): Promise<void> {
  const starts_at = new Date(Math.floor(now.getTime() / FIGURES_MS) * FIGURES_MS)
  const before = await store.readFigures(tx, starts_at)
  if (before === null) await store.dropOldFigures(tx)
  const figures = { ...before?.figures, ...values }
  for (const { name, limit } of rules) {
    const [one, other] = [before?.figures[name], values[name]]
    if (one !== undefined && other !== undefined)
      figures[name] = 'above' in limit ? Math.max(one, other) : Math.min(one, other)
  }
  const worst = gravity[Math.max(gravity.indexOf(state), gravity.indexOf(before?.state ?? 'ok'))]!
  await store.writeFigures(tx, { starts_at, state: worst, figures })
}
