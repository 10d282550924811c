import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import { type Instruction, isTooOld } from './instruction.ts'
import { askOperatorJob, carryOutJob, jobForGroup, jobsFor, sendCollectionsJob } from './jobs.ts'
import type { RecordAnswer } from './record-answer.ts'
import * as store from './store.ts'
import { claimDueGroups } from './waiting-store.ts'

/** Groups and instructions taken by one sweep at most; a sweep that filled it is followed by another at once. */
const SWEEP_MAX = 500

type Dependencies = {
  sql: Sql
  record: RecordAnswer
  /** Hours after which what was never sent is given up. */
  expiry_hours: number
  now: () => Date
}

/**
 * Looks at every instruction whose time has come: has what was sent asked about and what a lost job forgot sent, and gives
 * up what could not be sent in a day. Groups of collections that wait it only gives a job. No job is trusted to exist; this is what
 * makes every state move on. Returns how many it took.
 *
 * It only gives them jobs, in the transaction that takes them: whoever dies after it loses none, and an operator that
 * does not answer holds up no sweep.
 */
export function createSweepInstructions({ sql, record, expiry_hours, now }: Dependencies) {
  return async (): Promise<number> => {
    let taken = await sweepGroups()
    if (!sql.sharded) return taken + (await sweepOf(null))
    for (const merchant_id of await store.readMerchantsDue(sql, SWEEP_MAX)) taken += await sweepOf(merchant_id)
    return taken
  }

  function sweepGroups(): Promise<number> {
    return sql.begin(async (tx) => {
      const groups = await claimDueGroups(tx, SWEEP_MAX)
      enqueue(tx, sendCollectionsJob, groups.map(jobForGroup))
      return groups.length
    })
  }

  /** @param merchant_id whose instructions; null: anybody's */
  async function sweepOf(merchant_id: number | null): Promise<number> {
    const tooOld = (instruction: Instruction) => isTooOld(instruction, now(), expiry_hours)
    const due = await sql.begin(async (tx) => {
      const claimed = await store.claimDueInstructions(tx, SWEEP_MAX, merchant_id)
      const forgotten = claimed.filter((instruction) => instruction.state === 'prepared' && !tooOld(instruction))
      const open = claimed.filter((instruction) => instruction.state !== 'prepared')
      enqueue(tx, carryOutJob, jobsFor(forgotten))
      enqueue(tx, askOperatorJob, jobsFor(open))
      return claimed
    })
    const givenUp = due.filter((instruction) => instruction.state === 'prepared' && tooOld(instruction))
    await Promise.all(
      givenUp.map((key) =>
        record({ key, source: 'send', answer: { kind: 'abandoned', evidence: { reason: 'never sent' } } }),
      ),
    )
    return due.length
  }
}
