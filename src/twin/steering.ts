import { isOperatorCode, type OperatorCode } from '../values/operators.ts'
import type { RunningApi } from './api.ts'
import { apis } from './apis.ts'
import type { Approval, Operations } from './operations.ts'
import type { Phones } from './phones.ts'
import { type FaultInput, RuleError, readFault, readNumber, readScript, type ScriptInput } from './rules.ts'
import {
  type Callback,
  type Execution,
  emptyState,
  keyOf,
  nextId,
  type Operation,
  type Phone,
  type TwinState,
} from './state.ts'
import { writeStatement } from './statements.ts'
import type { Time } from './time.ts'

/** The acts of the holder of a phone, on the oldest request that it shows. */
export type PhoneHelper = {
  /** Waits for a request and approves it, with the right secret code unless `pin` is given. */
  approve(options?: { pin?: string; within_seconds?: number }): Promise<Operation>
  decline(options?: { within_seconds?: number }): Promise<Operation>
  lapse(options?: { within_seconds?: number }): Promise<Operation>
  /** Waits for a request and leaves it open. */
  asked(options?: { within_seconds?: number }): Promise<Operation>
  /** The phone, with the requests that it shows, oldest first. */
  now(): Phone & { asking: Operation[] }
  /** Makes a one-time code, as the operator's menu would show it. */
  code(operator?: OperatorCode): string
  /** The balance of an account, in francs. */
  balance(operator: OperatorCode): number
  setBalance(operator: OperatorCode, amount: number): void
}

/** The steering as functions; `/_twin/` offers the same over HTTP. Throws `RuleError` for an invalid argument. */
export type Steering = {
  /** The twin's time, such as 2026-03-02T10:15:32Z. */
  now(): string
  /** Moves the clock forward. Resolves when all due tasks are done, callbacks included. */
  advance(seconds: number): Promise<string>
  script(input: ScriptInput): number
  fault(input: FaultInput): number
  /** Removes a script or a fault; without an id, all of them. */
  clear(rules: 'scripts' | 'faults', id?: number): void
  rules(): Pick<TwinState, 'scripts' | 'faults'>
  /** Every movement of money, oldest first. */
  journal(): readonly Execution[]
  operations(): readonly Operation[]
  callbacks(): readonly Callback[]
  wallets(): Readonly<Record<string, number>>
  setWallet(wallet: string, amount: number): void
  phone(number: string): PhoneHelper
  phones(): readonly Phone[]
  /** An operator's export of a day, as a text. @param plant the names of errors to plant, with commas between; null: none */
  statement(operator: string, day: string, plant: string | null): string
  /** The settings of an API. */
  settings(api: string): Readonly<Record<string, unknown>>
  change(api: string, settings: Record<string, unknown>): void
  act(api: string, act: string, body?: Record<string, unknown>): object
  /** The type and settings of a connector, for each API. */
  connectors(): Record<string, { type: string; settings: Record<string, string> }>
  /** Forgets everything except the settings, the APIs' memory and the clock, once the callbacks under way have been answered. */
  reset(): Promise<void>
}

/** The phone showed no request in time, or the code was wrong. */
export class PhoneError extends Error {
  override name = 'PhoneError'
}

type Parts = {
  state: TwinState
  time: Time
  phones: Phones
  operations: Operations
  running: ReadonlyMap<string, RunningApi>
  /** Resolves at the next change of an operation. */
  nextChange: () => Promise<void>
  changed: () => void
}

/** Seconds for which a helper waits for a request, because the service sends it a moment after accepting it. */
const WITHIN_SECONDS = 10

