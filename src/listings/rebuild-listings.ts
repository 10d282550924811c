import { setTimeout as sleep } from 'node:timers/promises'
import { recordAct, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { merchantExists, readMerchantIds } from '../merchants/store.ts'
import { eachShard } from '../platform/each-shard.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { firstIdAt, IDS_OFF_MS } from '../values/ids.ts'
import type { Period } from '../values/period.ts'
import { listAgain } from './fill-listings.ts'
import { type ListedKind, listedKinds } from './listed-operation.ts'
import { deleteStrangers, type Part, readNextDay, recountDay } from './rebuild-store.ts'
import * as store from './store.ts'

/** The most rows of one step, whose locks one transaction holds. */
const ROWS_OF_A_STEP = 2_000
/** After each step the repair pauses this many times the step's duration, because money comes first. */
const REST = 1

const DAY_MS = 86_400_000

/** The part of the lists and figures to repair. Null: all merchants, or all days. */
export type Wanted = { tenant: Tenant | null; period: Period | null }

/** The counts of a repair so far. */
export type Repaired = {
  /** Operations that were compared with the list. */
  looked_at: number
  /** Operations that were missing in the list. */
  listed: number
  /** Operations that were wrong in the list. */
  relisted: number
  /** Rows of the list without an operation. */
  removed: number
  /** Days whose figures were counted again, for each merchant, mode and kind. */
  days: number
  /** Figures that were wrong. */
  figures: number
}

/** The callback after each step, with the progress of the repair and its counts. */
export type Told = (where: string, repaired: Repaired) => void

/**
 * Compares the lists and daily figures with the operations and corrects them, while the service runs. Each step is one transaction under the
 * locks of the worker that lists; the worker continues between steps, and readers see each step whole. Committed steps stay, so a repair
 * that was interrupted can start again. Its first transaction writes the line of the audit log.
 *
 * It leaves operations that the worker has not listed yet: readers take those from their own tables, and would count them twice.
 * Refused for an unknown merchant.
 */
export async function rebuildListings(
  sql: Sql,
  { tenant, period }: Wanted,
  by: Actor,
  told: Told,
): Promise<({ kind: 'repaired' } & Repaired) | { kind: 'refused'; code: 'resource_not_found' }> {
  if (tenant !== null && !(await merchantExists(sql, tenant.merchant_id))) {
    return { kind: 'refused', code: 'resource_not_found' }
  }
  const repaired: Repaired = { looked_at: 0, listed: 0, relisted: 0, removed: 0, days: 0, figures: 0 }
  const ids = idsOf(period)
  const repair: Repair = { sql, tenant, period, ids, repaired, told }
  await sql.begin(async (tx) => {
    const about = tenant ?? { merchant_id: WHOLE_SERVICE, livemode: null }
    recordAct(tx, about, { actor: by, act: 'listings.rebuild', after: period ?? { from: null, to: null } })
  })
  for (const kind of listedKinds) {
    for (let from: string | null = ids.from; from !== null; ) {
      const at: string = from
      from = await step(repair, `${kind}s`, (tx) => listStretch(repair, tx, kind, at))
    }
  }
  for (const one of tenant === null ? await readTenants(sql) : [tenant]) {
    for (const kind of listedKinds) await repairPart(repair, { ...one, kind })
  }
  return { kind: 'repaired', ...repaired }
}

/** A repair under way. `repaired`: its counts so far. */
type Repair = Wanted & {
  readonly sql: Sql
  readonly ids: ReturnType<typeof idsOf>
  readonly repaired: Repaired
  readonly told: Told
}

/** Takes one step, then pauses. */
async function step<Result>(
  { sql, repaired, told }: Repair,
  where: string,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const began = performance.now()
  const result = await sql.begin(async (tx) => {
    await store.awaitFilling(tx)
    return work(tx)
  })
  told(where, repaired)
  await sleep((performance.now() - began) * REST)
  return result
}

/** Lists operations that are missing or wrong in the list, from an identifier on. Returns where the next step begins, or null. */
async function listStretch(
  { sql, tenant, ids, repaired }: Repair,
  tx: Tx,
  kind: ListedKind,
  from: string,
): Promise<string | null> {
  const source = `new ${kind}s` as const
  const passed = await store.readProgress(tx, source)
  const until = ids.until === null || passed < ids.until ? passed : ids.until
  const { keys, next } = await store.readUnlisted(tx, source, { tenant, from, until, limit: ROWS_OF_A_STEP })
  for (const done of await eachShard(sql, keys, (some) => sql.begin((each) => listAgain(each, kind, some)))) {
    repaired.listed += done.missing
    repaired.relisted += done.otherwise
  }
  repaired.looked_at += keys.length
  return next
}

async function removeStrangers({ ids, repaired }: Repair, tx: Tx, part: Part, from: string): Promise<string | null> {
  const { removed, next } = await deleteStrangers(tx, part, { from, until: ids.until, limit: ROWS_OF_A_STEP })
  repaired.removed += removed
  return next
}

/** Counts the next day from a day on, and returns the day after it. Null after the last. */
async function countDay({ period, repaired }: Repair, tx: Tx, part: Part, from: string | null): Promise<string | null> {
  await store.lockCounting(tx)
  const day = await readNextDay(tx, part, from)
  if (day === null || (period !== null && day > period.to)) return null
  repaired.figures += await recountDay(tx, part, day)
  repaired.days += 1
  return dayAfter(day)
}

async function repairPart(repair: Repair, part: Part): Promise<void> {
  const { ids, period } = repair
  const where = `merchant ${part.merchant_id} ${part.livemode ? 'live' : 'test'}, ${part.kind}s`
  for (let from: string | null = ids.from; from !== null; ) {
    const at: string = from
    from = await step(repair, `${where}: list`, (tx) => removeStrangers(repair, tx, part, at))
  }
  let day = period?.from ?? null
  do {
    const at = day
    day = await step(repair, `${where}: figures`, (tx) => countDay(repair, tx, part, at))
  } while (day !== null)
}

async function readTenants(sql: Sql): Promise<Tenant[]> {
  const ids = await readMerchantIds(sql)
  return ids.flatMap((merchant_id) => [false, true].map((livemode) => ({ merchant_id, livemode })))
}

/** Returns the range of identifiers of these days. `until` null: to the last. */
function idsOf(period: Period | null): { from: string; until: string | null } {
  if (period === null) return { from: '', until: null }
  return {
    from: firstIdAt('txn', Math.max(0, Date.parse(period.from) - IDS_OFF_MS)),
    until: firstIdAt('txn', Math.max(0, Date.parse(period.to) + DAY_MS + IDS_OFF_MS)),
  }
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
}
