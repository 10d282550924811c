import { parseArgs } from 'node:util'
import { operatorCodes } from '../values/operators.ts'
import { type Command, CommandError, type Option, type OptionKind, type OptionWords, sampleId } from './command.ts'
import { didYouMean } from './nearest.ts'

/** The help of options that mean the same in every command. */
const optionWords: Readonly<Record<string, OptionWords>> = {
  merchant: { value: 'M', says: "the merchant's number, as merchant list shows it", sample: '1' },
  mode: { says: 'the mode; test and live are separate', choices: ['test', 'live'], sample: 'test' },
  as: {
    value: 'PERSON',
    says: 'the person who acts, without a sign-in (bandama login); otherwise the user of this machine',
    sample: 'awa@example.com',
  },
  code: {
    value: 'CODE',
    says: 'after bandama login: a new code of the phone; otherwise the command asks for it',
    sample: '123456',
  },
  amount: { value: 'FRANCS', says: 'a whole number of francs', sample: '25000' },
  reason: { value: 'TEXT', says: 'the reason in one line, which is recorded', sample: "'Agreed by phone'" },
  operator: { says: 'the mobile-money operator', choices: operatorCodes, sample: 'orange_ci' },
  operation: { value: 'FRANCS', says: 'the largest payout', sample: '200000' },
  day: { value: 'FRANCS', says: 'the most for all payouts in 24 hours', sample: '1000000' },
  email: { value: 'ADDRESS', says: "the person's email address", sample: 'awa@example.com' },
  role: {
    value: 'ROLE',
    says: 'a role, of a merchant with --merchant and of the staff without',
    sample: 'administrator',
  },
  all: { says: 'all merchants and operators' },
  scope: {
    says: "the key's rights: ask payers for money, or also send it",
    choices: ['collect', 'payout'],
    sample: 'collect',
  },
  allow: {
    value: 'CIDR',
    says: 'an address or block from which it may be used; without one, any',
    sample: '192.0.2.0/24',
  },
  'key-id': { value: 'K', says: 'the public id of the key, as key list shows it', sample: '4v8s2k0h6m1qa' },
  service: { says: 'the operations that the fee is for', choices: ['collection', 'payout'], sample: 'collection' },
  bps: { value: 'N', says: 'hundredths of a percent of the amount: 100 is 1 %', sample: '150' },
  fixed: { value: 'FRANCS', says: 'added to each operation', sample: '100' },
  minimum: { value: 'FRANCS', says: 'the smallest fee of an operation', sample: '50' },
  maximum: { value: 'FRANCS', says: 'the largest fee of an operation', sample: '5000' },
  bearer: {
    says: 'the side that pays the fee; otherwise merchant',
    choices: ['merchant', 'payer'],
    sample: 'merchant',
  },
  from: {
    value: 'TIME',
    says: 'the time from which it applies, such as 2027-01-01T00:00:00Z; otherwise now',
    sample: '2027-01-01T00:00:00Z',
  },
  since: {
    value: 'TIME',
    says: 'the time since which it applies, such as 2026-01-01T00:00:00Z; otherwise now',
    sample: '2026-01-01T00:00:00Z',
  },
  name: { value: 'NAME', says: 'its name for people', sample: "'Boutique Awa'" },
  event: { value: 'evt_…', says: 'the event', sample: sampleId('evt') },
  subject: { value: 'ID', says: 'the payment, payout or refund', sample: sampleId('txn') },
  endpoint: { value: 'whe_…', says: 'the endpoint, as endpoint list shows it', sample: sampleId('whe') },
  beneficiary: { value: 'UUID', says: 'the destination', sample: '0199f2a0-7c1e-7d55-9a3b-2f4c6d8e0a1b' },
  reference: { value: 'R', says: "the other side's reference", sample: 'ORDER-42' },
  key: {
    value: 'KEY',
    says: 'your own key for this operation: another key means another operation',
    sample: 'second-time',
  },
  limit: { value: 'N', says: 'the most rows to show, 1 to 200; otherwise 50', sample: '20' },
  after: { value: 'ID', says: 'continue after this id, the last one shown', sample: sampleId('txn') },
}

