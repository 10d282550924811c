import { writeShortDate, writeTime } from '../platform/http/pages/write-values.ts'
import type { Language } from '../values/language.ts'
import type { Say } from './say.ts'

/** For this many milliseconds an event is fresh: its time is told in seconds, and the place where it stands is marked. */
const FRESH_MS = 60_000
/** Seconds between two texts of a fresh event, so that a page renewed meanwhile is unchanged. */
const STEP_SECONDS = 5

/** Whether something happened within the last minute. */
export function isFresh(at: Date, now: Date): boolean {
  return now.getTime() - at.getTime() < FRESH_MS
}

/** Writes a time as people at a counter say it: `il y a 5 s`, `10:52`, or `20 nov., 13:06` on another day. */
export function writeWhen(at: Date, { now, say, language }: { now: Date; say: Say; language: Language }): string {
  if (isFresh(at, now)) {
    const seconds = Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1_000))
    const told = seconds - (seconds % STEP_SECONDS)
    return told === 0 ? say(['à l’instant', 'just now']) : say(['il y a {n} s', '{n} s ago'], { n: told })
  }
  const isToday = at.toISOString().slice(0, 10) === now.toISOString().slice(0, 10)
  return isToday ? writeTime(at).slice(0, 5) : writeShortDate(at, language)
}
