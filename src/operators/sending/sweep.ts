import { sweepTogether } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { isTooOld } from '../instruction.ts'
import * as store from '../store.ts'
import * as dueStore from './due-store.ts'
import {
  jobForGroup,
  jobsFor,
  lookAgainJob,
  queryOperatorJob,
  sendCollectionsJob,
  sendInstructionsJob,
} from './jobs.ts'
import { looksOf } from './late-looks.ts'
import { claimDueGroups } from './outbox-store.ts'
import type { RecordAnswer } from './record/received-answer.ts'

/** Most groups and instructions in one sweep. A full sweep is followed by another at once. */
const SWEEP_MAX = 500

type Dependencies = {
  sql: Sql
  log: Log
  record: RecordAnswer
  /** Hours after which an instruction that was never sent expires. */
  expiry_hours: number
}

/**
 * Finds due instructions, so that every state moves on although a job may be lost. Instructions that were sent get an
 * inquiry, prepared ones whose job was lost get sent, and those that could not be sent within a day expire. A waiting
 * group of collections only gets a job. Returns the number taken.
 *
 * The sweep only adds jobs, in the transaction that takes the instructions: a process that dies afterwards loses none,
 * and a slow operator does not delay the sweep. When the transaction of many fails, each instruction gets its own, so
 * that only the failing one is left.
 */
export function createSweepInstructions({ sql, log, record, expiry_hours }: Dependencies) {
  return async (): Promise<number> => {
    const groups = await sweepGroups()
    const instructions = await sweepTogether(sql, {
      task: 'sweep of instructions',
      log,
      together: (merchant_id) => sweepOf(merchant_id === null ? null : { merchant_id }),
      merchants: () => dueStore.readMerchantsDue(sql, SWEEP_MAX),
      read: (met) => dueStore.readDueInstructions(sql, SWEEP_MAX, met),
      nameOf: ({ subject_id }) => subject_id,
      act: sweepOf,
    })
    return groups + instructions
  }

  function sweepGroups(): Promise<number> {
    return sql.begin(async (tx) => {
      const groups = await claimDueGroups(tx, SWEEP_MAX)
      enqueue(tx, sendCollectionsJob, groups.map(jobForGroup))
      return groups.length
    })
  }

  /** @param which the instructions of a merchant, or one instruction; null for all */
  async function sweepOf(which: store.WhichDue): Promise<number> {
    const tooOld = (due: store.DueInstruction) => isTooOld(due, due.claimed_at, expiry_hours)
    const due = await sql.begin(async (tx) => {
      const claimed = await store.claimDueInstructions(tx, SWEEP_MAX, which)
      const forgotten = claimed.filter((instruction) => instruction.state === 'prepared' && !tooOld(instruction))
      const open = claimed.filter((instruction) => instruction.state !== 'prepared')
      enqueue(tx, sendInstructionsJob, jobsFor(forgotten))
      enqueue(tx, queryOperatorJob, jobsFor(open))
      return claimed
    })
    const expiredUnsent = due.filter((instruction) => instruction.state === 'prepared' && tooOld(instruction))
    await Promise.all(
      expiredUnsent.map((key) =>
        record({ key, source: 'send', answer: { kind: 'expired_unsent', evidence: { reason: 'never sent' } } }),
      ),
    )
    return due.length
  }
}

/** Most looks in one sweep. Looks in excess wait for the next one. */
const LOOKS_MAX = 100
/** Most looks in one job, which makes them one after another, so that a process that stops need not wait long for it. */
const LOOKED_TOGETHER = 8

/**
 * Finds the refused orders to look at again, and adds their jobs in the transaction that claims them. Returns the number
 * taken.
 * @param late_looks seconds after a refusal at which the service looks again
 */
export function createSweepLooks({
  sql,
  log,
  late_looks,
}: Pick<Dependencies, 'sql' | 'log'> & { late_looks: readonly number[] }) {
  const seconds = { out: looksOf(late_looks, 'payout'), collect: looksOf(late_looks, 'collect') }

  async function sweepOf(which: store.WhichDue): Promise<number> {
    return sql.begin(async (tx) => {
      const due = await dueStore.claimDueLooks(tx, LOOKS_MAX, which, seconds)
      enqueue(tx, lookAgainJob, jobsFor(due, LOOKED_TOGETHER))
      return due.length
    })
  }

  return (): Promise<number> =>
    sweepTogether(sql, {
      task: 'sweep of late looks',
      log,
      together: (merchant_id) => sweepOf(merchant_id === null ? null : { merchant_id }),
      merchants: () => dueStore.readMerchantsDue(sql, LOOKS_MAX, 'look_again_at'),
      read: (met) => dueStore.readDueInstructions(sql, LOOKS_MAX, met, 'look_again_at'),
      nameOf: ({ subject_id }) => subject_id,
      act: sweepOf,
    })
}
