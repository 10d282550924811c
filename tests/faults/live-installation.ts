import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setCaps } from '../../src/payouts/caps/set-caps.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation, payment } from '../harness/installation.ts'
import { connectTwin, type LiveOperator, liveOperators } from '../harness/live-twin.ts'
import { addFunds, newMerchant } from '../harness/merchant.ts'
import { readWhole } from '../harness/oracle.ts'
import type { Seed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askFor, type KeyedRequest, keyedRequest } from './keyed-requests.ts'
import { payout } from './payout-merchant.ts'

/** Caps and money that no test reaches by accident, in francs. */
const FAR = 1_000_000_000_000

/** Live mode over the twin's contracts, with merchants that collect and pay out. Each order has its own phone number. */
type LiveMode = AsyncDisposable & {
  twin: RunningTwin
  newPayment(): KeyedRequest
  newPayout(): KeyedRequest
  /** Makes payouts of a new merchant over a new contract, so that no other payout shares its circuit. */
  newContract(number: number): Promise<(amount: number) => KeyedRequest>
}

export type LiveInstallation = LiveMode & {
  sql: Sql
  bandama: Installation['bandama']
  /** Starts the real service at the address of the operators' callbacks. */
  start(): Promise<Service>
}

/** Opens a database, a twin and the contracts between them. Does not start the service. */
export async function openLiveInstallation(
  seed: Seed,
  merchants: number,
  operators: readonly LiveOperator[] = liveOperators,
): Promise<LiveInstallation> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const installation = await openInstallation({ env: { PORT: String(port), PUBLIC_URL: origin }, processes: [] })
  const live = await openLiveMode(installation, { origin, seed, merchants, operators })
  return {
    ...live,
    sql: installation.db.sql,
    bandama: installation.bandama,
    start: () => installation.start(),
    async [Symbol.asyncDispose]() {
      await installation[Symbol.asyncDispose]()
      await live[Symbol.asyncDispose]()
    },
  }
}

/** Opens a twin, and connects live mode of an installation to it. @param origin the address of the service, for the operators' callbacks */
export async function openLiveMode(
  installation: Pick<Installation, 'db' | 'secret_key'>,
  {
    origin,
    seed,
    merchants,
    operators = liveOperators,
  }: { origin: string; seed: Pick<Seed, 'between' | 'pick'>; merchants: number; operators?: readonly LiveOperator[] },
): Promise<LiveMode> {
  const { sql } = installation.db
  const twin = await startTwin()
  await connectTwin(sql, twin, { secret_key: installation.secret_key, origin, operators })
  for (const wallet of ['pawapay/CIV', 'mtn/CI', 'wave/CI']) twin.setWallet(wallet, FAR)
  const ways = waysTo()
  const keys = await Promise.all(Array.from({ length: merchants }, () => newLiveMerchant(sql)))
  let orders = 0
  const next = (of?: LiveOperator): { msisdn: string; operator: LiveOperator['operator'] } => {
    orders += 1
    const { operator, prefix } = of ?? operators[orders % operators.length]!
    return { msisdn: prefix + String(orders).padStart(8, '0'), operator }
  }
  return {
    twin,
    newPayment() {
      const { msisdn, operator } = next()
      const body = { amount: seed.between(100, 5_000), operator, counterparty: { msisdn } }
      const asked = payment(seed.pick(keys).collect, body)
      return keyedRequest({ ...asked, idempotency_key: asked.idempotency_key! })
    },
    newPayout: () => payoutRequest(seed.pick(keys).payout, seed.between(100, 5_000), next()),
    async newContract(number) {
      const operator = operators[number % operators.length]!
      const merchant = await newLiveMerchant(sql)
      const { merchant_id } = merchant
      const { secret_key } = installation
      const account = { suffix: `-${number}`, reached_at: await ways.open(twin.url) }
      await connectTwin(sql, twin, { secret_key, origin, operators: [operator], merchant_id, account })
      return (amount) => payoutRequest(merchant.payout, amount, next(operator))
    },
    async [Symbol.asyncDispose]() {
      ways.close()
      await twin.close()
    },
  }
}

/** Further addresses of one server, because a contract's account is identified by its address. */
function waysTo() {
  const servers: Server[] = []
  return {
    async open(url: string): Promise<string> {
      const { hostname, port } = new URL(url)
      const server = createServer((socket) => {
        const onward = connect(Number(port), hostname)
        for (const [from, to] of [
          [socket, onward],
          [onward, socket],
        ] as const) {
          from.on('error', () => from.destroy()).on('close', () => to.destroySoon())
          from.pipe(to)
        }
      }).listen(0, hostname)
      servers.push(server)
      await once(server, 'listening')
      return `http://${hostname}:${(server.address() as AddressInfo).port}`
    },
    close(): void {
      for (const server of servers) server.close()
    },
  }
}

function payoutRequest(key: string, amount: number, to: { msisdn: string; operator: string }): KeyedRequest {
  const asked = payout({ key }, { amount })
  return keyedRequest({ ...asked, body: { ...(asked.body as object), beneficiary: { ...to, name: 'Awa Koné' } } })
}