export function createSteering(parts: Parts): Steering {
  const { state, time, phones, running, changed } = parts
  const runningApi = (name: string): RunningApi => {
    const api = running.get(name)
    if (api === undefined) throw new RuleError(`There is no API ${name}: there are ${[...running.keys()].join(', ')}.`)
    return api
  }

  return {
    now: () => time.text(),
    async advance(seconds) {
      if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= 366 * 86_400))
        throw new RuleError('seconds is a number from 0 to a year of them.')
      await time.advance(seconds)
      return time.text()
    },
    script(input) {
      const script = readScript(input, nextId(state))
      state.scripts.push(script)
      changed()
      return script.id
    },
    fault(input) {
      const own = apis.flatMap((api) => Object.keys(api.faults))
      const fault = readFault(input, nextId(state), own)
      state.faults.push(fault)
      changed()
      return fault.id
    },
    clear(rules, id) {
      const stays = (rule: { id: number }): boolean => id !== undefined && rule.id !== id
      if (rules === 'scripts') state.scripts = state.scripts.filter(stays)
      else state.faults = state.faults.filter(stays)
      changed()
    },
    statement: (operator, day, plant) =>
      writeStatement(operator, day, plant, {
        movements: state.journal,
        operationOf: (execution) => state.operations[keyOf(execution)] ?? null,
        text: time.text,
      }),
    rules: () => ({ scripts: state.scripts, faults: state.faults }),
    journal: () => state.journal,
    operations: () => Object.values(state.operations),
    callbacks: () => state.callbacks,
    wallets: () => state.wallets,
    setWallet(wallet, amount) {
      state.wallets[wallet] = checkedAmount(amount)
      changed()
    },
    phone: (number) => phoneHelper(parts, number),
    phones: phones.all,
    settings(api) {
      runningApi(api)
      return state.apis[api]!.settings
    },
    change(api, settings) {
      const known = state.apis[runningApi(api) && api]!.settings
      const unknown = Object.keys(settings).find((name) => !(name in known))
      if (unknown !== undefined)
        throw new RuleError(`${api} has no setting ${unknown}: it has ${Object.keys(known).join(', ')}.`)
      const wrong = Object.keys(settings).find((name) => kindOf(settings[name]) !== kindOf(known[name]))
      if (wrong !== undefined) throw new RuleError(`${wrong} is of the type ${kindOf(known[wrong])}.`)
      for (const [name, value] of Object.entries(settings)) checkChoice(api, name, value)
      for (const [name, value] of Object.entries(settings)) known[name] = merged(known[name], value)
      runningApi(api).settingsChanged?.()
      changed()
    },
    act(api, act, body = {}) {
      const acts = runningApi(api).acts ?? {}
      const does = Object.hasOwn(acts, act) ? acts[act] : undefined
      if (does === undefined) throw new RuleError(`${api} has no act ${act}: it has ${Object.keys(acts).join(', ')}.`)
      const answer = does(body)
      changed()
      return answer
    },
    connectors: () => Object.fromEntries([...running].map(([name, api]) => [name, api.connector()])),
    reset: () => reset(parts),
  }
}

async function reset({ state, time, operations, changed }: Parts): Promise<void> {
  // A callback under way would otherwise reach whoever believes that nothing is left.
  await time.settled()
  operations.forget()
  const { ahead_ms, apis: kept, last_id } = state
  Object.assign(state, emptyState(), { ahead_ms, apis: kept, last_id })
  changed()
}

/** The acts of the holder of a phone. */
function phoneHelper({ phones, operations, nextChange, changed }: Parts, number: string): PhoneHelper {
  const msisdn = readNumber(number)

  async function asked({ within_seconds = WITHIN_SECONDS } = {}): Promise<Operation> {
    const deadline = new Promise<'late'>((resolve) => {
      setTimeout(() => resolve('late'), within_seconds * 1000).unref()
    })
    for (;;) {
      const [oldest] = operations.asking(msisdn)
      if (oldest !== undefined) return oldest
      if ((await Promise.race([nextChange(), deadline])) === 'late')
        throw new PhoneError(`Nothing was asked of ${number} within ${within_seconds} s.`)
    }
  }

  async function act(
    options: { within_seconds?: number },
    does: (operation: Operation) => Approval,
  ): Promise<Operation> {
    const operation = await asked(options)
    if (does(operation) === 'wrong_code') throw new PhoneError('The secret code is wrong.')
    return operation
  }

  return {
    asked,
    approve: ({ pin, ...options } = {}) =>
      act(options, (operation) => operations.approve(operation, pin ?? phones.of(msisdn).pin)),
    decline: (options = {}) => act(options, operations.decline),
    lapse: (options = {}) => act(options, operations.lapse),
    now: () => ({ ...phones.of(msisdn), asking: operations.asking(msisdn) }),
    code: (operator = 'orange_ci') => phones.newCode(msisdn, operator),
    balance: (operator) => phones.balance(msisdn, operator),
    setBalance(operator, amount) {
      if (!isOperatorCode(operator)) throw new RuleError('operator is such as mtn_ci.')
      phones.setBalance(msisdn, operator, checkedAmount(amount))
      changed()
    },
  }
}

/** @throws RuleError for a word that the setting, or a part of it, does not have */
function checkChoice(api: string, name: string, value: unknown): void {
  const words = apis.find((one) => one.name === api)?.choices[name]
  const parts = kindOf(value) === 'object' ? Object.values(value as object) : [value]
  if (words !== undefined && !parts.every((part) => words.includes(String(part))))
    throw new RuleError(`${name} is one of ${words.join(', ')}.`)
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}

/** Changes a setting of several parts: unnamed parts stay, and null removes a part. */
function merged(known: unknown, value: unknown): unknown {
  if (kindOf(value) !== 'object') return value
  const parts = Object.entries({ ...(known as object), ...(value as object) })
  return Object.fromEntries(parts.filter(([, part]) => part !== null))
}

function checkedAmount(amount: unknown): number {
  if (!Number.isSafeInteger(amount) || (amount as number) < 0)
    throw new RuleError('amount is a whole number of francs.')
  return amount as number
}
