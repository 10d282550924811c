import { createGroupCommit, type GroupOptions } from '../../platform/commands/group-commit.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { tenantKey } from '../../values/caller.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { Instruction } from '../instruction.ts'
import type { NumberKnowledge } from '../prediction/number-knowledge.ts'
import { lessonOf } from '../prediction/prediction.ts'
import { connectorOf } from '../routing/registry.ts'
import { createLooksAt } from './late-looks.ts'
import type { End } from './record/judge-answers.ts'
import type { ReceivedAnswer, RecordAnswer } from './record/received-answer.ts'
import { type WriteDeps, writeAnswers } from './record/write-answers.ts'

/** The merchants with many payouts under way whose answers are recorded at once. */
const BUSY_TOGETHER = 2

type Dependencies = Omit<WriteDeps, 'looksAt'> & {
  readonly sql: Sql
  /** Seconds after a refusal at which the service looks at the order again. */
  readonly late_looks: readonly number[]
  readonly numbers: Pick<NumberKnowledge, 'teach'>
}

/**
 * Records operators' answers, many in one transaction: the instruction's new state, the evidence, anomalies, and the
 * effects on the payment, payout or refund. All of them happen or none.
 *
 * Each direction has its own transactions. Each locks accounts in one order, but in a common transaction the second
 * round of locks would come after the first, and two processes could deadlock.
 */
export function createRecordAnswer(deps: Dependencies): RecordAnswer {
  const { sql } = deps
  const writing = { ...deps, looksAt: createLooksAt(deps.late_looks) }

  const recorderOf = (direction: Instruction['direction'], more: Partial<GroupOptions<ReceivedAnswer>> = {}) =>
    createGroupCommit<ReceivedAnswer, End | null>(sql, {
      for: 'background',
      tenantOf: ({ key }) => key,
      ownerOf: ({ key }) => tenantKey(key),
      ...more,
      run: (tx, received) => writeAnswers(writing, tx, direction, received),
    })
  const recorders = { collect: recorderOf('collect'), payout: recorderOf('payout'), refund: recorderOf('refund') }
  /** The answers of jobs of busy merchants that are being recorded, by merchant and mode. */
  const busy = new Map<string, number>()
  // A merchant that executes batches holds the lock of its balance for most of the time, and the end of a payout needs that lock. In a
  // common transaction everybody's payouts would wait for it.
  const busyPayouts = recorderOf('payout', { keyOf: ({ key }) => tenantKey(key), concurrency: BUSY_TOGETHER })
  return async (received) => {
    const { direction } = received.key
    const end = direction === 'payout' ? await recordPayout(received) : await recorders[direction](received)
    if (end !== null) teach(deps, end)
  }

  async function recordPayout(received: ReceivedAnswer): Promise<End | null> {
    const tenant = tenantKey(received.key)
    const count = busy.get(tenant) ?? 0
    if (received.of_busy !== true) return count > 0 ? busyPayouts(received) : recorders.payout(received)
    busy.set(tenant, count + 1)
    try {
      return await busyPayouts(received)
    } finally {
      const left = busy.get(tenant)! - 1
      if (left === 0) busy.delete(tenant)
      else busy.set(tenant, left)
    }
  }
}

/** Updates the predictions after the commit, without making the caller wait. */
function teach({ registry, numbers }: Dependencies, { instruction, conclusion }: End): void {
  const msisdn = instruction.msisdn === null ? null : Msisdn.stored(instruction.msisdn)
  const capabilities = connectorOf(registry, instruction)?.capabilitiesOf(instruction.operator) ?? null
  const lesson = lessonOf({ ...instruction, msisdn }, conclusion, capabilities)
  if (lesson !== null) numbers.teach(instruction, lesson)
}
