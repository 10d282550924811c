import assert from 'node:assert/strict'
import { PATIENCE } from '../contract/sender.ts'
import type { Installation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

/** Orders that never reach their operator: their worker dies between its commit and its call. */
export type NeverReached = {
  /** Starts a worker that begins the waiting sends and dies. Other workers take over its jobs half a minute later. */
  dieBeforeSending(): Promise<void>
  /** Runs a worker during the work. */
  whileWorking<Result>(work: () => Promise<Result>): Promise<Result>
  /** The sends of an instruction, and the operator's answers. */
  historyOf(subject_id: string): Promise<History>
}

/**
 * `sends`: how often it was begun. `same`: each time with the same reference and payload. `received`: how often the operator received it. `answers`:
 * the operator's answers in their order.
 */
export type History = { sends: number; same: boolean; received: number; answers: string[] }

/** Opens the helper over an installation without workers of its own. */
export function openNeverReached(installation: Installation): NeverReached {
  const work = ['--only', 'worker']
  return {
    async dieBeforeSending() {
      const dying = await installation
        .start({ args: work, env: { CRASH_POINTS: 'on', CRASH_AT: 'after_intent_commit' } })
        // The process finds the fatal work at its start, so it may die before it reports ready.
        .catch(() => null)
      if (dying === null) return
      const ending = await waitFor(() => Promise.race([dying.ended, null]), { ...PATIENCE, what: 'the worker to die' })
      assert.equal(ending.signal, 'SIGKILL')
    },
    async whileWorking(during) {
      const worker = await installation.start({ args: work })
      const result = await during()
      await worker.stop()
      return result
    },
    async historyOf(subject_id) {
      const [row] = await installation.db.sql<History[]>`
        select (select count(*)::int from sends where subject_id = i.subject_id) as sends,
               (select count(distinct (reference, payload_hash)) = 1 from sends where subject_id = i.subject_id) as same,
               coalesce((select sum(times_received)::int from simulator_orders where reference = i.reference), 0) as received,
               coalesce((select array_agg(outcome order by number) from operator_answers where subject_id = i.subject_id), '{}') as answers
          from instructions i
         where subject_id = ${subject_id}`
      return row!
    },
  }
}
