import { userInfo } from 'node:os'
import type { AnyAct } from '../acts/act.ts'
import type { Line } from '../acts/facts.ts'
import type { Signed } from '../acts/perform.ts'
import { type Actor, HOST_USER } from '../values/actor.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { asSeen } from '../values/as-seen.ts'
import type { Tenant } from '../values/caller.ts'
import type { IdPrefix } from '../values/ids.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import type { Right } from '../values/rights.ts'
import type { CommandContext } from './command-context.ts'

/**
 * A message on standard error for the person who typed the command. The exit code is 1, or 2 for a mistyped command, or
 * that of a child process without which the command cannot go on.
 */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number
  /** An answer that is printed despite the error, for a command that was carried out and found a problem. */
  readonly answer: object | null

  constructor(message: string, exitCode = 1, answer: object | null = null) {
    super(message)
    this.exitCode = exitCode
    this.answer = answer
  }
}

/** `needed` and `optional` take one value, `list` takes several, `flag` takes none. */
export type OptionKind = 'needed' | 'optional' | 'list' | 'flag'

/** The help of an option, and the values it takes. Missing fields come from `optionWords`, by the option's name. */
export type OptionWords = {
  /** The placeholder of its value, such as `FRANCS`. */
  value?: string
  /** Its meaning as a phrase: `the payment link`. */
  says?: string
  /** The only values it takes. */
  choices?: readonly string[]
  /** A value for the example. */
  sample?: string
}

/** An option by its kind alone, with the common help of its name, or with its own help. */
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

/** The declaration of a command. Its help, its line in docs/commands.md and the parsing of its options come from it. */
export type Command = {
  /** A noun and a verb, or one word. */
  name: string
  /** One sentence without its full stop. */
  summary: string
  /** More help, in whole sentences. */
  details?: string
  options: Record<string, Option>
  /** The words after the name in the example, when the generated ones do not fit. */
  example?: string
  /** How people see the answer, when it is a list. */
  table?: Table
  /**
   * The right that a signed-in person needs, in the staff or at the merchant concerned. Absent or null for a command
   * that changes nothing.
   */
  right?: Right | ((values: never) => Right | null)
  /** The act that it carries out (`act-command.ts`). */
  act?: AnyAct
  /** Whether a signed-in person confirms this act with a fresh factor. Absent: never. */
  fresh?: true | ((values: never) => boolean)
  /** The question of this act to the person. Null: there is nothing to change. @throws CommandError when the act would be refused */
  question?(context: CommandContext, values: never): Promise<CommandQuestion | null>
  /** The merchant concerned, when there is no --merchant. Null when the object does not exist. */
  merchantOf?(context: CommandContext, values: never): Promise<number | null>
  /** Returns the answer that `--json` prints. A command that prints by itself returns null. */
  run(context: CommandContext, values: never, output: { json: boolean }): Promise<object | null>
}

/** The question before a command of an act: the act as the person signs it, and the lines that they read. */
export type CommandQuestion = { readonly signed: Signed; readonly lines: readonly Line[] }

/** How a list is shown to people. */
export type Table = {
  /** The field of the answer that holds the rows. */
  rows: string
  /**
   * Fields of a row, in the order of the columns. A colon introduces a title that replaces the field's name. The last
   * column is cut to fit.
   */
  columns: readonly string[]
  /** Printed instead of an empty table. */
  empty: string
}

/** Declares a command that is no act. The types of its values follow from its options. */
export function defineCommand<const Options extends Record<string, Option>>(
  command: Omit<Command, 'options' | 'run' | 'right' | 'act' | 'fresh' | 'question' | 'merchantOf'> & {
    options: Options
    right?: Right | ((values: Values<Options>) => Right | null)
    merchantOf?(context: CommandContext, values: Values<Options>): Promise<number | null>
    run(context: CommandContext, values: Values<Options>, output: { json: boolean }): Promise<object | null>
  },
): Command {
  return command as unknown as Command
}

/** A needed option `--id` with an identifier of ours. */
export function idOf<const Prefix extends IdPrefix>(prefix: Prefix, noun: string) {
  return { kind: 'needed', value: `${prefix}_…`, says: `the ${noun}`, sample: sampleId(prefix) } as const
}

/** A sample identifier for examples. */
export function sampleId(prefix: IdPrefix): string {
  return `${prefix}_01k5v0e9t8fq3a7mzd4n2xw6rb`
}

/** Reads `--merchant` and `--mode` as a tenant. @throws CommandError for invalid ones */
export function readTenant({ merchant, mode }: { merchant: string; mode: string }): Tenant {
  return { livemode: readMode(mode), merchant_id: readMerchant(merchant) }
}

/** Reads `--mode` as `livemode`. @throws CommandError for another word */
export function readMode(mode: string): boolean {
  if (mode !== 'test' && mode !== 'live') throw new CommandError('--mode must be test or live.', 2)
  return mode === 'live'
}

/** Reads the number of a merchant. @throws CommandError when the text is no such number */
export function readMerchant(text: string): number {
  return readInteger('merchant', text, 1, Number.MAX_SAFE_INTEGER)
}

/** Reads an amount in francs. @throws CommandError when it is no whole number from `min` to the largest amount */
export function readAmount(option: string, text: string, min = 1): number {
  return readInteger(option, text, min, AMOUNT_MAX)
}

/** Reads a whole number from `min` to `max`. @throws CommandError for any other text */
export function readInteger(option: string, text: string, min: number, max: number): number {
  const figures = asSeen(text)
  const value = Number(figures)
  if (!/^\d+$/.test(figures) || value < min || value > max) {
    throw new CommandError(`--${option} must be a whole number from ${min} to ${max}.`, 2)
  }
  return value
}

/** Reads a time in ISO 8601. @throws CommandError for any other text */
export function readTime(option: string, text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime())) {
    throw new CommandError(`--${option} must be a time such as 2027-01-01T00:00:00Z.`, 2)
  }
  return time
}

/** Names of actors that are not people: the service itself and its schedules. */
const nobody: readonly string[] = ['system', 'schedule', 'time']

/**
 * The person named by a command without a sign-in: from `--as`, or the user of this machine. The name is not proven.
 */
export function readBreakGlass(as: string | undefined): Actor {
  const person = normalizePerson(as ?? `${HOST_USER}${userInfo().username}`)
  if (person === null) throw new CommandError('--as must name a person, in at most 200 characters.', 2)
  if (nobody.includes(person) || person.startsWith('key:')) {
    throw new CommandError('--as must name a person. An API key or the service itself cannot decide or act.')
  }
  return { person, door: 'break_glass', from: null, step_up_id: null }
}

/** Reads a text of at most `max` characters, trimmed. */
export function readText(option: string, text: string, max: number): string {
  const trimmed = text.trim()
  // Refuse control characters in texts that are printed and stored for people.
  if (trimmed === '' || trimmed.length > max || /\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed()) {
    throw new CommandError(`--${option} must be one line of 1 to ${max} characters.`, 2)
  }
  return trimmed
}
