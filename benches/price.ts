import { measureCreation } from './create-payment.ts'
import { type BenchDatabase, besideTpcb, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import type { Measured, Pace } from './measure.ts'

const ROUNDS = 2
const SECONDS = 8

/** The features that are switched off, by replacement files that only this bench loads (benches/without). */
const promises = ['idempotency', 'limits', 'request log']
const variants: Record<string, string[]> = {
  everything_on: [],
  without_idempotency: ['idempotency'],
  without_limits: ['limits'],
  without_request_log: ['request log'],
  without_all_three: promises,
}

/**
 * Measures the cost of features: payments accepted with everything on, without idempotency, without limits, without the
 * request log, and without all three. The runs alternate, so that other work of the machine affects all of them alike.
 * A price is the share of the payments a second, and of one payment's processor time, that the feature takes.
 */
export async function priceBench({ quick }: Pace): Promise<object> {
  await using database = await startDatabase({ quick })
  const rounds: Record<string, Measured[]> = {}
  const [, tpcb] = await besideTpcb(database, quick, async () => {
    for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
      for (const [name, off] of Object.entries(variants)) {
        const measured = await measureWithout(database, off, quick ? 1 : SECONDS)
        rounds[name] = [...(rounds[name] ?? []), measured]
      }
    }
  })
  const best = Object.fromEntries(Object.entries(rounds).map(([name, taken]) => [name, bestOf(taken)]))
  const { everything_on, ...reduced } = best
  return {
    bench: 'price',
    card: await machineCard(database.sql),
    tpcb,
    prices: Object.fromEntries(
      Object.entries(reduced).map(([name, without]) => [name, priceOf(everything_on!, without)]),
    ),
    ...best,
  }
}

async function measureWithout(database: BenchDatabase, off: string[], seconds: number): Promise<Measured> {
  const before = await countTraces(database)
  const env = {
    BENCH_WITHOUT: off.join(','),
    NODE_OPTIONS: `--import=${new URL('without/switch-off.ts', import.meta.url).href}`,
  }
  const measured = await measureCreation(database, ['--only', 'api'], { seconds, ...(off.length > 0 ? { env } : {}) })
  const after = await countTraces(database)
  // Rows show whether idempotency and the request log are on. `without/switch-off.ts` checks that each replacement
  // replaces a real file.
  for (const name of ['idempotency', 'request log'] as const) {
    if (off.includes(name) !== (after[name] === before[name]))
      throw new Error(`${name} is not switched as it should be.`)
  }
  return measured
}

async function countTraces({ sql }: BenchDatabase): Promise<Record<'idempotency' | 'request log', number>> {
  const [there] = await sql<{ migrated: boolean }[]>`select to_regclass('idempotency_keys') is not null as migrated`
  if (!there!.migrated) return { idempotency: 0, 'request log': 0 }
  const [row] = await sql<{ kept: number; logged: number }[]>`
    select (select count(*) from idempotency_keys) as kept, (select count(*) from request_log) as logged`
  return { idempotency: row!.kept, 'request log': row!.logged }
}

/** The fastest of the rounds: the others were disturbed more. */
function bestOf(rounds: readonly Measured[]): Measured {
  return rounds.toSorted((a, b) => b.per_second - a.per_second)[0]!
}

function priceOf(everything: Measured, without: Measured) {
  const cpu = ({ per_operation: { service_cpu_ms, database_cpu_ms } }: Measured) => service_cpu_ms + database_cpu_ms
  return {
    part_of_throughput: Number((1 - everything.per_second / without.per_second).toFixed(3)),
    part_of_processor_time: Number((1 - cpu(without) / cpu(everything)).toFixed(3)),
  }
}
