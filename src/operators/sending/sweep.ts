import { sweepTogether } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { type Instruction, isTooOld } from '../instruction.ts'
import * as store from '../store.ts'
import * as dueStore from './due-store.ts'
import { jobForGroup, jobsFor, queryOperatorJob, sendCollectionsJob, sendInstructionsJob } from './jobs.ts'
import { claimDueGroups } from './outbox-store.ts'
import type { RecordAnswer } from './record-answer.ts'

/** Groups and instructions taken by one sweep at most; a sweep that filled it is followed by another at once. */
const SWEEP_MAX = 500

type Dependencies = {
  sql: Sql
  log: Log
  record: RecordAnswer
  /** Hours after which an instruction that was never sent is given up. */
  expiry_hours: number
  now: () => Date
}

/**
 * Checks every instruction that is due. It has sent ones asked about, has prepared ones sent whose job was lost, and gives up those
 * that could not be sent in a day. A waiting group of collections only gets a job. No job is trusted to exist: this sweep makes
 * every state move on. Returns how many it took.
 *
 * It only gives them jobs, in the transaction that takes them: a process that dies after it loses none, and an operator that
 * does not answer holds up no sweep. When a transaction of many fails, each instruction has one of its own, and only the one that
 * cannot be taken is left.
 */
export function createSweepInstructions({ sql, log, record, expiry_hours, now }: Dependencies) {
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

  /** @param which a merchant's instructions, or one; null: anybody's */
  async function sweepOf(which: store.WhichDue): Promise<number> {
    const tooOld = (instruction: Instruction) => isTooOld(instruction, now(), expiry_hours)
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
