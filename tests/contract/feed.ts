import type { Asked } from './ask.ts'
import { EVENTS } from './x-refusal-cases.ts'

/** An event of the feed. */
export type FeedEvent = { id: string; type: string; data: { id: string; status?: string }; cursor: string }

/** An answer of the feed. */
export type Feed = { object: string; data: FeedEvent[]; next: string; has_more: boolean; restored_at: string | null }

/** The call of the feed with a key. @param more the query besides `after` */
export function feed(key: string, after: string, more = ''): Asked {
  return { path: `${EVENTS}?after=${encodeURIComponent(after)}${more}`, key }
}
