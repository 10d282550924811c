import { machineMilliseconds } from '../platform/clock.ts'
import { createGroupCommit } from '../platform/commands/group-commit.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { isConnectionLost } from '../platform/postgres/failures.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import { allOf, type CallOperator } from './call-operator.ts'
import { type Instruction, type InstructionKey, instructionKey, isTooOld } from './instruction.ts'
import { type GroupToSend, jobForGroup, LOST_JOB_SECONDS, sendCollectionsJob } from './jobs.ts'
import { type ClaimedGroup, claimGroups, splitGroup } from './outbox-store.ts'
import type { QueryOperator } from './query-operator.ts'
import type { Conclude, Concluded } from './record-answer.ts'
import { newReference } from './reference.ts'
import type { SendTerms } from './send-terms.ts'
import * as store from './store.ts'

/** The order to collect for a payment. */
export type Collection = InstructionKey &
  Pick<Instruction, 'operator' | 'amount' | 'currency' | 'msisdn' | 'created_at'>

/** The collections whose sending begins, and those that are not sent. One that is in neither list cannot be begun now. */
export type BegunCollecting = {
  /** To be sent: their payments moved. */
  collections: readonly Collection[]
  /** Their payments have ended while they waited: they are not sent. */
  ended: readonly InstructionKey[]
}

/** Moves the payments whose sending begins, in the transaction that commits us to it. Passed in, because payments stand above. */
export type MarkPaymentSending = (tx: Tx, keys: readonly InstructionKey[]) => Promise<BegunCollecting>

type Dependencies = {
  sql: Sql
  callOperator: CallOperator
  queryOperator: QueryOperator
  begin: MarkPaymentSending
  termsOf: SendTerms
  /** Ends payments that are never sent. */
  conclude: Conclude
  /** Hours after which a collection is no longer sent. */
  expiry_hours: number
}

/** Groups begun by one transaction at most: of one payment each when few come, and of 32 when many do. */
const GROUPS_TOGETHER = 16

/**
 * Sends groups of collections that wait. Intent before wire, as for what is prepared (send-instructions.ts): the group is taken
 * away, its payments become pending, and their instructions are written as "sending", with their journal, all in one transaction;
 * only then is the operator called. Only one run takes a group away, and that run sends it, so it is sent once. One that waited for
 * too long is given up instead, and one whose payment was cancelled meanwhile is left out.
 *
 * A group that cannot be begun as a whole is divided, so that one payment keeps no other from being sent; it goes on waiting, and no
 * group is taken away without all of it being begun or given up.
 */
export function createSendCollections({
  sql,
  callOperator,
  queryOperator,
  begin,
  termsOf,
  conclude,
  expiry_hours,
}: Dependencies) {
  /** Null: another run took it. */
  const beginGroup = createGroupCommit<GroupToSend, Instruction[] | null>(sql, {
    tenantOf: ({ collections }) => collections[0]!,
    ownerOf: ({ group }) => group,
    turnOf: ({ collections }) => String(collections[0]!.merchant_id),
    lanes: 2,
    size: GROUPS_TOGETHER,
    committed: () => crashPoint('after_intent_commit'),
    async run(tx, jobs) {
      const begun = await beginTogether(
        tx,
        jobs.map(({ group }) => group),
      )
      return jobs.map(({ group }) => {
        const instructions = begun.get(group) ?? null
        // Two jobs may name it in the same moment: one of them sends.
        begun.delete(group)
        return instructions
      })
    },
  })

  /** Takes groups, and returns the instructions begun of each that is ours. */
  async function beginTogether(tx: Tx, ids: readonly string[]): Promise<Map<string, Instruction[]>> {
    const groups = await claimGroups(tx, ids)
    const isLate = ({ created_at, taken_at }: ClaimedGroup) =>
      isTooOld({ direction: 'collect', created_at }, taken_at, expiry_hours)
    const { late = [], fresh = [] } = Object.groupBy(groups, (group) => (isLate(group) ? 'late' : 'fresh'))
    const { collections, ended } = await begin(tx, collectionsOf(fresh))
    const known = new Map(collections.map((collection) => [instructionKey(collection), collection]))
    const cancelled = new Set(ended.map(instructionKey))
    const begun = new Map(groups.map(({ id }): [string, Instruction[]] => [id, []]))
    for (const { id, collections, taken_at } of fresh) {
      for (const { simulate, ...key } of collections) {
        if (cancelled.has(instructionKey(key))) continue
        const collection = known.get(instructionKey(key))
        // A payment that does not move cannot be seen yet, or should not wait: the group stays.
        if (collection === undefined) throw new Error(`${key.subject_id} waits to be sent and cannot be begun.`)
        begun.get(id)!.push(begunInstruction(collection, simulate, taken_at))
      }
    }
    store.insertSending(tx, [...begun.values()].flat(), termsOf)
    if (late.length > 0) await conclude(tx, collectionsOf(late).map(expiredUnsent))
    return begun
  }

  return async ({ group, collections }: GroupToSend): Promise<void> => {
    const takenAt = performance.now()
    let begun: Instruction[] | null
    try {
      begun = await beginGroup({ group, collections })
    } catch (error) {
      if (isConnectionLost(error) || collections.length === 1) throw error
      await sql.begin(async (tx) => enqueue(tx, sendCollectionsJob, (await splitGroup(tx, group)).map(jobForGroup)))
      return
    }
    // An instruction that another run left in "sending" belongs to a worker that died, or that was taken for dead and is still sending.
    if (begun === null) await queryOperator(collections, ['sending'])
    else await allOf(begun.map((instruction) => callOperator(instruction, takenAt)))
  }
}

function collectionsOf(groups: readonly ClaimedGroup[]): InstructionKey[] {
  return groups.flatMap(({ collections }) => collections)
}

/** Its request lapses without ever having been made. */
function expiredUnsent({ merchant_id, livemode, subject_id }: InstructionKey): Concluded {
  return { merchant_id, livemode, subject_id, conclusion: { kind: 'failed', failure_code: 'payer_timeout' } }
}

/** As it is written, with the reference that it keeps for ever. */
function begunInstruction(collection: Collection, simulate: Instruction['simulate'], now: Date): Instruction {
  return {
    ...collection,
    direction: 'collect',
    simulate,
    state: 'sending',
    reference: newReference(machineMilliseconds()),
    operator_reference: null,
    operator_state: null,
    refund_of: null,
    next_action: null,
    failure_code: null,
    asked: 0,
    attempts: 1,
    sent_again: 0,
    next_check_at: new Date(now.getTime() + LOST_JOB_SECONDS * 1_000),
    sent_at: now,
    sent_ms_ago: 0,
  }
}
