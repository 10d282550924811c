import { createGroupCommit } from '../../platform/commands/group-commit.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { eachShard } from '../../platform/each-shard.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { tenantKey } from '../../values/caller.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import type { Registry } from '../routing/registry.ts'
import { beginAgain } from './begin/begin-again.ts'
import { beginCollections } from './begin/begin-collections.ts'
import { beginPrepared } from './begin/begin-prepared.ts'
import type { BeginDeps, MarkSending, ToCollect } from './begin/mark-sending.ts'
import type { GroupToSend } from './jobs.ts'

/** Transactions in progress at once, for groups and for prepared instructions each. */
const CONCURRENCY = 2
/** Most groups in one transaction. A group has one payment under low load and 32 under high load. */
const GROUPS_TOGETHER = 16

/**
 * Commits the intent before anything is sent. One transaction claims the order, marks its payment, payout or refund as
 * being sent, and writes the instruction in `sending` with its row in the send journal. Only the caller that receives
 * the order from here may call its operator, once, after the commit (send-instruction.ts). If the process dies in
 * between, the row says `sending` and we ask the operator: sending twice would cost real money, asking twice costs
 * nothing.
 */
export function createBeginSending<Locked extends ToCollect>(
  deps: BeginDeps<MarkSending<Locked>> & { readonly sql: Sql },
) {
  const { sql, registry } = deps
  const groups = createGroupCommit<GroupToSend, Instruction[] | null>(sql, {
    tenantOf: ({ collections }) => collections[0]!,
    ownerOf: ({ group }) => group,
    turnOf: ({ collections }) => String(collections[0]!.merchant_id),
    concurrency: CONCURRENCY,
    size: GROUPS_TOGETHER,
    run: (tx, jobs) => beginCollections(deps, tx, jobs),
    committed,
  })
  const prepared = createGroupCommit<InstructionKey, Instruction | null>(sql, {
    tenantOf: (key) => key,
    ownerOf: tenantKey,
    concurrency: CONCURRENCY,
    run: (tx, keys) => beginPrepared(deps, tx, keys),
    committed,
  })
  return {
    /** Null when another run took it. */
    group: (group: GroupToSend) => undoing(registry, group.collections, groups(group)),
    /** Null when another run began it, or when it must not be sent now. */
    prepared: (key: InstructionKey) => undoing(registry, [key], prepared(key)),
    /** Returns the instructions to send again now. */
    async again(keys: readonly InstructionKey[]): Promise<Instruction[]> {
      const begun = await eachShard(sql, keys, (some) => sql.begin((tx) => beginAgain(deps, tx, some)))
      committed()
      return begun.flat()
    },
  }
}

export type BeginSending = ReturnType<typeof createBeginSending>

const committed = () => crashPoint('after_intent_commit')

/** When the transaction fails, nothing was sent: frees the trial slot of a connector that does not answer for another order. */
async function undoing<Begun>(
  registry: Registry,
  keys: readonly InstructionKey[],
  begin: Promise<Begun>,
): Promise<Begun> {
  try {
    return await begin
  } catch (error) {
    for (const { subject_id } of keys) registry.sendUndone(subject_id)
    throw error
  }
}
