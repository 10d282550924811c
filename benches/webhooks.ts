import { setTimeout as sleep } from 'node:timers/promises'
import { createClock } from '../src/platform/clock.ts'
import { openDatabase } from '../src/platform/postgres/database.ts'
import { newId } from '../src/values/ids.ts'
import { emitEvents } from '../src/webhooks/emit.ts'
import { type BenchDatabase, besideTpcb, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { type Measured, measureLoad, type Pace, ratio, startBenchService } from './measure.ts'
import type { Behaviour } from './merchant-server.ts'
import { type BenchMerchant, createEndpoints, createMerchants } from './merchants.ts'
import { startLoad } from './start-load.ts'

const ENDPOINTS = 100
const EVENTS_PER_SECOND = 500

/** One endpoint in ten is slow, and one in ten fails. */
const troubled = (rank: number): Behaviour => (rank % 10 === 3 ? 'slow' : rank % 10 === 7 ? 'failing' : 'healthy')

/**
 * Measures five hundred events a second to a hundred endpoints: first all healthy, then one in ten answering only after
 * five seconds and one in ten with a 500. The delivery time of the healthy ones must not depend on the others.
 */
export async function webhooksBench({ quick }: Pace): Promise<object> {
  const seconds = quick ? 1 : 25
  await using database = await startDatabase({ quick })
  const [[all_healthy, with_trouble], tpcb] = await besideTpcb(database, quick, async () => [
    await measureDeliveries(database, seconds, () => 'healthy'),
    await measureDeliveries(database, seconds, troubled),
  ])
  return {
    bench: 'webhooks',
    card: await machineCard(database.sql),
    tpcb,
    p99_to_all_healthy: ratio(with_trouble.p99_ms, all_healthy.p99_ms),
    all_healthy,
    with_trouble,
  }
}

/** Measures events emitted at a fixed rate beside a worker, and their arrival. An operation is an event received by a healthy endpoint. */
async function measureDeliveries(
  { sql, url }: BenchDatabase,
  seconds: number,
  behaviour: (rank: number) => Behaviour,
): Promise<Measured> {
  await using service = await startBenchService(url, ['--only', 'worker'])
  await using load = await startLoad()
  const merchants = await createMerchants(sql, ENDPOINTS, 'collect')
  const secrets = await createEndpoints(sql, merchants, { url: load.url, event_types: [], behaviour })
  const emitting = new AbortController()
  const emitted = emitSteadily(url, merchants, emitting.signal)
  try {
    return await measureLoad(sql, service, load, { what: 'nothing', keys: [], secrets, seconds })
  } finally {
    emitting.abort()
    await emitted
  }
}

/** Emits events until aborted, each in its own transaction, as a payment would. */
async function emitSteadily(url: string, merchants: readonly BenchMerchant[], signal: AbortSignal): Promise<void> {
  const sql = openDatabase({ url, connections: 8, name: 'emitter' })
  const clock = createClock()
  const under_way = new Set<Promise<unknown>>()
  const begin = performance.now()
  for (let emitted = 0; !signal.aborted; ) {
    for (; emitted < ((performance.now() - begin) * EVENTS_PER_SECOND) / 1_000; emitted += 1) {
      const { merchant_id } = merchants[emitted % merchants.length]!
      const id = newId('txn', clock.milliseconds())
      const event = {
        merchant_id,
        livemode: false,
        type: 'payment.succeeded' as const,
        subject_id: id,
        data: { id, object: 'payment', amount: 10_000, currency: 'XOF', status: 'succeeded' },
      }
      const sent = sql.begin((tx) => emitEvents(tx, [event], clock.now())).finally(() => under_way.delete(sent))
      under_way.add(sent)
    }
    await sleep(2)
  }
  await Promise.all(under_way)
  await sql.end()
}
