import {
  type Act,
  type ActCall,
  type ActRefused,
  type AnyAct,
  type AnyCall,
  refusalOf,
  type Target,
} from '../../acts/act.ts'
import { type Facts, linesOf } from '../../acts/facts.ts'
import { type ActDeps, askAct, performAct, type Question } from '../../acts/perform.ts'
import { unlessBusy } from '../../acts/unless-busy.ts'
import { proofOf } from '../../people/step-up/proof-of.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import type { Words } from '../../values/language.ts'
import { askForFactor, takeFactor } from '../ask-for-factor.ts'
import { note, rows } from '../components.ts'
import type { ConsoleFrame } from '../console-frame.ts'
import type { FieldError } from '../forms.ts'
import {
  absent,
  defineConsoleScreen,
  defineDeskScreen,
  moved,
  type Screen,
  type ScreenAnswer,
  type ScreenDoor,
  type ScreenRequest,
} from '../screen.ts'
import { tenantIn } from '../tenant-in.ts'
import { readActFields } from './act-fields.ts'

/** The dependencies of every act at its screens. */
export type ActScreenDeps = ActDeps & { readonly console: ConsoleFrame }

type Place<Door extends ScreenDoor, Deps, Result> = {
  /** The fields of the act that come with the address. */
  readonly query?: readonly string[]
  /** The text of a field that the form names otherwise. Undefined: as the form names it. */
  readonly text?: (request: ScreenRequest<Door>, name: string) => string | undefined
  /** The page of the act's form or subject, for the link back. */
  readonly back: (request: ScreenRequest<Door>) => string
  /** The page after the act, or its address. */
  readonly done: (request: ScreenRequest<Door>, result: Result, deps: Deps) => string | ScreenAnswer
  /** Shows the form or the subject again, as it stands now, with the reasons. `refusal`: null when a field cannot be read. */
  readonly again: (
    request: ScreenRequest<Door>,
    deps: Deps,
    errors: readonly FieldError[],
    refusal: ActRefused | null,
  ) => Promise<ScreenAnswer>
  /** Reads what the act needs from outside the database, such as an operator's answer, before the act. A page ends the request. */
  readonly prepare?: (request: ScreenRequest<Door>, deps: Deps) => Promise<Deps | ScreenAnswer>
  /** Draws the question in place of the facts. */
  readonly shown?: (request: ScreenRequest<Door>, deps: Deps, content: Content) => Promise<Html>
}
type Content = Question['signed']['content']
type AtAddress = { readonly path: string }

/** The POST of an act on the desk, with its question. */
export function deskAct<D, Result, Deps extends D & ActScreenDeps = D & ActScreenDeps>(
  act: Act<D, Result>,
  place: Place<'desk', Deps, Result> & AtAddress,
): Screen<Deps> {
  return defineDeskScreen<Deps>(screenOf('desk', act, place))
}

/** The POST of an act in a merchant's console, with its question. */
export function consoleAct<D, Result, Deps extends D & ActScreenDeps = D & ActScreenDeps>(
  act: Act<D, Result>,
  place: Place<'console', Deps, Result> & AtAddress,
): Screen<Deps> {
  return defineConsoleScreen<Deps>(screenOf('console', act, place))
}

function screenOf<Door extends ScreenDoor, D, Result, Deps extends D & ActScreenDeps>(
  door: Door,
  act: Act<D, Result>,
  place: Place<Door, Deps, Result> & AtAddress,
) {
  const { name, summary, right } = act
  return {
    method: 'POST',
    path: place.path,
    ...(place.query === undefined ? {} : { query: place.query }),
    operation: name,
    summary,
    right,
    acts: [act],
    handle: (request: ScreenRequest<Door>, deps: Deps) => serveAct(door, act, place, request, deps),
  } as const
}

/** An act at an address that it shares with others. */
export type ActThere<Deps> = {
  readonly act: AnyAct
  readonly serve: (request: ScreenRequest<'console'>, deps: Deps) => Promise<ScreenAnswer>
}

/** An act in a merchant's console whose address has several: `consoleActs` chooses by the request. */
export function actThere<D, Result, Deps extends D & ActScreenDeps>(
  act: Act<D, Result>,
  place: Place<'console', Deps, Result>,
): ActThere<Deps> {
  return { act, serve: (request, deps) => serveAct('console', act, place, request, deps) }
}

/** The POST of one of several acts with one right, in a merchant's console. */
export function consoleActs<Deps>(
  screen: { readonly path: string; readonly operation: string; readonly summary: string },
  acts: readonly [ActThere<Deps>, ...ActThere<Deps>[]],
  choose: (request: ScreenRequest<'console'>) => ActThere<Deps> | null,
): Screen<Deps> {
  return defineConsoleScreen<Deps>({
    ...screen,
    method: 'POST',
    right: acts[0].act.right,
    acts: acts.map(({ act }) => act),
    handle: async (request, deps) => choose(request)?.serve(request, deps) ?? absent,
  })
}

