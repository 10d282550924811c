import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Instruction, InstructionKey } from './instruction.ts'
import { carryOutJob } from './jobs.ts'
import type { RecordAnswer } from './record-answer.ts'
import * as store from './store.ts'

/** Instructions taken by one sweep at most; a sweep that filled it is followed by another at once. */
const SWEEP_MAX = 500

type Dependencies = {
  sql: Sql
  record: RecordAnswer
  ask: (keys: readonly InstructionKey[]) => Promise<void>
  /** Hours after which what was never sent is given up. */
  expiry_hours: number
  now: () => Date
}

/**
 * Looks at every instruction whose time has come: asks about what was sent, sends what a lost job forgot, gives up what
 * could not be sent in a day. No job is trusted to exist; this is what makes every state move on. Returns how many it took.
 */
export function createSweepInstructions({ sql, record, ask, expiry_hours, now }: Dependencies) {
  return async (): Promise<number> => {
    const due = await sql.begin(async (tx) => {
      const claimed = await store.claimDueInstructions(tx, SWEEP_MAX)
      const forgotten = claimed.filter((instruction) => instruction.state === 'prepared' && !isTooOld(instruction))
      await enqueue(
        tx,
        carryOutJob,
        [...chunksOf(forgotten.map(keyOf), 64)].map((instructions) => ({ payload: { instructions } })),
      )
      return claimed
    })
    const givenUp = due.filter((instruction) => instruction.state === 'prepared' && isTooOld(instruction))
    const open = due.filter((instruction) => instruction.state !== 'prepared')
    await Promise.all([
      ask(open.map(keyOf)),
      ...givenUp.map((key) =>
        record({ key, source: 'send', answer: { kind: 'abandoned', evidence: { reason: 'never sent' } } }),
      ),
    ])
    return due.length
  }

  /** A collection only: an accepted payout waits for as long as payouts are stopped. */
  function isTooOld({ direction, created_at }: Instruction): boolean {
    return direction === 'collect' && now().getTime() - created_at.getTime() > expiry_hours * 3_600_000
  }
}

function keyOf({ merchant_id, livemode, subject_id }: InstructionKey): InstructionKey {
  return { merchant_id, livemode, subject_id }
}

function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