/** An option with its complete help. */
export type OptionRead = Required<Omit<OptionWords, 'choices'>> & {
  name: string
  kind: OptionKind
  choices: readonly string[] | null
}

/** The options of a command in the order of its declaration. A command's own help has priority over `optionWords`. */
export function optionsOf({ options }: Pick<Command, 'options'>): OptionRead[] {
  return Object.entries(options).map(([name, declared]) => wordsOf(name, declared))
}

function wordsOf(name: string, declared: Option): OptionRead {
  const own = typeof declared === 'string' ? { kind: declared } : declared
  const known = { ...optionWords[name], ...own }
  const { kind, says = '', choices = null } = known
  // Up to four choices serve as the placeholder; more are listed in the help.
  const few = choices !== null && choices.length <= 4 ? choices.join('|') : undefined
  const value = known.value ?? few ?? name.toUpperCase()
  return { name, kind, value, says, choices, sample: known.sample ?? choices?.[0] ?? value }
}

/** The usage line of a command. */
export function usageOf(command: Pick<Command, 'name' | 'options'>): string {
  const words = optionsOf(command).map(({ name, kind, value }) => {
    if (kind === 'flag') return `[--${name}]`
    const text = `--${name} ${value}`
    return kind === 'needed' ? text : kind === 'list' ? `[${text}]…` : `[${text}]`
  })
  return ['bandama', command.name, ...words].join(' ')
}

/**
 * Parses the words after a command's name.
 * @throws CommandError naming the option that is missing, unknown or malformed
 */
export function readOptions(command: Command, words: string[]): { values: Record<string, unknown>; json: boolean } {
  const options = optionsOf(command)
  const known = new Map(options.map((option) => [option.name, option]))
  const refuse = (message: string): never => {
    throw new CommandError(`${message}\n\nUsage: ${usageOf(command)}`, 2)
  }
  const { tokens } = parseArgs({
    args: words,
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      options.map(({ name, kind }) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }]),
    ),
  })
  const values: Record<string, unknown> = {}
  let json = false
  for (const token of tokens) {
    if (token.kind === 'positional') refuse(unexpected(token.value, options))
    if (token.kind !== 'option') continue
    const { name, value, inlineValue } = token
    if (name === 'json' && value === undefined) {
      json = true
      continue
    }
    const option = known.get(name)
    if (option === undefined) {
      refuse(
        `bandama ${command.name} has no option ${token.rawName}.${didYouMean(name, [...known.keys(), 'json'], '--')}`,
      )
    } else if (option.kind === 'flag') {
      if (value !== undefined) refuse(`--${name} takes no value.`)
      values[name] = true
    } else if (value === undefined || (!inlineValue && value.startsWith('-') && value !== '-')) {
      refuse(`--${name} needs a value: --${name} ${option.value}.`)
    } else {
      checkChoice(option, value!)
      if (option.kind === 'list') values[name] = [...((values[name] as string[] | undefined) ?? []), value]
      else values[name] = value
    }
  }
  for (const { name, kind } of options) {
    if (kind === 'needed' && values[name] === undefined) refuse(`--${name} is missing.`)
    if (kind === 'list') values[name] ??= []
    if (kind === 'flag') values[name] ??= false
  }
  return { values, json }
}

function checkChoice({ name, choices }: OptionRead, value: string): void {
  if (choices === null || choices.includes(value)) return
  throw new CommandError(`--${name} must be ${oneOf(choices)}.${didYouMean(value, choices)}`, 2)
}

function oneOf(choices: readonly string[]): string {
  if (choices.length > 3) return `one of ${choices.join(', ')}`
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

/** The message for a word that belongs to no option. With a single needed option, the word is most likely its value. */
function unexpected(word: string, options: readonly OptionRead[]): string {
  const needed = options.filter(({ kind }) => kind === 'needed')
  // The message does not repeat the typed text, because it may be somebody's phone number.
  if (needed.length === 1) return `This value belongs to no option. Did you mean --${needed[0]!.name} before it?`
  const named = didYouMean(
    word,
    options.map(({ name }) => name),
    '--',
  )
  return `This value belongs to no option.${named}`
}