/**
 * One POST of an act: reads the fields, asks for a factor or takes the one that came, and carries the act out. An act that would be refused is
 * refused before anybody is asked.
 */
async function serveAct<Door extends ScreenDoor, D, Result, Deps extends D & ActScreenDeps>(
  door: Door,
  act: Act<D, Result>,
  place: Place<Door, Deps, Result>,
  request: ScreenRequest<Door>,
  given: Deps,
): Promise<ScreenAnswer> {
  const { fields, query } = request
  const textOf = (name: string) =>
    place.text?.(request, name) ?? (place.query?.includes(name) ? (query.get(name) ?? '') : fields.text(name))
  const read = readActFields(act.fields, request, textOf)
  if ('errors' in read) return place.again(request, given, read.errors, null)
  const call = callOf(act.on, request, read.values)
  if (call === null) return absent
  const deps = (await place.prepare?.(request, given)) ?? given
  if ('kind' in deps) return deps
  const conclude = (outcome: { readonly kind: 'done'; readonly result: Result } | ActRefused) => {
    if (outcome.kind === 'refused') return refused(act, place, request, deps, outcome)
    const next = place.done(request, outcome.result, deps)
    return typeof next === 'string' ? moved(request.at(next)) : next
  }
  const factors = deps.console.factorsAt(door)
  const factor = act.fresh ? await takeFactor(factors, request) : null
  if (factor === null || factor.kind === 'confirmed') {
    const proof = factor && proofOf(request.session, factor.step_up_id)
    const outcome = await unlessBusy(performAct(act, deps, call, proof))
    if (outcome.kind !== 'ask_again') return conclude(outcome)
  }
  const asked = await unlessBusy(askAct(act, deps, call))
  if (asked.kind !== 'question') return conclude(asked)
  const why = factor?.kind === 'refused' ? factor : factor?.kind === 'confirmed' ? CHANGED : null
  const shown = (await place.shown?.(request, deps, asked.signed.content)) ?? drawFacts(act, request, asked)
  const question = { title: request.say(act.title), back: place.back(request), shown }
  return askForFactor(factors, request, asked.signed, question, why)
}

const CHANGED = { code: 'content_changed' } as const

async function refused<Door extends ScreenDoor, Deps>(
  act: AnyAct,
  place: Pick<Place<Door, Deps, never>, 'again'>,
  request: ScreenRequest<Door>,
  deps: Deps,
  refusal: ActRefused,
): Promise<ScreenAnswer> {
  if (refusal.code === 'resource_not_found') return absent
  const { at } = refusalOf(act, refusal.code)
  return place.again(request, deps, [{ field: at, text: sayRefusal(request, act, refusal) }], refusal)
}

/** Writes why an act is refused. */
export function sayRefusal({ say }: Pick<ScreenRequest<ScreenDoor>, 'say'>, act: AnyAct, refusal: ActRefused): string {
  const sayWith = say as (words: Words, fillings?: object) => string
  const fillings = Object.entries(refusal.fillings ?? {}).map(([name, filling]) => [
    name,
    typeof filling === 'object' ? sayWith(filling) : filling,
  ])
  return sayWith(refusalOf(act, refusal.code).words, Object.fromEntries(fillings))
}

/** The call of an act whose subject the address names, or a field of the form. Null: they name none. */
function callOf(on: Target, request: ScreenRequest<ScreenDoor>, values: ActCall['values']): AnyCall | null {
  const { actor: by, livemode } = request
  const own = 'tenant' in request ? request.tenant : null
  const common = { by, values, within: own ?? { livemode } }
  if (on.kind === 'row') return { ...common, id: request.params.id ?? request.fields.text(on.option) }
  if (on.kind === 'service') return common
  const tenant = own ?? tenantIn(request)
  if (tenant === null) return null
  return on.kind === 'merchant' ? { ...common, tenant } : { ...common, merchant_id: tenant.merchant_id }
}

function drawFacts(
  act: AnyAct,
  { say }: Pick<ScreenRequest<ScreenDoor>, 'say'>,
  { signed: { content }, note: pointed }: Question,
): Html {
  const pointedOut = pointed !== null && note('plain', null, say(pointed))
  return html`${headOf(say(act.title), content.amount)}${slipOf(act.facts, content, say)}${pointedOut}`
}

function headOf(title: string, amount: unknown): Html {
  if (typeof amount !== 'number') return html`<h1>${title}</h1>`
  return html`<h1><span class="sr">${title} </span>${drawAmount(amount)}</h1><p class="say">${title}</p>`
}

function slipOf(facts: Facts, content: Question['signed']['content'], say: ScreenRequest<ScreenDoor>['say']): Html {
  const { amount: _, ...others } = facts
  return rows(linesOf(others, content).map(({ name, value }) => ({ name: say(name), value: say(value) })))
}