async function newLiveMerchant(sql: Sql): Promise<{ merchant_id: number; collect: string; payout: string }> {
  const { merchant_id, newKey } = await newMerchant(sql)
  const tenant = { merchant_id, livemode: true }
  await addFunds(sql, tenant, FAR)
  await setCaps(sql, tenant, { operation: FAR, day: FAR })
  return { merchant_id, collect: (await newKey('live', 'collect')).key, payout: (await newKey('live', 'payout')).key }
}

/** Sends under way at the kill. `held`: their operator has them, and the answer is lost. `never_held`: they never reached it. */
export type UnderWay = { held: number; never_held: number }

/** Makes all requests at once, and kills the service at a random moment during which enough of them are being sent. */
export async function killUnder(
  { sql, twin }: LiveInstallation,
  service: Service,
  seed: Seed,
  { requests, enough }: { requests: readonly KeyedRequest[]; enough: number },
): Promise<UnderWay> {
  const [began] = await sql<{ at: Date }[]>`select clock_now() as at`
  const asking = Promise.all(requests.map((one) => askFor(service.address, one)))
  // An earlier kill left others in `sending`, which are not under way.
  const readSending = () => sql<{ reference: string }[]>`
    select reference from instructions where next_check_at is not null and state = 'sending' and sent_at > ${began!.at}`
  await waitFor(async () => (await readSending()).length >= enough, {
    what: 'sends to be under way',
  })
  await sleep(seed.between(0, 100))
  const { signal } = await service.kill('SIGKILL')
  assert.equal(signal, 'SIGKILL', 'it did not end by itself before')
  await asking
  const left = await readSending()
  const taken = new Set(twin.operations().map(({ reference }) => reference))
  const held = left.filter(({ reference }) => taken.has(reference)).length
  return { held, never_held: left.length - held }
}

export type OpenOrder = {
  id: string
  livemode: boolean
  status: string
  operator: string | null
  direction: 'collect' | 'payout'
}

/** Payments and payouts that have not ended. */
export function readOpenOrders(sql: Sql): Promise<OpenOrder[]> {
  return readWhole(
    sql,
    (tx) => tx<OpenOrder[]>`
      select p.id, p.status, i.operator, 'collect' as direction
        from payments p
        left join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
       where p.status in ('created', 'pending')
       union all
      select p.id, p.status, i.operator, 'payout'
        from payouts p
        left join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
       where p.status in ('created', 'processing', 'indeterminate')`,
  )
}

export type Ends = {
  orders: number
  executed_twice: number
  untrue: number
  for_people: number
  /** Orders that succeeded without one charge of their operator, or failed with one. */
  miscounted_charges: number
  sent_again: number
  audit_ok: boolean
}

/**
 * Counts, when nothing moves any more, by the twin's own journal: telephones that paid or were paid twice, orders whose end is not what
 * the twin did, and those that were kept for people. `sent_again`: those that left once more because their operator did not hold them.
 */
export async function countEnds({ sql, twin, bandama }: LiveInstallation): Promise<Ends> {
  const orders = await readWhole(
    sql,
    (tx) => tx<{ id: string; status: string; amount: number; digits: string; sent_again: number }[]>`
      select s.id, s.status, s.amount, right(i.msisdn, 10) as digits, i.sent_again
        from (select merchant_id, livemode, id, status, amount from payments
               union all
              select merchant_id, livemode, id, status, amount from payouts) s
        left join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (s.merchant_id, s.livemode, s.id)`,
  )
  const moved = Map.groupBy(twin.journal(), ({ msisdn }) => msisdn!.slice(-10))
  const isTrue = ({ status, amount, digits }: (typeof orders)[number]) => {
    const movements = moved.get(digits) ?? []
    // A payer of Wave may try again until the session is over: a payment that failed there expires.
    const moved_nothing = status === 'failed' || status === 'expired'
    return status === 'succeeded' ? movements[0]?.amount === amount : moved_nothing && movements.length === 0
  }
  const [row] = await sql<{ anomalies: number }[]>`select count(*) as anomalies from anomalies`
  const [charges] = await sql<{ miscounted: number }[]>`
    select count(*) as miscounted
      from (select merchant_id, livemode, id, status from payments
             union all
            select merchant_id, livemode, id, status from payouts) s
     where (s.status = 'succeeded')::int
           <> (select count(*)
                 from ledger_transactions t
                where (t.subject_id, t.merchant_id, t.livemode, t.operation)
                      = (s.id, s.merchant_id, s.livemode, 'operator_charged'))`
  const audit = await bandama('audit')
  return {
    orders: orders.length,
    executed_twice: [...moved.values()].filter(({ length }) => length > 1).length,
    untrue: orders.filter((order) => !isTrue(order)).length,
    for_people: row!.anomalies,
    miscounted_charges: charges!.miscounted,
    sent_again: orders.filter(({ sent_again }) => sent_again > 0).length,
    audit_ok: audit.ok === true,
  }
}
