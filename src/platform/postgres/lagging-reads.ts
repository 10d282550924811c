import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { createBatcher } from './batcher.ts'
import type { Db, Sql } from './database.ts'
import { isConnectionLost, PostgresError } from './failures.ts'
import { type Counted, Statement, type Template } from './statement.ts'

export type LaggingReadsOptions = {
  primary: Sql
  /** Opens a pool on the standby. One that hangs is closed, with what hangs in it, and another is opened. */
  openStandby: () => Sql
  /** How far behind the standby may be: a read waits so long for it to catch up, then it goes to the primary. */
  lag_max_ms: number
  log: Log | null
}

/** Between two looks at how far the standby has come, while somebody waits for it. */
const LOOK_MS = 2
/** It has this long besides to say how far it is: a machine that is gone says nothing at all. */
const ANSWER_MS = 500
/** And this long to answer a read. The server itself ends one after five seconds. */
const READ_MS = 6_000
/** A standby that was too far behind, or away, is left alone for this long; each time in a row for twice as long. */
const REST_MIN_MS = 1_000
const REST_MAX_MS = 16_000

export type LaggingReads = { reads: Db; end(): Promise<void> }

/**
 * Reads that a standby can answer. Each sees at least what the primary had committed when it was asked for: who has just
 * done something is never told otherwise, whichever process he asks. The standby is asked when it has come so far;
 * otherwise, and whenever it fails, the primary is. Only for statements that write nothing; each stands alone.
 *
 * The cost on the primary is one look at its position for all reads that wait together.
 */
export function createLaggingReads({ primary, openStandby, lag_max_ms, log }: LaggingReadsOptions): LaggingReads {
  let standby = openStandby()
  let restsUntil = 0
  /** Of the rest it has or had last; 0 while it is read. */
  let rested_ms = 0

  /** One position for all who ask together: what comes after their asking does not matter, what came before is in it. */
  const positionOfPrimary = createBatcher<void, Position>({
    run: async (askers) => {
      const position = await readPosition(primary)
      return askers.map(() => position)
    },
  })

  /** Whether the standby has come as far, now or soon. */
  const catchesUp = createBatcher<Position, boolean>({
    run: async (wanted) => {
      const end = performance.now() + lag_max_ms
      for (;;) {
        const reached = await readReached(standby)
        const there = wanted.map((position) => hasReached(reached, position))
        if (!there.includes(false) || performance.now() >= end) return there
        await sleep(LOOK_MS)
      }
    },
    lanes: 4,
  })

  /** Whatever keeps the standby from saying so, it is not used. That the primary is slow or away is no fault of its own. */
  async function isCurrent(): Promise<boolean> {
    if (performance.now() < restsUntil) return false
    const position = await positionOfPrimary().catch((error) => {
      if (!isConnectionLost(error)) rest('the primary does not say how far it is', error)
      return null
    })
    if (position === null) return false
    const asked = standby
    try {
      const current = await within(lag_max_ms + ANSWER_MS, catchesUp(position))
      if (current) wake()
      else rest(`it is more than ${lag_max_ms} ms behind`)
      return current
    } catch (error) {
      rest('it does not say how far it is', error)
      if (error instanceof Late) replace(asked)
      return false
    }
  }

  function rest(reason: string, error?: unknown): void {
    if (rested_ms === 0) log?.warn({ reason, error }, 'the standby is not read for now')
    if (performance.now() >= restsUntil) rested_ms = Math.min(Math.max(rested_ms * 2, REST_MIN_MS), REST_MAX_MS)
    restsUntil = performance.now() + rested_ms
  }

  /** Of several that wait for it, the first does it. */
  function replace(hanging: Sql): void {
    if (standby !== hanging) return
    standby = openStandby()
    void hanging.end({ timeout: 0 }).catch(() => {})
  }

  function wake(): void {
    if (rested_ms > 0) log?.info('the standby is read again')
    rested_ms = 0
  }

  async function read({ strings, values }: Template): Promise<readonly object[] & Counted> {
    const ask = (db: Db) => db(strings as TemplateStringsArray, ...values)
    if (await isCurrent()) {
      const asked = standby
      try {
        return await within(READ_MS, ask(asked))
      } catch (error) {
        if (!(error instanceof Late || isAway(error))) throw error
        rest('it went away during a read', error)
        if (error instanceof Late) replace(asked)
      }
    }
    return await ask(primary)
  }

  const write = (first: TemplateStringsArray | string | readonly string[], ...values: never[]) => {
    if (typeof first !== 'object' || !('raw' in first)) return primary(first)
    const template = { strings: first, values }
    return new Statement(() => read(template), template)
  }
  return {
    reads: Object.assign(write, {
      sharded: primary.sharded,
      json: primary.json,
      unsafe: primary.unsafe,
    }) as unknown as Db,
    end: () => standby.end({ timeout: 5 }),
  }
}

/** Nothing was heard in time. */
class Late extends Error {
  override name = 'Late'
}

/** @throws Late when it takes longer */
async function within<Result>(milliseconds: number, result: PromiseLike<Result>): Promise<Result> {
  const cancel = new AbortController()
  const late = sleep(milliseconds, null, { signal: cancel.signal }).then(
    () => Promise.reject(new Late(`Nothing was heard within ${milliseconds} ms.`)),
    () => new Promise<never>(() => {}),
  )
  try {
    return await Promise.race([result, late])
  } finally {
    cancel.abort()
  }
}

/** A place in the log of the server, as bytes from its beginning, on a timeline. */
type Position = { timeline: number; bytes: number }

/**
 * Where the primary is. Bytes of two timelines are not to be compared: a standby that follows a primary which is no longer
 * one may have come far.
 */
async function readPosition(primary: Sql): Promise<Position> {
  const [row] = await primary<Position[]>`
    select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint as timeline,
           (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint as bytes`
  return row!
}

/** How far a standby has come; null for a server that is none. */
async function readReached(standby: Sql): Promise<Position | null> {
  const [row] = await standby<{ timeline: number; bytes: number | null; standby: boolean }[]>`
    select c.timeline_id as timeline, (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint as bytes,
           pg_is_in_recovery() as standby
      from pg_control_checkpoint() c`
  const { timeline, bytes, standby: isStandby } = row!
  return isStandby && bytes !== null ? { timeline, bytes } : null
}

function hasReached(reached: Position | null, { timeline, bytes }: Position): boolean {
  return reached !== null && reached.timeline === timeline && reached.bytes >= bytes
}

/** Whether the standby could not answer, as opposed to refusing a statement that the primary would refuse as well. */
function isAway(error: unknown): boolean {
  // 40001, 40P01: what it replays changed what the read looked at. 57014: it took too long there.
  const given = error instanceof PostgresError && ['40001', '40P01', '57014'].includes(error.code)
  return given || isConnectionLost(error)
}
