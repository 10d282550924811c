import type { ActName } from '../audit-log/act-words.ts'
import { recordActs, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import { isBreakGlass } from '../values/actor.ts'
import type { Words } from '../values/language.ts'
import { type Act, type ActDecision, type ActRefused, type AnyCall, isWithin, type Loaded, refuse } from './act.ts'
import { readMerchantName } from './store.ts'

/** The act as a person signs it: the same three at each door. */
export type Signed = {
  readonly operation: string
  readonly subject: string
  readonly content: Readonly<Record<string, unknown>>
}

/** A fresh factor that the person has given for one act. */
export type Proof = {
  readonly step_up_id: string
  /**
   * Uses the proof up in the transaction of the act, with the content that was read under its locks. Null: used. Otherwise the person has to be
   * asked again.
   */
  readonly use: (tx: Tx, signed: Signed) => Promise<'content_changed' | 'step_up_missing' | 'step_up_used' | null>
}

export type Question = { readonly kind: 'question'; readonly signed: Signed; readonly note: Words | null }
/** `done`: there is nothing to change, and nothing to ask. */
export type Asked<Result> = Question | { readonly kind: 'done'; readonly result: Result } | ActRefused

/**
 * `ask_again`: nothing was done, because the content differs from what the person saw, the proof is over, or a signed-in person has none for an
 * act that needs one.
 */
export type Performed<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | ActRefused
  | { readonly kind: 'ask_again' }

/** The dependencies of every act. */
export type ActDeps = { readonly sql: Sql; readonly clock: Clock }

/**
 * Asks what an act would do: its content to sign, or its refusal, before anybody is asked for a factor. The same reads and the same decision
 * as the act itself, in a transaction that writes nothing.
 */
export function askAct<Deps, Result>(
  act: Act<Deps, Result>,
  deps: Deps & ActDeps,
  call: AnyCall,
): Promise<Asked<Result>> {
  return deps.sql.begin(async (tx): Promise<Asked<Result>> => {
    const found = await look(tx, act, deps, call)
    if (found.kind === 'refused') return found
    const { decision } = found
    if (decision.kind === 'refused') return decision
    if (decision.kind === 'unchanged') return { kind: 'done', result: decision.result }
    return {
      kind: 'question',
      signed: found.signed,
      note: act.note?.(found.has as never, call.values as never) ?? null,
    }
  })
}

/**
 * Carries an act out, in one transaction: locks and reads, compares the content with the signed one, decides, writes the effects and the line
 * of the audit log. A proof is used up by the decision, also by a refusal.
 * @param proof null: none is needed, or the command is break-glass
 */
export function performAct<Deps, Result>(
  act: Act<Deps, Result>,
  deps: Deps & ActDeps,
  call: AnyCall,
  proof: Proof | null,
): Promise<Performed<Result>> {
  // The lines that effects write name the proof too.
  const actor = { ...call.by, step_up_id: proof?.step_up_id ?? null }
  const performed = deps.sql.begin(async (tx): Promise<Performed<Result>> => {
    const found = await look(tx, act, deps, { ...call, by: actor })
    if (found.kind === 'refused') return found
    const { decision, now, has } = found
    if (decision.kind === 'unchanged') return { kind: 'done', result: decision.result }
    if (proof !== null && (await proof.use(tx, found.signed)) !== null) return { kind: 'ask_again' }
    if (decision.kind === 'refused') return decision
    if (act.fresh && proof === null && !isBreakGlass(call.by)) return { kind: 'ask_again' }
    const { effects, result, before = null, after = null, subject = 'id' in call ? call.id : null } = decision
    const { line: name = act.name as ActName } = decision
    const line = { ...has.about, actor, act: name, subject, before, after }
    await applyEffects(tx, [...effects, recordActs(line)], now)
    crashPoint('during_act')
    return { kind: 'done', result }
  })
  return performed.catch((error: unknown) => {
    const met = violatedConstraint(error) ?? (error as { conflict?: string }).conflict
    const [, code] = Object.entries(act.conflicts ?? {}).find(([name]) => met?.startsWith(name)) ?? []
    if (code === undefined) throw error
    return refuse(code)
  })
}

type Looked<Result> =
  | { kind: 'found'; has: Loaded; now: Date; signed: Signed; decision: ActDecision<Result> }
  | ActRefused

async function look<Deps, Result>(
  tx: Tx,
  act: Act<Deps, Result>,
  deps: Deps & ActDeps,
  call: AnyCall,
): Promise<Looked<Result>> {
  // Before `load`, which may open what a merchant lacks.
  const named = merchantIn(call)
  if (named !== null && (await readMerchantName(tx, named)) === null) return refuse('resource_not_found')
  const has = await act.load(tx, call as never, deps)
  if (has === null || !isWithin(has.about, call.within)) return refuse('resource_not_found')
  const { merchant_id, livemode } = has.about
  const isNamed = 'merchant' in act.facts && merchant_id !== WHOLE_SERVICE
  const merchant = isNamed ? { merchant: { name: (await readMerchantName(tx, merchant_id)) ?? '', merchant_id } } : {}
  // The typed values are signed too, so that no act does anything else than its person typed, whatever its content leaves out.
  const typed = Object.keys(call.values).length === 0 ? {} : { typed: call.values }
  const content = { ...merchant, ...act.content(has as never, call.values as never), ...typed, merchant_id, livemode }
  const subject = 'id' in call ? call.id : String(merchant_id)
  const now = deps.clock.now()
  const signed = { operation: act.name, subject, content }
  return { kind: 'found', has, now, signed, decision: act.decide(call as never, has as never, now) }
}

/** The merchant that a call names. Null: it names a row, or the service. */
function merchantIn(call: AnyCall): number | null {
  if ('tenant' in call) return call.tenant.merchant_id
  return 'merchant_id' in call ? call.merchant_id : null
}
