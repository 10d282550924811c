import type { Notice, NoticeKind } from '../../people/notices/notice.ts'
import { notify } from '../../people/notices/notify.ts'
import { quietMillisecondsLeft } from '../../people/notices/settings.ts'
import { type Follower, readFollowers } from '../../people/notices/settings-store.ts'
import { chunksOf } from '../../platform/chunks.ts'
import type { Clock } from '../../platform/clock.ts'
import { eachApart } from '../../platform/each-apart.ts'
import { hasOneOrder } from '../../platform/each-shard.ts'
import type { Log } from '../../platform/log.ts'
import { tryAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Tenant, tenantKey, tenantOf } from '../../values/caller.ts'
import { firstIdAt } from '../../values/ids.ts'
import { rolesWith } from '../../values/rights.ts'
import { findNews } from '../../webhooks/feed/feed-store.ts'
import type { Position } from '../../webhooks/feed/position.ts'
import { type ReadFrom, readFeed } from '../../webhooks/feed/read-feed.ts'
import type { Payment } from '../payment.ts'
import * as store from './told-store.ts'

type Deps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly log: Log
  /** Adds up the payments of a day that succeeded. */
  readonly takingsOf: (tenant: Tenant, day: string) => Promise<{ readonly count: number; readonly amount: number }>
}

/** The most payments of a merchant in one round that have a notice each. More come as one sum. */
const APART_MAX = 3
/** The most payments of a merchant in one page, and the most pages in one round. */
const PAYMENTS_MAX = 200
const PAGES_MAX = 10
const TENANTS_MAX = 500
/** An older payment is news to nobody: its merchant had no follower, or no worker ran. */
const NEWS_MS = 3_600_000
/** The minute of the day in Abidjan, which is on UTC, from which takings are told, and the minutes over which merchants are spread. */
const DAY_MINUTE = 20 * 60
const SPREAD_MINUTES = 15

/**
 * Tells people who asked for it of payments that succeeded, and once a day of the takings. It reads the feed of events, so that an end of a payment
 * costs nothing more, whoever follows it. The place in the feed moves on with the notices in one transaction: no payment is told twice. One worker
 * tells at a time.
 */
