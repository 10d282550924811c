import { applyEffects } from '../../../platform/commands/effects.ts'
import type { Tx } from '../../../platform/postgres/database.ts'
import { inOrder } from '../../../platform/postgres/in-order.ts'
import { type Instruction, type InstructionKey, instructionKey, isTooOld } from '../../instruction.ts'
import { type GroupToSend, LOST_JOB_SECONDS } from '../jobs.ts'
import { findUsedReferences, writeJournal } from '../journal-store.ts'
import { type ClaimedGroup, claimGroups, type OutboxCollection } from '../outbox-store.ts'
import { firstUseOf } from '../own-reference.ts'
import type { Concluded } from '../record/received-answer.ts'
import * as store from '../sending-store.ts'
import type { BeginDeps, Collection, MarkSending, ToCollect } from './mark-sending.ts'
import { handOut, withConnector } from './next-send.ts'

/** A collection in a group that was taken from the outbox. */
type Waiting = OutboxCollection & { readonly taken_at: Date }

/**
 * Begins groups of collections that wait in the outbox. It leaves out payments that were cancelled meanwhile, and
 * expires those that waited too long. Null for a group that another run took.
 */
export async function beginCollections<Locked extends ToCollect>(
  deps: BeginDeps<Pick<MarkSending<Locked>, 'collect'>>,
  tx: Tx,
  jobs: readonly GroupToSend[],
): Promise<(Instruction[] | null)[]> {
  const ids = jobs.map(({ group }) => group)
  const wanted = jobs.flatMap(({ collections }) => collections.flatMap(({ reference }) => reference ?? []))
  const [groups, used] = await inOrder([claimGroups(tx, ids), findUsedReferences(tx, wanted)])
  const isLate = (group: ClaimedGroup) =>
    isTooOld({ direction: 'collect', created_at: group.created_at }, group.taken_at, deps.expiry_hours)
  const { late = [], fresh = [] } = Object.groupBy(groups, (group) => (isLate(group) ? 'late' : 'fresh'))
  const sending = await commitPayments(deps, tx, fresh.flatMap(collectionsOf), new Set(used))
  const begun = new Map(groups.map((group) => [group.id, instructionsOf(group, sending)]))
  const all = [...begun.values()].flat()
  store.insertSending(tx, all)
  writeJournal(tx, all, deps.termsOf)
  if (late.length > 0) {
    const effects = late.flatMap(collectionsOf).map(expiredUnsent).flatMap(deps.conclude)
    await applyEffects(tx, effects, deps.clock.now())
  }
  return handOut(ids, begun)
}

/**
 * Commits the payments of waiting collections to their sending, each with a connector or to its end. Returns the instructions to send, by key.
 * @param used the references of other orders
 */
async function commitPayments<Locked extends ToCollect>(
  deps: BeginDeps<Pick<MarkSending<Locked>, 'collect'>>,
  tx: Tx,
  collections: readonly Waiting[],
  used: Set<string>,
): Promise<Map<string, Instruction>> {
  const { collect } = deps.mark
  const byKey = new Map(collections.map((one) => [instructionKey(one), one]))
  const { waiting, ended } = await collect.lock(tx, [...byKey.values()])
  const begun = waiting.map((of) => {
    const one = byKey.get(instructionKey(of.collection))!
    const reference = firstUseOf(one.reference ?? null, used)
    return { of, instruction: withConnector(deps, instructionFor(of.collection, { ...one, reference })) }
  })
  await collect.mark(
    tx,
    begun.map(({ of, instruction: { failure_code } }) => ({ of, failure_code })),
  )
  const known = new Set([...begun.map(({ instruction }) => instruction), ...ended].map(instructionKey))
  // Such a payment is not visible yet, or should not be in the outbox. Throw, so that the group stays there.
  const stuck = [...byKey.keys()].find((key) => !known.has(key))
  if (stuck !== undefined) throw new Error(`${stuck} waits to be sent and cannot be begun.`)
  const sending = begun.flatMap(({ instruction }) => (instruction.failure_code === null ? [instruction] : []))
  return new Map(sending.map((instruction) => [instructionKey(instruction), instruction]))
}

function instructionsOf({ collections }: ClaimedGroup, sending: ReadonlyMap<string, Instruction>): Instruction[] {
  return collections.flatMap((one) => sending.get(instructionKey(one)) ?? [])
}

function collectionsOf({ collections, taken_at }: ClaimedGroup): Waiting[] {
  return collections.map((one) => ({ ...one, taken_at }))
}

/** The conclusion of a collection that was never sent: its request lapses. */
function expiredUnsent({ merchant_id, livemode, subject_id }: InstructionKey): Concluded {
  const conclusion = { kind: 'failed', failure_code: 'payer_timeout' } as const
  return { merchant_id, livemode, subject_id, conclusion, wallet: null }
}

/** The instruction of a collection at its first send, with its permanent reference. */
function instructionFor(
  collection: Collection,
  { simulate, reference, taken_at: now }: Pick<Instruction, 'simulate' | 'reference'> & { taken_at: Date },
): Instruction {
  return {
    ...collection,
    direction: 'collect',
    simulate,
    connector: null,
    state: 'sending',
    reference,
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
