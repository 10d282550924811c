import { createHash } from 'node:crypto'
import type { NoticeKind } from './notice.ts'

/** Quiet hours, in minutes of the day in Abidjan, which is on UTC. The end may be on the next day. */
export type QuietHours = { readonly from: number; readonly to: number }

/** The settings of a person for their notices, beside the kinds that they turned off. */
export type NoticeSettings = {
  /** The kinds that come by mail only on request. */
  readonly mails_asked: readonly NoticeKind[]
  /** The kinds that do not come to devices. */
  readonly pushes_muted: readonly NoticeKind[]
  /** Whether a push leaves out the amount of a payment. */
  readonly hides_amount: boolean
  /** A smaller payment comes in no notice. In francs. */
  readonly payment_min: number
  /** Null: no hour is quiet. */
  readonly quiet: QuietHours | null
}

/** The settings of a person who set nothing. */
export const initialSettings: NoticeSettings = {
  mails_asked: [],
  pushes_muted: [],
  hides_amount: false,
  payment_min: 0,
  quiet: null,
}

const DAY_MINUTES = 1_440

/** The milliseconds by which the notices of a person come after the end of quiet hours, since many end at the same minute. */
export function spreadMilliseconds(person_id: string): number {
  return (createHash('sha256').update(person_id).digest().readUInt16BE() % 600) * 1_000
}

/** The milliseconds until the quiet hours end. 0: it is not quiet. */
export function quietMillisecondsLeft(quiet: QuietHours | null, now: Date): number {
  if (quiet === null) return 0
  const minute = now.getUTCHours() * 60 + now.getUTCMinutes()
  const since = (minute - quiet.from + DAY_MINUTES) % DAY_MINUTES
  const left = ((quiet.to - quiet.from + DAY_MINUTES) % DAY_MINUTES) - since
  return left <= 0 ? 0 : left * 60_000 - (now.getTime() % 60_000)
}
