import { userInfo } from 'node:os'
import { parseArgs } from 'node:util'
import { AMOUNT_MAX } from '../words/amount.ts'
import type { Tenant } from '../words/caller.ts'
import { personIn } from '../words/may-decide.ts'
import type { Workbench } from './workbench.ts'

/**
 * Said to whoever typed the command, on standard error. The exit code is 1, 2 when the command itself was mistyped, or that of a
 * process without which the command cannot go on.
 */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** `needed` and `optional` take a text, `list` takes several, `flag` takes none. */
type OptionKind = 'needed' | 'optional' | 'list' | 'flag'

type Values<Options extends Record<string, OptionKind>> = {
  [Name in keyof Options]: Options[Name] extends 'needed'
    ? string
    : Options[Name] extends 'optional'
      ? string | undefined
      : Options[Name] extends 'list'
        ? string[]
        : boolean
}

/** A command as the list shows it: two words, what it does, and what it needs. */
export type Command = {
  name: string
  summary: string
  options: Record<string, OptionKind>
  /** Returns what `--json` prints; a command that prints by itself returns null. */
  run(bench: Workbench, values: never): Promise<object | null>
}

/** Declares a command; the types of its values follow from its options. */
export function defineCommand<const Options extends Record<string, OptionKind>>(command: {
  name: string
  summary: string
  options: Options
  run(bench: Workbench, values: Values<Options>): Promise<object | null>
}): Command {
  return command as Command
}

/**
 * Reads the words after a command's name.
 * @throws CommandError naming the option that is missing or unknown
 */
export function readOptions(command: Command, words: string[]): { values: Record<string, unknown>; json: boolean } {
  const config = Object.fromEntries(
    Object.entries(command.options).map(([name, kind]) => [
      name,
      kind === 'flag'
        ? ({ type: 'boolean' } as const)
        : ({ type: 'string', ...(kind === 'list' ? { multiple: true } : {}) } as const),
    ]),
  )
  let values: Record<string, unknown>
  try {
    values = parseArgs({
      args: words,
      options: { ...config, json: { type: 'boolean' } },
      allowPositionals: false,
    }).values
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usageOf(command)}`, 2)
  }
  for (const [name, kind] of Object.entries(command.options)) {
    if (kind === 'needed' && values[name] === undefined) {
      throw new CommandError(`--${name} is missing.\n\n${usageOf(command)}`, 2)
    }
    if (kind === 'list') values[name] ??= []
    if (kind === 'flag') values[name] ??= false
  }
  const { json = false, ...rest } = values
  return { values: rest, json: json === true }
}

/** One line: the command with its options. */
export function usageOf({ name, options }: Command): string {
  const words = Object.entries(options).map(([option, kind]) => {
    if (kind === 'flag') return `[--${option}]`
    const text = `--${option} <${option}>`
    return kind === 'needed' ? text : kind === 'list' ? `[${text}]…` : `[${text}]`
  })
  return ['bandama', name, ...words].join(' ')
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

/** Who acts, as `personIn` writes them: the person named with `--as`, or whoever is signed in on this machine. */
export function readPerson(as: string | undefined): string {
  const person = personIn(as ?? `console:${userInfo().username}`)
  if (person === null) throw new CommandError('--as names a person, in 200 characters at most.', 2)
  return person
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
