import { hasOneOrder } from '../../platform/each-shard.ts'
import type { Turn } from '../../platform/http/turns.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type FeedEvent, viewFeedEvent } from '../event.ts'
import type { EventType } from '../event-types.ts'
import { type Cursors, looksLikeCursor } from './cursor.ts'
import type { FeedWaits } from './feed-waits.ts'
import { type FeedDeleted, type FeedPage, type ReadFrom, readFeed } from './read-feed.ts'

/** The most seconds that a call waits for events. */
export const WAIT_SECONDS_MAX = 25

export type FollowWanted = {
  readonly tenant: Tenant
  /** `begin`, `now`, a moment or a cursor, as the caller sent it. */
  readonly after: string
  /** The types of event that the caller may read and wants. */
  readonly types: readonly EventType[]
  readonly subject_id: string | null
  readonly limit: number
  readonly wait_seconds: number
}

/** The body of an answer of the feed. */
export type FeedBody = {
  object: 'feed'
  data: FeedEvent[]
  next: string
  has_more: boolean
  restored_at: string | null
}

export type Followed =
  | { readonly kind: 'found'; readonly body: FeedBody }
  | FeedDeleted
  /** This installation has no feed. */
  | { readonly kind: 'not_offered' }
  /** The cursor is not one of this merchant and mode. */
  | { readonly kind: 'unknown_cursor' }

/** Reads the feed of a merchant, and waits for an event if there is none. `turn` is given up while it waits. */
export type FollowFeed = (wanted: FollowWanted, turn: Turn) => Promise<Followed>

export function createFollowFeed({
  sql,
  waits,
  cursors,
}: {
  sql: Sql
  waits: FeedWaits
  cursors: Cursors
}): FollowFeed {
  const shown = (tenant: Tenant, { events, next, has_more, restored_at }: FeedPage): FeedBody => ({
    object: 'feed',
    data: events.map(({ body, place }) => viewFeedEvent(body, cursors.write(tenant, place))),
    next: cursors.write(tenant, next),
    has_more,
    restored_at: restored_at?.toISOString() ?? null,
  })
  return async ({ after, wait_seconds, ...wanted }, turn) => {
    const { tenant } = wanted
    if (!hasOneOrder(sql)) return { kind: 'not_offered' }
    const from = readFrom(cursors, tenant, after)
    if (from === null) return { kind: 'unknown_cursor' }
    const page = await readFeed(sql, { ...wanted, from })
    const found = wait_seconds > 0 && isEmpty(page) ? await waitForMore(wanted, page, wait_seconds, turn) : page
    return found.kind === 'page' ? { kind: 'found', body: shown(tenant, found) } : found
  }

  async function waitForMore(
    wanted: Omit<FollowWanted, 'after' | 'wait_seconds'>,
    { next }: FeedPage,
    seconds: number,
    turn: Turn,
  ): Promise<FeedPage | FeedDeleted> {
    const wait = waits.begin(wanted.tenant, Math.min(seconds, WAIT_SECONDS_MAX))
    try {
      for (let from = next; ; ) {
        await turn.without(() => wait.untilNews(from))
        const page = await readFeed(sql, { ...wanted, from })
        if (!isEmpty(page) || wait.isOver()) return page
        from = page.next
      }
    } finally {
      wait.end()
    }
  }
}

/** Whether an answer would tell its reader nothing. */
function isEmpty(page: FeedPage | FeedDeleted): page is FeedPage {
  return page.kind === 'page' && page.events.length === 0 && !page.has_more && page.restored_at === null
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Whether a text is one of the forms of `after`. */
export function isAfter(text: string): boolean {
  return text === 'begin' || text === 'now' || isMoment(text) || looksLikeCursor(text)
}

function isMoment(text: string): boolean {
  return MOMENT.test(text) && !Number.isNaN(Date.parse(text))
}

/** Null: the text is a cursor of somebody else, or of nobody. */
function readFrom(cursors: Cursors, tenant: Tenant, after: string): ReadFrom | null {
  if (after === 'begin') return 'beginning'
  if (after === 'now') return 'now'
  return isMoment(after) ? new Date(after) : cursors.read(tenant, after)
}