export function createTellOfPayments({ sql, clock, log, takingsOf }: Deps) {
  return async (): Promise<void> => {
    // Without one order of events nobody can go on behind a place.
    if (!hasOneOrder(sql)) return
    await sql.begin(async (tx) => {
      if (await tryAdvisoryLock(tx, 'notices of payments')) await tellAll()
    })
  }

  async function tellAll(): Promise<void> {
    const followers = Map.groupBy(
      await readFollowers(sql, rolesWith('payments.read')),
      ({ merchant_id }) => merchant_id,
    )
    for (const merchant_ids of chunksOf([...followers.keys()], TENANTS_MAX)) await tellAt(merchant_ids, followers)
  }

  async function tellAt(merchant_ids: readonly number[], followers: ReadonlyMap<number, Follower[]>): Promise<void> {
    const told = await store.readTold(sql, merchant_ids)
    const known = new Set(told.map(tenantKey))
    const both = merchant_ids.flatMap((merchant_id) => [true, false].map((livemode) => ({ merchant_id, livemode })))
    for (const tenant of both) if (!known.has(tenantKey(tenant))) await begin(tenant)
    const wanting = told.filter(({ merchant_id }) => followers.get(merchant_id)!.some(wants('payment')))
    const news = await findNews(
      sql,
      wanting.map(({ place, ...at }) => ({ ...tenantOf(at), ...place })),
    )
    const withNews = new Set(wanting.filter((_, rank) => news[rank]))
    await eachApart(told, {
      task: 'notices of payments',
      log,
      nameOf: ({ merchant_id }) => String(merchant_id),
      act: async (one) => {
        const people = followers.get(one.merchant_id)!
        if (withNews.has(one)) await tellNew(one, people.filter(wants('payment')))
        const today = dueDay(one.merchant_id)
        if (today !== null && (one.day === null || one.day < today)) await tellDay(one, people, today)
      },
    })
  }

  /** Begins behind the newest event: a person who begins to follow wants no old payments. */
  async function begin(tenant: Tenant): Promise<void> {
    const page = await readFeed(sql, { tenant, from: 'now', types: [], subject_id: null, limit: 1 })
    if (page.kind === 'page')
      await store.beginTelling(sql, { ...tenant, place: page.next, day: dueDay(tenant.merchant_id) })
  }

  async function tellNew(told: store.Told, people: readonly Follower[]): Promise<void> {
    const { payments, next } = await readNew(told)
    // In the morning nobody wants to hear of each payment of the night.
    const awake = people.filter(({ quiet }) => quietMillisecondsLeft(quiet, clock.now()) === 0)
    const notices = awake.flatMap((person) => noticesTo(person, tenantOf(told), payments))
    await sql.begin(async (tx) => {
      if (!(await store.moveOn(tx, told, next))) return
      for (const notice of notices) notify(tx, notice)
    })
  }

  /** Reads the payments of the last hour behind the place, and the place behind them. A place that is older is left. */
  async function readNew(told: store.Told): Promise<{ payments: readonly Payment[]; next: Position }> {
    const wanted = {
      tenant: tenantOf(told),
      types: ['payment.succeeded'],
      subject_id: null,
      limit: PAYMENTS_MAX,
    } as const
    const since = new Date(clock.milliseconds() - NEWS_MS)
    const isOld = told.place.id < firstIdAt('evt', since.getTime() - NEWS_MS)
    const payments: Payment[] = []
    let from: ReadFrom = isOld ? since : told.place
    let next = told.place
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const found = await readFeed(sql, { ...wanted, from })
      // Old events were deleted, which nobody wants to hear of now.
      const page = found.kind === 'page' ? found : await readFeed(sql, { ...wanted, types: [], from: 'now' })
      if (page.kind === 'deleted') break
      payments.push(...page.events.map(({ body }) => (JSON.parse(body) as { data: Payment }).data))
      next = from = page.next
      if (!page.has_more) break
    }
    const first = since.toISOString()
    return { payments: payments.filter(({ succeeded_at }) => succeeded_at! >= first), next }
  }

  async function tellDay(tenant: Tenant, people: readonly Follower[], day: string): Promise<void> {
    const to = people.filter(wants('takings')).map(({ email }) => email)
    const at = clock.now().toISOString().slice(11, 16)
    const { count, amount } = await takingsOf(tenant, day)
    await sql.begin(async (tx) => {
      if (!(await store.markDay(tx, tenant, day)) || count === 0 || to.length === 0) return
      const facts = { count: String(count), amount: String(amount), day, at }
      notify(tx, { name: 'day_taken', about: tenantOf(tenant), subject: day, to, facts })
    })
  }

  /** The day whose takings are due at a merchant. Null: it is too early. */
  function dueDay(merchant_id: number): string | null {
    const now = clock.now()
    const minute = now.getUTCHours() * 60 + now.getUTCMinutes()
    return minute < DAY_MINUTE + (merchant_id % SPREAD_MINUTES) ? null : now.toISOString().slice(0, 10)
  }
}

const wants =
  (kind: NoticeKind) =>
  ({ kinds }: Follower): boolean =>
    kinds.includes(kind)

/** The notices of new payments to one person. */
function noticesTo({ email, payment_min }: Follower, about: Tenant, payments: readonly Payment[]): Notice[] {
  const due = payments.filter(({ amount }) => amount >= payment_min)
  if (due.length > APART_MAX) {
    const amount = String(due.reduce((sum, { amount }) => sum + amount, 0))
    return [{ name: 'payments_received', about, to: [email], facts: { count: String(due.length), amount } }]
  }
  return due.map(({ id, amount, succeeded_at }) => {
    const facts = { amount: String(amount), at: succeeded_at!.slice(11, 16) }
    return { name: 'payment_received', about, subject: id, to: [email], facts }
  })
}
