import type { Notice } from '../../people/notices/notice.ts'
import { notify } from '../../people/notices/notify.ts'
import { type Follower, readFollowers } from '../../people/notices/settings-store.ts'
import { chunksOf } from '../../platform/chunks.ts'
import type { Clock } from '../../platform/clock.ts'
import { eachApart } from '../../platform/each-apart.ts'
import { hasOneOrder } from '../../platform/each-shard.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type Tenant, tenantKey, tenantOf } from '../../values/caller.ts'
import { rolesWith } from '../../values/rights.ts'
import { findNews } from '../../webhooks/feed/feed-store.ts'
import { readFeed } from '../../webhooks/feed/read-feed.ts'
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
/** The most payments of a merchant in one round. */
const PAYMENTS_MAX = 200
const TENANTS_MAX = 500
/** The hour in Abidjan, which is on UTC, from which the takings of the day are told. */
const DAY_HOUR = 20

/**
 * Tells people who asked for it of payments that succeeded, and once a day of the takings. It reads the feed of events, so that an end of a payment
 * costs nothing more, whoever follows it. The place in the feed moves on with the notices in one transaction: no payment is told twice.
 */
export function createTellOfPayments({ sql, clock, log, takingsOf }: Deps) {
  return async (): Promise<void> => {
    // Without one order of events nobody can go on behind a place.
    if (!hasOneOrder(sql)) return
    const followers = Map.groupBy(
      await readFollowers(sql, rolesWith('payments.read')),
      ({ merchant_id }) => merchant_id,
    )
    if (followers.size === 0) return
    for (const merchant_ids of chunksOf([...followers.keys()], TENANTS_MAX)) await tellAt(merchant_ids, followers)
  }

  async function tellAt(merchant_ids: readonly number[], followers: ReadonlyMap<number, Follower[]>): Promise<void> {
    const told = await store.readTold(sql, merchant_ids)
    const known = new Set(told.map(tenantKey))
    const both = merchant_ids.flatMap((merchant_id) => [true, false].map((livemode) => ({ merchant_id, livemode })))
    for (const tenant of both) if (!known.has(tenantKey(tenant))) await begin(tenant)
    const news = await findNews(
      sql,
      told.map(({ place, ...at }) => ({ ...tenantOf(at), ...place })),
    )
    const today = dueDay()
    await eachApart([...told.entries()], {
      task: 'notices of payments',
      log,
      nameOf: ([, { merchant_id }]) => String(merchant_id),
      act: async ([rank, one]) => {
        const people = followers.get(one.merchant_id)!
        if (news[rank]) await tellNew(one, people)
        if (today !== null && (one.day === null || one.day < today)) await tellDay(one, people, today)
      },
    })
  }

  /** Begins behind the newest event: a person who begins to follow wants no old payments. */
  async function begin(tenant: Tenant): Promise<void> {
    const page = await readFeed(sql, { tenant, from: 'now', types: [], subject_id: null, limit: 1 })
    if (page.kind === 'page') await store.beginTelling(sql, { ...tenant, place: page.next, day: dueDay() })
  }

  async function tellNew(told: store.Told, people: readonly Follower[]): Promise<void> {
    const tenant = tenantOf(told)
    const wanted = { tenant, types: ['payment.succeeded'], subject_id: null, limit: PAYMENTS_MAX } as const
    const found = await readFeed(sql, { ...wanted, from: told.place })
    // Old events were deleted, which nobody wants to hear of now.
    const page = found.kind === 'page' ? found : await readFeed(sql, { ...wanted, types: [], from: 'now' })
    if (page.kind === 'deleted') return
    const payments = page.events.map(({ body }) => (JSON.parse(body) as { data: Payment }).data)
    const notices = people
      .filter(({ kinds }) => kinds.includes('payment'))
      .flatMap((person) => noticesTo(person, tenant, payments))
    await sql.begin(async (tx) => {
      if (!(await store.moveOn(tx, told, page.next))) return
      for (const notice of notices) notify(tx, notice)
    })
  }

  async function tellDay(tenant: Tenant, people: readonly Follower[], day: string): Promise<void> {
    const to = people.filter(({ kinds }) => kinds.includes('takings')).map(({ email }) => email)
    const { count, amount } = await takingsOf(tenant, day)
    await sql.begin(async (tx) => {
      if (!(await store.markDay(tx, tenant, day)) || count === 0 || to.length === 0) return
      const facts = { count: String(count), amount: String(amount) }
      notify(tx, { name: 'day_taken', about: tenantOf(tenant), subject: day, to, facts })
    })
  }

  /** The day whose takings are due. Null: it is too early. */
  function dueDay(): string | null {
    const now = clock.now()
    return now.getUTCHours() < DAY_HOUR ? null : now.toISOString().slice(0, 10)
  }
}

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
