import type { Sql } from '../src/platform/postgres/database.ts'
import { startDatabase } from './database.ts'
import { type LiveMode, openLiveMode, type TwinProcess } from './live-mode.ts'
import { type Times, timesOf } from './load-order.ts'
import { machineCard } from './machine-card.ts'
import { type Pace, ratio } from './measure.ts'
import { type Load, startLoad } from './start-load.ts'
import { cpuOfTree, peakMemoryOfTree } from './usage.ts'
import { createCrowd, measureWholeOn, type WholeMeasured } from './whole-payment.ts'

const MERCHANTS = 100
/** Seconds measured of each turn, and before them: a process that has just started compiles, and live mode runs more code than the simulator. */
const SECONDS = 20
const WARM_UP = 20
/** Payments under way with an operator that takes its time to answer, and how long it takes, in seconds. */
const IN_FLIGHT = 2_000
const ANSWER_SECONDS = 2
/** The payments a second at which the time from a callback to its webhook is measured. */
const CALM_RATE = 50

type Bench = { sql: Sql; live: LiveMode; load: Load }

/**
 * Whole payments through pawaPay's contract with the twin: as many as the machine carries, beside as many with the simulator, by turns;
 * two thousand under way while the operator takes two seconds to answer; and the time from an operator's callback to the merchant's
 * webhook. The twin shares the machine.
 */
export async function operatorsBench({ quick }: Pace): Promise<object> {
  await using database = await startDatabase({ quick })
  await using load = await startLoad()
  await using live = await openLiveMode(database.sql, database.url)
  const bench = { sql: database.sql, live, load }
  const wanted = quick ? { seconds: 2, in_flight: 32 } : { seconds: SECONDS, warm_up: WARM_UP }
  const simulator_first = await measureSimulator(bench, wanted)
  const live_first = await measureLive(bench, wanted)
  const live_second = await measureLive(bench, wanted)
  const simulator_second = await measureSimulator(bench, wanted)
  const sum = (one: WholeMeasured, other: WholeMeasured) => one.per_second + other.per_second
  const spent = (one: WholeMeasured, other: WholeMeasured) => oursOf(one) + oursOf(other)
  return {
    bench: 'operators',
    card: await machineCard(database.sql),
    live_to_simulator: ratio(sum(live_first, live_second), sum(simulator_first, simulator_second)),
    // A real operator runs elsewhere; the twin takes its time from the same cores.
    by_our_processor_time: ratio(spent(simulator_first, simulator_second), spent(live_first, live_second)),
    by_turns: { simulator_first, live_first, live_second, simulator_second },
    answers_after_two_seconds: await measureInFlight(bench, quick),
    callback_to_webhook: await measureCallbacks(bench, quick),
  }
}

/** Milliseconds of processor that a payment costs the service and its database. */
function oursOf({ per_operation: { service_cpu_ms, database_cpu_ms } }: WholeMeasured): number {
  return service_cpu_ms + database_cpu_ms
}

type Wanted = Parameters<typeof measureWholeOn>[4]

async function measureSimulator({ sql, live, load }: Bench, wanted: Wanted): Promise<WholeMeasured> {
  await using service = await live.start()
  return await measureWholeOn(sql, service, load, await createCrowd(sql, load, MERCHANTS), wanted)
}

/** `twin_cores`: of the machine's cores, as many as the twin kept busy. */
type LiveMeasured = WholeMeasured & { twin_cores: number }

/** The same as with the simulator, which answers and calls back at once too. */
async function measureLive({ sql, live, load }: Bench, wanted: Wanted): Promise<LiveMeasured> {
  await using service = await live.start()
  await live.twin.play({ after_seconds: 0 })
  const watched = watchTwin(load, live.twin)
  const crowd = await createCrowd(sql, load, MERCHANTS, true)
  const { per_operation, ...measured } = await measureWholeOn(sql, service, watched.load, crowd, wanted)
  const twin_cpu_ms = watched.cpu_ms()
  return {
    ...measured,
    twin_cores: Number((twin_cpu_ms / 1_000 / measured.seconds).toFixed(2)),
    per_operation: { ...per_operation, operator_cpu_ms: Number((twin_cpu_ms / measured.operations).toFixed(3)) },
  }
}

/** A load that also counts the processor time of the twin while it measures. */
function watchTwin(load: Load, { pid }: TwinProcess): { load: Load; cpu_ms: () => number } {
  let before = 0
  let after = 0
  return {
    load: {
      ...load,
      run: (order, onMeasuring, onMeasured) =>
        load.run(
          order,
          async () => {
            before = await cpuOfTree(pid)
            await onMeasuring()
          },
          async () => {
            after = await cpuOfTree(pid)
            await onMeasured()
          },
        ),
    },
    cpu_ms: () => after - before,
  }
}

/** Always two thousand under way: one that ends lets the next begin, and in the end all are waited for. */
async function measureInFlight({ sql, live, load }: Bench, quick: boolean): Promise<object> {
  await using service = await live.start()
  const late = { fault: 'late_answer', after_seconds: ANSWER_SECONDS, on: 'send' } as const
  // Payers agree after the answer has come, not before.
  await live.twin.play({ after_seconds: ANSWER_SECONDS + 0.5, fault: late })
  const crowd = await createCrowd(sql, load, MERCHANTS, true)
  const before = await peakMemoryOfTree(service.pid)
  const wanted = quick
    ? { seconds: 4, warm_up: 2, in_flight: 64 }
    : { seconds: SECONDS, warm_up: WARM_UP, in_flight: IN_FLIGHT }
  const measured = await measureWholeOn(sql, service, load, crowd, wanted)
  const peak = await peakMemoryOfTree(service.pid)
  const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20)
  return {
    in_flight: wanted.in_flight,
    not_confirmed: measured.backlog!.never + measured.left_over,
    memory: { before_mb: megabytes(before), peak_mb: megabytes(peak), growth_mb: megabytes(peak - before) },
    ...measured,
  }
}

/** From the moment in which the twin begins to call until the merchant has the event and has verified it, by one machine's clock. */
async function measureCallbacks({ sql, live, load }: Bench, quick: boolean): Promise<Times & { payments: number }> {
  await using service = await live.start()
  await live.twin.play({ after_seconds: 1 })
  const crowd = await createCrowd(sql, load, MERCHANTS, true)
  const wanted = { seconds: quick ? 4 : 20, rate: quick ? 10 : CALM_RATE, tells_arrivals: true }
  const { arrived = [] } = await measureWholeOn(sql, service, load, crowd, wanted)
  const called = new Map((await live.twin.callbacks()).map(({ reference, attempts }) => [reference, attempts[0]?.at]))
  const rows = await sql<{ reference: string; merchant_reference: string }[]>`
    select i.reference, p.merchant_reference
      from payments p
      join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
     where p.livemode and p.merchant_reference is not null`
  const calledAbout = new Map(rows.map((row) => [row.merchant_reference, called.get(row.reference)]))
  const took = arrived.flatMap(([reference, at]) => {
    const began = calledAbout.get(reference)
    return began === undefined ? [] : [at - began]
  })
  return { payments: took.length, ...timesOf(took) }
}
