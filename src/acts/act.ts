import type { ActName, OtherName } from '../audit-log/act-words.ts'
import type { About } from '../audit-log/record-act.ts'
import type { Effect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { IdPrefix } from '../values/ids.ts'
import type { Words } from '../values/language.ts'
import type { Right } from '../values/rights.ts'
import type { Facts, Fields, OwnContentOf, ValuesOf } from './facts.ts'
import { busyWords } from './unless-busy.ts'

/** The subject of an act: a row that a person names by its id, a merchant in one mode, a merchant in both, or the service as a whole. */
export type Target =
  | {
      readonly kind: 'row'
      readonly prefix: IdPrefix | 'uuid' | 'any'
      readonly noun: string
      readonly option: string
      readonly place: 'found' | 'named' | 'of_merchant'
    }
  | { readonly kind: 'merchant' }
  | { readonly kind: 'merchant_in_both' }
  | { readonly kind: 'service' }

/**
 * A row by its id: `/adjustments/:id` in the browser, `--id` on the command line.
 * @param prefix of its id; `uuid`: without one; `any`: of several kinds, or none of ours
 * @param noun its name in errors and help
 * @param option the name of the option with the id
 * @param place `named`: its command also has `--merchant` and `--mode`, and knows no row of another place; `of_merchant`: `--merchant` alone
 */
export function row<const Prefix extends IdPrefix | 'uuid' | 'any'>(
  prefix: Prefix,
  noun: string,
  { option = 'id', place = 'found' }: { option?: string; place?: 'found' | 'named' | 'of_merchant' } = {},
) {
  return { kind: 'row', prefix, noun, option, place } as const
}

/** A merchant in one mode: in the address in the browser, `--merchant` and `--mode` on the command line. */
export const merchant = { kind: 'merchant' } as const

/** A merchant in test and live mode together: `--merchant` on the command line. */
export const merchantInBothModes = { kind: 'merchant_in_both' } as const

/** The service as a whole: no merchant, or one of its fields. */
export const service = { kind: 'service' } as const

/** One call of an act by one person. */
export type ActCall<On extends Target = Target, Values = Readonly<Record<string, unknown>>> = {
  readonly by: Actor
  readonly values: Values
  /** The place of the page, in which a subject of another place is unknown. Empty on the command line of the staff. */
  readonly within: Partial<Tenant>
} & (On extends { kind: 'row' }
  ? { readonly id: string }
  : On extends { kind: 'merchant' }
    ? { readonly tenant: Tenant }
    : On extends { kind: 'merchant_in_both' }
      ? { readonly merchant_id: number }
      : unknown)

/** A call of any act. */
export type AnyCall =
  | ActCall<{ kind: 'row' } & Target>
  | ActCall<{ kind: 'merchant' }>
  | ActCall<{ kind: 'merchant_in_both' }>
  | ActCall<{ kind: 'service' }>

/**
 * Whether a subject is of the place of a call. A merchant in both modes is known in each. `performAct` asks it of every act; a `load` asks it
 * before it locks, so that a row of another merchant stays unlocked.
 */
export function isWithin(about: About, { merchant_id, livemode }: Partial<Tenant>): boolean {
  if (merchant_id !== undefined && about.merchant_id !== merchant_id) return false
  return livemode === undefined || about.livemode === null || about.livemode === livemode
}

/** The least that `load` returns: the merchant and mode concerned, for the audit log. */
export type Loaded = { readonly about: About }

/** The decision on a call. */
export type ActDecision<Result, Code extends string = string> =
  | ActAccepted<Result>
  /** There is nothing to change: the act was done before. It writes no line and asks for no factor. */
  | { readonly kind: 'unchanged'; readonly result: Result }
  | ActRefused<Code>

export type ActAccepted<Result> = {
  readonly kind: 'accepted'
  readonly effects: readonly Effect[]
  /** For the door: the page that follows, the answer of the command. */
  readonly result: Result
  /** The audit line: the values before and after, without secrets and free text. */
  readonly before?: object
  readonly after?: object
  /** The subject of the line. Absent: the id of the row, or none for a merchant. */
  readonly subject?: string
  /** The name of the line, where one act has several or several have one. Absent: the name of the act. */
  readonly line?: ActName
}

export type ActRefused<Code extends string = string> = {
  readonly kind: 'refused'
  readonly code: Code
  /** For the variables in the words of the refusal. Words: a text that depends on the language, such as a date. */
  readonly fillings?: Fillings
}

export type Fillings = Readonly<Record<string, string | number | Words>>

export function refuse<Code extends string>(code: Code, fillings?: ActRefused<Code>['fillings']): ActRefused<Code> {
  return fillings === undefined ? { kind: 'refused', code } : { kind: 'refused', code, fillings }
}

/**
 * The words of a refusal. With `command` the command line has its own, because it names an option. `at`: the field that shows it.
 * `mistyped`: what was typed names nothing, so the command exits with 2, as for any wrong option.
 */
export type RefusalWords =
  | Words
  | { readonly words: Words; readonly command?: string; readonly at?: string; readonly mistyped?: true }

/**
 * An act of a person, declared once. The screen and its question, the command, the line of the audit log, the name of the proof, the row of
 * docs/acts.md and the tests of rights come from it. Its doors know only what it needs and what it results in.
 */
export type Act<Deps, Result> = {
  /** In the audit log, the step-up, the metrics and docs/acts.md; with a space, the command. */
  readonly name: ActName | OtherName
  /** Its effect, in one English sentence without its full stop: help, docs, metrics. */
  readonly summary: string
  /** The head of the question. */
  readonly title: Words
  readonly right: Right
  /** Whether a signed-in person confirms it with a fresh factor. A break-glass command has none. */
  readonly fresh: boolean
  readonly on: Target
  readonly fields: Fields
  readonly facts: Facts
  readonly load: (tx: Tx, call: never, deps: Deps) => Promise<Loaded | null>
  readonly content: (has: never, values: never) => Readonly<Record<string, unknown>>
  readonly note?: (has: never, values: never) => Words | null
  readonly decide: (call: never, has: never, now: Date) => ActDecision<Result>
  readonly refusals: Readonly<Record<string, RefusalWords>>
  /** The sentence of the command line about a subject that does not exist. Absent: one with its noun. A page has one for all. */
  readonly unknown?: string
  readonly conflicts?: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: lists of acts hold every act.
export type AnyAct = Act<any, any>

/** Declares an act. The types of its values, its content and its refusals follow from the declaration. */
export function defineAct<
  const On extends Target,
  const Typed extends Fields,
  const Known extends Facts,
  Deps,
  Has extends Loaded,
  Result,
  Code extends string = never,
>(
  act: Omit<
    Act<Deps, Result>,
    'on' | 'fields' | 'facts' | 'load' | 'content' | 'note' | 'decide' | 'refusals' | 'conflicts'
  > & {
    readonly on: On
    readonly fields: Typed
    readonly facts: Known
    /**
     * Locks what the act changes, in the order of lock-order.ts, and reads what it decides on. The question runs it too, in a transaction that
     * writes nothing. Null: no such subject.
     */
    readonly load: (tx: Tx, call: ActCall<On, ValuesOf<Typed>>, deps: Deps) => Promise<Has | null>
    /** The values that the person reads and signs. Read again under the locks of the act, and compared there. */
    readonly content: (has: Has, values: ValuesOf<Typed>) => OwnContentOf<Known>
    /** A consequence to point out in the question. */
    readonly note?: (has: Has, values: ValuesOf<Typed>) => Words | null
    /** Decides without database and clock. */
    readonly decide: (call: ActCall<On, ValuesOf<Typed>>, has: Has, now: Date) => ActDecision<Result, Code>
    readonly refusals: Readonly<Record<Code, RefusalWords>>
    /** The refusals of what the effects meet: a constraint that a concurrent act violates, by the beginning of its name, or an error's `conflict`. */
    readonly conflicts?: Readonly<Record<string, Code>>
  },
): Act<Deps, Result> & {
  readonly fields: Typed
  readonly decide: (call: ActCall<On, ValuesOf<Typed>>, has: Has, now: Date) => ActDecision<Result, Code>
} {
  return act
}

/** The words of a refusal, its words on the command line, and the field that shows it. */
export function refusalOf(act: AnyAct, code: string) {
  const declared: RefusalWords | undefined = act.refusals[code] ?? (code === 'busy' ? busyWords.text : undefined)
  const found = declared ?? { words: gone, command: act.unknown ?? goneOnCommandLine(act.on) }
  const { words, command, at = 'main', mistyped = false } = 'words' in found ? found : { words: found }
  return { words, command: command ?? words[1], at, mistyped }
}

const gone: Words = ['Il n’y a rien à cette adresse.', 'There is nothing at this address.']

function goneOnCommandLine(on: Target): string {
  return on.kind === 'row' ? `There is no such ${on.noun}.` : 'There is no merchant {merchant}.'
}
