import type { Db, Sql } from '../../src/platform/postgres/database.ts'
import type { FaultInput, ScriptInput } from '../../src/twin/rules.ts'
import type { RunningTwin } from '../../src/twin/start-twin.ts'
import { livemode } from './mode.ts'

// Live mode for the tests of both modes. They choose an outcome by the end of a number, as in the simulator. This file sets the same
// outcomes in the twin.

/** An amount in francs that no test reaches by accident. */
const FAR = 1_000_000_000_000

type Told = { script?: ScriptInput; faults?: readonly FaultInput[] }

const fails = (reason: string, after_seconds: number): Told => ({ script: { outcome: 'fail', reason, after_seconds } })
/** The operator accepts the order, but its answer and its callback are lost. */
const lost: readonly FaultInput[] = [{ fault: 'lose_answer' }, { fault: 'callback_never' }]

/** Returns the twin's scripts for each end of a number, with the simulator's outcomes. @param second the operator's second, in seconds */
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

/** Returns the same for payouts and refunds. */
function transfers(second: number): Record<string, Told> {
  return {
    '0001': fails('recipient_limit_reached', second),
    '0002': fails('recipient_not_found', second),
    '0004': { faults: lost },
    '0005': { faults: [{ fault: 'callback_twice' }] },
    '0006': { ...fails('operator_refused', second), faults: lost },
  }
}

/** The twins of this process, by the database of their service. */
const twins = new Map<string, RunningTwin>()

/**
 * Starts a twin for the service on a database and connects live mode to it. Null in test mode.
 * @param second the time that the operator takes for an order, in seconds
 */
export async function openTwin(
  sql: Sql,
  { second, ...service }: { secret_key: string; origin: string; second: number },
): Promise<RunningTwin | null> {
  if (!livemode) return null
  // Loaded in live mode only: it has every contract.
  const { startTwin } = await import('../../src/twin/start-twin.ts')
  const { connectTwin, liveOperators } = await import('./live-twin.ts')
  // One for each operator, because the tests pay with any of them.
  const operators = [...liveOperators, { api: 'moov', operator: 'moov_ci', prefix: '01' } as const]
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

/** The number of a payer for payments that test mode simulates without a number. */
const ANYBODY = '0799990000'

/**
 * Returns the body of a payment for this mode. `simulate` exists only in test mode, so live mode uses a payer who pays.
 */
export function bodyInMode(body: unknown): unknown {
  const asked = body as { simulate?: unknown; counterparty?: { msisdn?: string }; operator?: string } | undefined
  if (!livemode || asked?.simulate !== 'succeed') return body
  const msisdn = asked.counterparty?.msisdn
  if (msisdn === undefined) return { ...asked, counterparty: { ...asked.counterparty, msisdn: ANYBODY } }
  if (Object.hasOwn(collections(0), msisdn.slice(-4)))
    for (const twin of twins.values()) {
      twin.script({ outcome: 'succeed', direction: 'collection', msisdn, after_seconds: 0 })
      // Replaces a fault about the money, because the newest matching fault applies.
      twin.fault({ fault: 'late_answer', on: 'read', direction: 'collection', msisdn, after_seconds: 0 })
    }
  return body
}

/** An order in an operator's own journal. */
export type OperatorOrder = {
  /** The merchant. Null in live mode, in which the operator does not know it. */
  merchant_id: number | null
  reference: string
  direction: 'collect' | 'payout' | 'refund'
  amount: number
  /** The last four digits of the number. Empty without one. */
  msisdn_end: string
  /** How often the operator received it. The twin does not count: 1. */
  times_received: number
}

/** Reads all orders in the operator's own journal. It reads whole tables: see `readWhole`. */
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
