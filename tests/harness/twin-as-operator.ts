import type { Db, Sql } from '../../src/platform/postgres/database.ts'
import type { FaultInput, ScriptInput } from '../../src/twin/rules.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { connectTwin, type LiveOperator, liveOperators } from './live-twin.ts'
import { livemode } from './mode.ts'

// Live mode for tests that were written for both modes. They ask for an outcome by the end of a number, as the simulator has it, and
// here stands, once, how the twin is told to do the same.

/** Francs that no test reaches by accident. */
const FAR = 1_000_000_000_000

/** A contract for each operator: the tests pay with any of them. */
const operators: readonly LiveOperator[] = [...liveOperators, { api: 'moov', operator: 'moov_ci', prefix: '01' }]

type Told = { script?: ScriptInput; faults?: readonly FaultInput[] }

const fails = (reason: string, after_seconds: number): Told => ({ script: { outcome: 'fail', reason, after_seconds } })
/** The operator takes the order, and nothing that it says of it arrives before it is asked. */
const lost: readonly FaultInput[] = [{ fault: 'lose_answer' }, { fault: 'callback_never' }]

/** The rules that tell the twin what the simulator makes of each end of a number. @param second of the operator */
function collections(second: number): Record<string, Told> {
  return {
    '0001': fails('payer_insufficient_funds', second),
    '0002': fails('payer_declined', second),
    '0003': fails('payer_timeout', second),
    '0004': { faults: lost },
    '0005': { faults: [{ fault: 'callback_twice' }] },
    '0006': { faults: [{ fault: 'states_amount' }] },
    '0007': { script: { outcome: 'succeed', after_seconds: 5 * second } },
    '0008': { script: { outcome: 'ask' } },
    '0009': { script: { outcome: 'ask' } },
  }
}

/** The same for money that goes out, to a recipient or back to a payer. */
function transfers(second: number): Record<string, Told> {
  return {
    '0001': fails('recipient_limit_reached', second),
    '0002': fails('recipient_not_found', second),
    '0004': { faults: lost },
    '0005': { faults: [{ fault: 'callback_twice' }] },
    '0006': { ...fails('operator_refused', second), faults: lost },
  }
}

/** The twins of this process by the database of the service that they stand beside. */
const twins = new Map<string, RunningTwin>()

/**
 * Starts a twin for the service on a database and connects live mode to it. Null in test mode.
 * @param second of the operator, in seconds: how long it takes over an order
 */
export async function openTwin(
  sql: Sql,
  { second, ...service }: { secret_key: string; origin: string; second: number },
): Promise<RunningTwin | null> {
  if (!livemode) return null
  const twin = await startTwin({ first_balance: FAR })
  await connectTwin(sql, twin, { ...service, operators })
  for (const { wallet } of [
    { wallet: 'pawapay/CIV' },
    { wallet: 'mtn/CI' },
    { wallet: 'wave/CI' },
    { wallet: 'moov/CI' },
  ])
    twin.setWallet(wallet, FAR)
  twin.script({ outcome: 'succeed', after_seconds: second })
  for (const [direction, told] of [
    ['collection', collections(second)],
    ['payout', transfers(second)],
    ['refund', transfers(second)],
  ] as const) {
    for (const [msisdn_end, { script, faults = [] }] of Object.entries(told)) {
      if (script !== undefined) twin.script({ ...script, direction, msisdn_end })
      for (const fault of faults) twin.fault({ ...fault, direction, msisdn_end })
    }
  }
  const name = await databaseOf(sql)
  twins.set(name, twin)
  const close = async () => {
    twins.delete(name)
    await twin.close()
  }
  return { ...twin, close, [Symbol.asyncDispose]: close }
}

/** A payer of whom nothing is known, for payments that test mode simulates without a number. */
const ANYBODY = '0799990000'

/**
 * The body of a payment as this mode needs it. `simulate` is of test mode alone: here somebody is asked in its place, who pays.
 */
export function bodyInMode(body: unknown): unknown {
  const asked = body as { simulate?: unknown; counterparty?: { msisdn?: string }; operator?: string } | undefined
  if (!livemode || asked?.simulate !== 'succeed') return body
  const msisdn = asked.counterparty?.msisdn
  if (msisdn === undefined) return { ...asked, counterparty: { ...asked.counterparty, msisdn: ANYBODY } }
  if (Object.hasOwn(collections(0), msisdn.slice(-4)))
    for (const twin of twins.values()) {
      twin.script({ outcome: 'succeed', direction: 'collection', msisdn, after_seconds: 0 })
      // In the place of an untruth about the money: the newest fault that fits counts.
      twin.fault({ fault: 'late_answer', on: 'read', direction: 'collection', msisdn, after_seconds: 0 })
    }
  return body
}

/** An order as an operator's own journal has it. */
export type OperatorOrder = {
  /** The owner; null where the operator does not know, as in live mode. */
  merchant_id: number | null
  reference: string
  direction: 'collect' | 'payout' | 'refund'
  amount: number
  /** The last four digits of the number; empty without one. */
  msisdn_end: string
  /** How often it came. The twin does not count: 1. */
  times_received: number
}

/** All orders that the operator of a service took, by its own journal. Whole tables are read: see `readWhole`. */
export async function readOperatorOrders(db: Db): Promise<OperatorOrder[]> {
  if (!livemode)
    return await db<OperatorOrder[]>`
      select merchant_id, reference::text, direction, amount, msisdn_end, times_received from simulator_orders`
  const twin = twins.get(await databaseOf(db))!
  return twin.operations().map(({ reference, direction, amount, msisdn }) => ({
    merchant_id: null,
    reference,
    direction: direction === 'collection' ? 'collect' : (direction as 'payout' | 'refund'),
    amount,
    msisdn_end: msisdn?.slice(-4) ?? '',
    times_received: 1,
  }))
}

async function databaseOf(db: Db): Promise<string> {
  const [row] = await db<{ name: string }[]>`select current_database() as name`
  return row!.name
}
