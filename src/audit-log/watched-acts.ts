import type { Db, Tx } from '../platform/postgres/database.ts'
import { defineJob, enqueue } from '../platform/queue/jobs.ts'
import { type About, type Act, WHOLE_SERVICE } from './act.ts'
import type { ActName } from './act-words.ts'
import type { AuditLine } from './find-acts.ts'
import { readWatched } from './store.ts'

// One person moved money or changed a source of proof by these acts: in test mode, up to the sum of one person, or by a command on the host. Finance
// and the desk hear of each.

/** The largest refund that nobody else hears of, in francs. */
const REFUND_UNWATCHED_MAX = 100_000

/** The days for which the desk shows such an act. */
const SHOWN_DAYS = 7
const SHOWN_MAX = 20
/** The most of them that are counted. */
const READ_MAX = 1_000

type Line = Pick<Act, 'before' | 'after'> & { livemode: boolean | null }

/** The acts, each with the cases that are watched. Payments of test mode have no money, so its connectors and routes are not. */
const watched: Readonly<Partial<Record<ActName, (line: Line) => boolean>>> = {
  'balance.deposit': () => true,
  'refund.create': ({ after }) => Number((after as { amount?: number } | null)?.amount) > REFUND_UNWATCHED_MAX,
  'connector.set': ({ livemode, before, after }) =>
    livemode !== false && (before == null || addressesIn(before).join() !== addressesIn(after).join()),
  'route.set': ({ livemode }) => livemode !== false,
  'route.remove': ({ livemode }) => livemode !== false,
}

/** The web addresses among a connector's settings, whatever their names. */
function addressesIn(values: object | null | undefined): string[] {
  const { settings = {} } = (values ?? {}) as { settings?: Record<string, unknown> }
  return Object.entries(settings)
    .filter(([, value]) => typeof value === 'string' && URL.canParse(value))
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
}

/** An act of which finance hears by mail. */
export type WatchedAct = { act: ActName; actor: string; livemode: boolean | null; merchant_id: number }

export const watchedActJob = defineJob<WatchedAct>('tell-of-act', 'upkeep')

/** Enqueues the notice of an act, in its transaction, if it is one of these. */
export function watchAct(
  tx: Tx,
  { merchant_id, livemode }: About,
  { act, actor, before = null, after = null }: Act,
): void {
  if (!watched[act]?.({ livemode, before, after })) return
  const payload = { act, actor: actor.person, livemode, merchant_id }
  enqueue(tx, watchedActJob, [{ payload, partition_key: 'notices', owner: '0' }])
}

/** `more`: how many acts of these days are not among those shown; with `at_least`, perhaps more still. */
export type WatchedActs = { readonly acts: readonly AuditLine[]; readonly more: number; readonly at_least: boolean }

/**
 * Reads the acts of the last days that the desk shows, newest first: those with the largest amounts, so that many small ones hide no large one, and
 * the newest without an amount.
 */
export async function findWatchedActs(db: Db, livemode: boolean): Promise<WatchedActs> {
  const names = Object.keys(watched)
  const wanted = { acts: names, livemode, days: SHOWN_DAYS, limit: READ_MAX, refund_above: REFUND_UNWATCHED_MAX }
  const read = await readWatched(db, wanted)
  const rows = read.filter((row) => watched[row.act]?.(row))
  const amountOf = (row: AuditLine) => Number((row.after as { amount?: number } | null)?.amount ?? Number.NaN)
  const [moving, others] = [rows.filter((row) => amountOf(row) > 0), rows.filter((row) => !(amountOf(row) > 0))]
  const largest = moving.toSorted((one, other) => amountOf(other) - amountOf(one)).slice(0, SHOWN_MAX / 2)
  const acts = [...largest, ...others.slice(0, SHOWN_MAX / 2)]
    .toSorted((one, other) => other.at.getTime() - one.at.getTime())
    .map((row) => ({ ...row, merchant_id: row.merchant_id === WHOLE_SERVICE ? null : row.merchant_id }))
  return { acts, more: rows.length - acts.length, at_least: read.length === READ_MAX }
}
