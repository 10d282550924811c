import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../src/platform/postgres/database.ts'
import type { Service } from '../tests/harness/start-service.ts'
import { type BenchDatabase, settle, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { type Pace, startBenchService } from './measure.ts'
import { createEndpoints, createMerchantWithKeys } from './merchants.ts'
import type { Attack, Prepared } from './neighbours/attack.ts'
import { attacks } from './neighbours/attacks.ts'
import type { Figure, Phase } from './neighbours/neighbour-order.ts'
import { type Neighbour, type Storm, startNeighbour, startStorm } from './neighbours/start-neighbours.ts'
import type { StormReport } from './neighbours/storm-order.ts'
import { memoryOfTree, peakMemoryOfTree } from './usage.ts'

/** The default rate limit of a key, in calls a minute. Attackers stay within it. */
const RATE_PER_KEY = 300
/** The neighbour's calls a second, of each kind. */
const PER_SECOND = 10
/** Enough keys of each scope to use each at half its rate limit. */
const NEIGHBOUR_KEYS = Math.ceil((PER_SECOND * 60) / (RATE_PER_KEY / 2))
/** The p99 allowed to the neighbour under attack: this multiple of its p99 alone, or so much above it. */
const TIMES_ALONE = 2
const MORE_MS = 250
/** Milliseconds between two checks whether an attack is over. */
const LOOK_MS = 100

type Timing = { warm_up_ms: number; alone_ms: number; attack_ms: { least: number; most: number }; drain_ms: number }

/** An attack is measured for at least 3 s, to include its after-effects, and for 40 s at most. */
const full: Timing = {
  warm_up_ms: 3_000,
  alone_ms: 10_000,
  attack_ms: { least: 3_000, most: 40_000 },
  drain_ms: 30_000,
}
const quickly: Timing = { warm_up_ms: 200, alone_ms: 500, attack_ms: { least: 500, most: 10_000 }, drain_ms: 5_000 }

/**
 * Measures how much an attack by one merchant, within the rate limit of one key, slows down another. A service in one
 * process, freshly started for each attack, serves a calm neighbour first alone and then under the attack, with
 * everything on the same cores.
 */
export async function neighboursBench({ quick, attacks: wanted }: Pace): Promise<object> {
  await using database = await startDatabase({ quick: true })
  await using neighbour = await startNeighbour()
  await using storm = await startStorm()
  // Growth of memory needs a fresh process for each attack. A quick run shares one.
  await using shared = quick ? await startLimited(database) : null
  const found: Record<string, Measured> = {}
  for (const [name, attack] of Object.entries(attacks)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const service = shared ?? (await startLimited(database))
    try {
      found[name] = await measureAttack({ sql: database.sql, service, neighbour, storm, quick }, attack)
    } finally {
      // The attack may have killed it, as the result states.
      if (shared === null) await service[Symbol.asyncDispose]().catch(() => {})
    }
    process.stderr.write(`${name}: ${JSON.stringify(summaryOf(found[name]))}\n`)
  }
  const all = Object.values(found)
  return {
    bench: 'neighbours',
    card: await machineCard(database.sql),
    attacks_held: all.filter(({ held }) => held).length,
    attacks_not_held: all.filter(({ held }) => !held).length,
    p99_to_allowed: Math.max(...all.map(({ p99_to_allowed }) => p99_to_allowed)),
    server_errors: all.reduce((sum, { server_errors }) => sum + server_errors, 0),
    memory_growth_mb: Math.max(...all.map(({ memory_growth_mb }) => memory_growth_mb)),
    attacks: found,
  }
}

type Measured = {
  what: string
  /** Whether every judged figure stayed within its bound, and every call of the neighbour succeeded. */
  held: boolean
  /** The worst of the judged figures, as a multiple of its bound. */
  p99_to_allowed: number
  judged: Record<string, { alone_p99_ms: number; under_attack_p99_ms: number; allowed_p99_ms: number }>
  /** Answers of 500 and above to anybody, and answers that the neighbour never got. */
  server_errors: number
  /** The peak of the service's memory, less its memory before the attack. */
  memory_growth_mb: number
  /** Whether the service still ran at the end. */
  survived: boolean
  attack: StormReport & { until_over_seconds: number }
  alone: Phase
  under_attack: Phase
}

/** Starts a service in one process that enforces the rate limit of keys. */
function startLimited({ url }: BenchDatabase): Promise<Service> {
  return startBenchService(url, [], { RATE_PER_KEY: String(RATE_PER_KEY) })
}

type Stage = { sql: Sql; service: Service; neighbour: Neighbour; storm: Storm; quick: boolean }

async function measureAttack({ sql, service, neighbour, storm, quick }: Stage, attack: Attack): Promise<Measured> {
  const timing = quick ? quickly : full
  const { address, pid } = service
  const { merchant_id, ...keys } = await createMerchantWithKeys(sql, 2)
  const some = (count: number) => (quick ? Math.ceil(count / 20) : count)
  const prepared = await attack.prepare({ sql, address, merchant_id, keys, some })
  if (!quick) await settle(sql)
  await beginCalmly(neighbour, sql, address)
  await storm.aim({ address, shots: prepared.shots })
  neighbour.enter('warm_up')
  await sleep(timing.warm_up_ms)
  neighbour.enter('alone')
  await sleep(timing.alone_ms)

  let died = false
  void service.ended.then(() => {
    died = true
  })
  const before = await memoryOfTree(pid)
  const began = performance.now()
  neighbour.enter('under_attack')
  const [answers] = await Promise.all([storm.fire(timing.attack_ms.most), prepared.begin?.()])
  await untilOver(prepared, began, timing)
  const until_over_seconds = Number(((performance.now() - began) / 1_000).toFixed(2))
  const peak = await peakMemoryOfTree(pid)
  neighbour.enter('afterwards')
  const { phases } = await neighbour.end(timing.drain_ms)
  const { alone, under_attack } = phases as { alone: Phase; under_attack: Phase }
  return {
    what: attack.what,
    ...judge(['payments', 'payouts', ...attack.judged], alone, under_attack),
    server_errors: serverErrors(answers.statuses) + serverErrors(under_attack.statuses),
    memory_growth_mb: Math.max(0, Math.round((peak - before) / 2 ** 20)),
    survived: !died,
    attack: { ...answers, until_over_seconds },
    alone,
    under_attack,
  }
}

/** Sets the neighbour up with a merchant and an endpoint. Resolves when it is at work. */
async function beginCalmly(neighbour: Neighbour, sql: Sql, address: string): Promise<void> {
  const { merchant_id, ...keys } = await createMerchantWithKeys(sql, NEIGHBOUR_KEYS)
  const secrets = await createEndpoints(sql, [{ merchant_id, key: '' }], {
    url: neighbour.url,
    event_types: ['payment.succeeded', 'payout.succeeded'],
  })
  await neighbour.begin({ address, keys, secrets, per_second: PER_SECOND })
}

async function untilOver(prepared: Prepared, began: number, { attack_ms }: Timing): Promise<void> {
  const passed = () => performance.now() - began
  while (passed() < attack_ms.least || (passed() < attack_ms.most && (await prepared.isOver?.()) === false)) {
    await sleep(LOOK_MS)
  }
}

function judge(judged: readonly Figure[], alone: Phase, under_attack: Phase) {
  const figures = judged.map((figure) => {
    const alone_p99_ms = alone[figure].p99_ms
    const allowed_p99_ms = Number(Math.max(TIMES_ALONE * alone_p99_ms, alone_p99_ms + MORE_MS).toFixed(2))
    return [figure, { alone_p99_ms, under_attack_p99_ms: under_attack[figure].p99_ms, allowed_p99_ms }] as const
  })
  const worst = Math.max(...figures.map(([, each]) => each.under_attack_p99_ms / each.allowed_p99_ms))
  const succeeded = Object.keys(under_attack.statuses).every((status) => status.startsWith('2'))
  return {
    held: worst <= 1 && succeeded,
    p99_to_allowed: Number(worst.toFixed(2)),
    judged: Object.fromEntries(figures),
  }
}

function serverErrors(statuses: Record<string, number>): number {
  return Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith('5') ? count : 0), 0)
}

/** The summary of an attack for the progress line. */
function summaryOf({ held, judged, server_errors, memory_growth_mb, attack }: Measured): object {
  return { held, judged, server_errors, memory_growth_mb, answers: attack.statuses, seconds: attack.until_over_seconds }
}
