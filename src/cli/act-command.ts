import {
  type Act,
  type ActRefused,
  type AnyAct,
  type AnyCall,
  type Fillings,
  refusalOf,
  type Target,
} from '../acts/act.ts'
import { type Fields, linesOf } from '../acts/facts.ts'
import { type ActDeps, askAct, performAct } from '../acts/perform.ts'
import type { Words } from '../values/language.ts'
import {
  type Command,
  CommandError,
  type CommandQuestion,
  idOf,
  type Option,
  readMerchant,
  readTenant,
  sampleId,
} from './command.ts'
import type { CommandContext } from './command-context.ts'
import { SUBJECT_CHANGED } from './sign-in/prove-afresh.ts'

type Typed = Readonly<Record<string, string | undefined>>
/** The options of a command as given. A flag is true or false, and a repeated one a list. */
type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** The peculiarities of an act's command. */
export type ActMore<Result> = More<never, Result>

type More<D, Result> = {
  /** Absent: noun and verb of the act. */
  readonly name?: string
  readonly details?: string
  /** The words after the name in the example, when the generated ones do not fit. */
  readonly example?: string
  /** Options in place of those of the fields, and the texts of the fields that they stand for. @throws CommandError when they cannot be read */
  readonly instead?: {
    readonly options: Readonly<Record<string, Option>>
    readonly typed: (given: Given) => Typed
  }
  /** The merchant concerned, for an act of a merchant's people that names no --merchant. */
  readonly merchantOf?: (context: CommandContext, id: string) => Promise<number | null>
  /** The dependencies of the act besides the database and the clock. */
  readonly deps?: (context: CommandContext, call: AnyCall, given: Given) => Promise<Omit<D, 'sql' | 'clock'>>
  /** The answer that `--json` prints. */
  readonly answer: (result: Result, context: CommandContext) => object | Promise<object>
  /** Printed beside the answer. */
  readonly advice?: (result: Result) => string | null
}

/** The command of an act. Its options come from the target and the fields, its right, its factor and its refusals from the act. */
export function actCommand<D, Result>(act: Act<D, Result>, more: More<D, Result>): Command {
  const { name = act.name.replace('.', ' ').replaceAll('_', '-'), details, example, answer, advice, merchantOf } = more
  const { instead } = more
  const depsOf = async (context: CommandContext, call: AnyCall, given: Given) => {
    const ours: ActDeps = { sql: await context.sql(), clock: context.clock }
    return { ...(await more.deps?.(context, call, given)), ...ours } as D & ActDeps
  }
  const options: Record<string, Option> = {
    ...targetOptions(act.on),
    ...(instead?.options ?? fieldOptions(act.fields)),
    as: 'optional',
  }
  return {
    name,
    summary: act.summary,
    ...(details === undefined ? {} : { details }),
    ...(example === undefined ? {} : { example }),
    right: act.right,
    act,
    ...(act.fresh ? { fresh: true } : {}),
    options: act.fresh ? { ...options, code: 'optional' } : options,
    ...(merchantOf === undefined
      ? {}
      : { merchantOf: (context, values: Typed) => merchantOf(context, idIn(act.on, values)) }),
    async question(context, values: Typed): Promise<CommandQuestion | null> {
      const call = callOf(act, context, values, instead?.typed)
      const asked = await askAct(act, await depsOf(context, call, values), call)
      if (asked.kind === 'refused') throw refusedWith(act, asked, values)
      if (asked.kind === 'done') return null
      const { signed, note } = asked
      const pointedOut = note === null ? [] : [{ name: NOTE, value: note }]
      return { signed, lines: [...linesOf(act.facts, signed.content), ...pointedOut] }
    },
    async run(context, values: Typed) {
      const call = callOf(act, context, values, instead?.typed)
      const outcome = await performAct(act, await depsOf(context, call, values), call, context.proof)
      if (outcome.kind === 'ask_again') throw new CommandError(SUBJECT_CHANGED)
      if (outcome.kind === 'refused') throw refusedWith(act, outcome, values)
      const said = advice?.(outcome.result) ?? null
      if (said !== null) context.advise(said)
      return answer(outcome.result, context)
    },
  }
}

/** The name of a consequence that the question points out, such as a second person who decides. */
const NOTE: Words = ['À savoir', 'Note']

const SAMPLE_UUID = '0199f2a0-7c1e-7d55-9a3b-2f4c6d8e0a1b'

function targetOptions(on: Target): Record<string, Option> {
  const place: Record<string, Option> = { merchant: 'needed', mode: 'needed' }
  if (on.kind === 'merchant') return place
  if (on.kind === 'merchant_in_both') return { merchant: 'needed' }
  if (on.kind === 'service') return {}
  const named: Record<string, Option> =
    on.place === 'named' ? place : on.place === 'of_merchant' ? { merchant: 'needed' } : {}
  if (on.option === 'payment') return { payment: idOf('txn', on.noun) }
  if (on.option !== 'id') return { ...named, [on.option]: 'needed' }
  if (on.prefix === 'uuid')
    return { id: { kind: 'needed', value: 'UUID', says: `the ${on.noun}`, sample: SAMPLE_UUID } }
  if (on.prefix !== 'any') return { ...named, id: idOf(on.prefix, on.noun) }
  return { id: { kind: 'needed', value: 'ID', says: `the ${on.noun}`, sample: sampleId('txn') } }
}

function fieldOptions(fields: Fields): Record<string, Option> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { option }]) => {
      const { name: named = name, must: _, absent: __, ...words } = option
      return [named, { kind: 'absent' in option ? 'optional' : 'needed', ...words } as Option]
    }),
  )
}

/** Reads the options of an act. @throws CommandError when one cannot be read */
function callOf(act: AnyAct, context: CommandContext, typed: Typed, instead?: (given: Given) => Typed): AnyCall {
  const values: Record<string, unknown> = {}
  const replaced = instead?.(typed)
  for (const [name, { read, option }] of Object.entries(act.fields)) {
    const given = option.name ?? name
    const text = replaced === undefined ? typed[given] : replaced[name]
    const value = text === undefined && 'absent' in option ? option.absent : read(text ?? '')
    if (value === undefined) throw new CommandError(`--${given} ${option.must}`, 2)
    values[name] = value
  }
  const common = { by: context.actor(typed.as), values }
  const tenant = () => readTenant(typed as { merchant: string; mode: string })
  if (act.on.kind === 'service') return { ...common, within: {} }
  if (act.on.kind === 'merchant') return { ...common, within: {}, tenant: tenant() }
  if (act.on.kind === 'merchant_in_both') return { ...common, within: {}, merchant_id: readMerchant(typed.merchant!) }
  const within =
    act.on.place === 'named'
      ? tenant()
      : act.on.place === 'of_merchant'
        ? { merchant_id: readMerchant(typed.merchant!) }
        : {}
  return { ...common, within, id: idIn(act.on, typed) }
}

function idIn(on: Target, typed: Typed): string {
  return on.kind === 'row' ? typed[on.option]! : ''
}

function refusedWith(act: AnyAct, { code, fillings }: ActRefused, typed: Typed): CommandError {
  const given: Readonly<Record<string, Fillings[string] | undefined>> = { ...typed, ...fillings }
  const { command, mistyped } = refusalOf(act, code)
  const written = (key: string) => {
    const filling = given[key]
    return typeof filling === 'object' ? filling[1] : filling
  }
  const message = command.replace(/\{([\w-]+)\}/g, (gap, key: string) => String(written(key) ?? gap))
  return new CommandError(message, mistyped ? 2 : 1)
}
