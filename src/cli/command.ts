import { userInfo } from 'node:os'
import type { Right } from '../people/rights.ts'
import type { Actor } from '../values/actor.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import type { Tenant } from '../values/caller.ts'
import type { IdPrefix } from '../values/ids.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import type { CommandContext } from './command-context.ts'

/**
 * A message for the person who typed the command, on standard error. The exit code is 1, 2 when the command itself was mistyped, or that of a
 * process without which the command cannot go on.
 */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number
  /** Printed all the same, for a command that was done and whose answer is bad news. */
  readonly answer: object | null

  constructor(message: string, exitCode = 1, answer: object | null = null) {
    super(message)
    this.exitCode = exitCode
    this.answer = answer
  }
}

/** `needed` and `optional` take a text, `list` takes several, `flag` takes none. */
export type OptionKind = 'needed' | 'optional' | 'list' | 'flag'

/** The help for an option, and the values it takes. A field left out is taken from `optionWords`, by the option's name. */
export type OptionWords = {
  /** The placeholder of its value, such as `FRANCS`. */
  value?: string
  /** Its meaning, as the end of a sentence: `the payment link`. */
  says?: string
  /** The only values it takes. */
  choices?: readonly string[]
  /** A value for the example. */
  sample?: string
}

/** An option by its kind alone, where its name says the rest, or with words of its own. */
export type Option = OptionKind | (OptionWords & { kind: OptionKind })

type KindOf<Declared> = Declared extends { kind: infer Kind } ? Kind : Declared
type TextOf<Declared> = Declared extends { choices: readonly (infer Choice)[] } ? Choice : string

type Values<Options extends Record<string, Option>> = {
  [Name in keyof Options]: KindOf<Options[Name]> extends 'needed'
    ? TextOf<Options[Name]>
    : KindOf<Options[Name]> extends 'optional'
      ? TextOf<Options[Name]> | undefined
      : KindOf<Options[Name]> extends 'list'
        ? TextOf<Options[Name]>[]
        : boolean
}

/** A command as it is declared. Its help, its line in docs/commands.md and the reading of its words all come from here. */
export type Command = {
  /** One word or two: a noun and a verb. */
  name: string
  /** One sentence without its full stop. */
  summary: string
  /** More help, in whole sentences. */
  details?: string
  options: Record<string, Option>
  /** The words after the name, where those that follow from the options would not do. */
  example?: string
  /** Its answer is a list: how people see it. */
  table?: Table
  /** The right by which somebody who signed in may run it, of the staff or at the merchant concerned; absent or null: it changes nothing. */
  right?: Right | ((values: never) => Right | null)
  /** Whether somebody who signed in agrees to it with a fresh factor, as on the console's screen of the same act; absent: never. */
  fresh?: true | ((values: never) => boolean)
  /** The merchant concerned, where --merchant does not say it; null: nobody has such a thing. */
  merchantOf?(context: CommandContext, values: never): Promise<number | null>
  /** Returns what `--json` prints; a command that prints by itself returns null. */
  run(context: CommandContext, values: never, output: { json: boolean }): Promise<object | null>
}

/** How a list is shown to people. */
export type Table = {
  /** The field of the answer that holds the rows. */
  rows: string
  /** Fields of a row, in the order of the columns; after a colon another title than the name gives. The last is cut to fit. */
  columns: readonly string[]
  /** Said instead of a table without rows. */
  empty: string
}

/** Declares a command; the types of its values follow from its options. One that asks for a fresh factor takes `--code` too. */
export function defineCommand<const Options extends Record<string, Option>>(
  command: Omit<Command, 'options' | 'run' | 'right' | 'fresh' | 'merchantOf'> & {
    options: Options
    right?: Right | ((values: Values<Options>) => Right | null)
    fresh?: true | ((values: Values<Options>) => boolean)
    merchantOf?(context: CommandContext, values: Values<Options>): Promise<number | null>
    run(context: CommandContext, values: Values<Options>, output: { json: boolean }): Promise<object | null>
  },
): Command {
  const { options, fresh } = command
  const all = fresh === undefined ? options : { ...options, code: 'optional' }
  return { ...command, options: all } as unknown as Command
}

/** `--id`, needed: the identifier of a thing of ours. */
export function idOf<const Prefix extends IdPrefix>(prefix: Prefix, noun: string) {
  return { kind: 'needed', value: `${prefix}_…`, says: `the ${noun}`, sample: sampleId(prefix) } as const
}

/** An identifier as it looks, for examples. */
export function sampleId(prefix: IdPrefix): string {
  return `${prefix}_01k5v0e9t8fq3a7mzd4n2xw6rb`
}

/** `--merchant` and `--mode` as a tenant. */
export function readTenant({ merchant, mode }: { merchant: string; mode: string }): Tenant {
  if (mode !== 'test' && mode !== 'live') throw new CommandError('--mode is test or live.', 2)
  return { merchant_id: readMerchant(merchant), livemode: mode === 'live' }
}

export function readMerchant(text: string): number {
  return readInteger('merchant', text, 1, Number.MAX_SAFE_INTEGER)
}

/** An amount in francs. */
export function readAmount(option: string, text: string, min = 1): number {
  return readInteger(option, text, min, AMOUNT_MAX)
}

export function readInteger(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new CommandError(`--${option} is a whole number from ${min} to ${max}.`, 2)
  }
  return value
}

export function readTime(option: string, text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime())) {
    throw new CommandError(`--${option} is a time such as 2027-01-01T00:00:00Z.`, 2)
  }
  return time
}

/** Actors that are no person: what the service does by itself, and what time ends. */
const nobody: readonly string[] = ['system', 'schedule', 'time']

/** The person named by a command that nobody signed in for: with `--as`, or by the user of this machine. Nobody has proved it. */
export function readBreakGlass(as: string | undefined): Actor {
  const person = normalizePerson(as ?? `console:${userInfo().username}`)
  if (person === null) throw new CommandError('--as names a person, in 200 characters at most.', 2)
  if (nobody.includes(person) || person.startsWith('key:')) {
    throw new CommandError('--as names a person: an API key cannot decide or act, and neither can the service itself.')
  }
  return { person, door: 'break_glass', from: null, step_up_id: null }
}

/** A text of so many characters at most, without the spaces around it. */
export function readText(option: string, text: string, max: number): string {
  const trimmed = text.trim()
  // Control characters have no place in what is printed and stored for people.
  if (trimmed === '' || trimmed.length > max || /\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed()) {
    throw new CommandError(`--${option} is a line of 1 to ${max} characters.`, 2)
  }
  return trimmed
}
