import { rowKey, tenantKey, tenantOf } from '../../values/caller.ts'
import type { Clock } from '../clock.ts'
import { crashPoint } from '../crash-point.ts'
import type { CallFrom } from '../http/call.ts'
import type { OwnerLocks } from '../owner-locks.ts'
import type { Sql, Tx } from '../postgres/database.ts'
import { violatedConstraint } from '../postgres/failures.ts'
import { type BatcherOptions, createBatcher, ofOneMerchant } from './batching/batcher.ts'
import { REQUEST_BATCHING } from './batching/batching.ts'
import type { Command, Refusal } from './command.ts'
import { applyEffects, type Effect } from './effects.ts'
import {
  claimKeys,
  claimNewKeys,
  isKeyTaken,
  type KeyClaim,
  replayOrConflict,
  type StoredResponse,
  storeResponses,
  takeNewKeys,
} from './keys.ts'

/** The outcome of a command without keys. `text` is the body of the answer, identical in every replay. */
type KeylessOutcome<Code extends string> =
  | { readonly kind: 'created' | 'replayed'; readonly status: number; readonly text: string }
  | Refusal<Code>

/** The outcome of a command for its caller. The idempotency key has two refusals of its own. */
export type Outcome<Code extends string> = KeylessOutcome<Code | 'idempotency_in_progress' | 'idempotency_key_reused'>

/** Executes one call of a command, together with the others that wait, and returns after the commit. */
export type Run<Call extends CallFrom, Code extends string> = (
  call: Call,
) => Promise<Call['idempotency'] extends null ? KeylessOutcome<Code> : Outcome<Code>>

export type Engine = {
  run<Call extends CallFrom, Loaded, Code extends string>(command: Command<Call, Loaded, Code>): Run<Call, Code>
}

/** Most calls in one transaction. */
const BATCH = 256
/**
 * Transactions of an exclusive command in progress at once: while one waits for its reads or for the disk, the next is
 * worked on. A merchant is in only one of them, so that neither waits for a balance that the other has locked.
 */
const CONCURRENCY = 2

/** Most attempts at a batch. Each conflict is with a committed transaction, which the next attempt sees. */
const TRIES = 4

/** Thrown when a call would be refused without `load`. Only `load` can tell whether the refusal is right. */
class NotNew extends Error {
  override name = 'NotNew'
}

/**
 * The one place that executes commands. In one transaction it claims the idempotency keys of the waiting calls, loads,
 * decides, applies the effects and stores the answers. Merchants take turns.
 * @param locks the locks of merchants' balances, shared with all other code of this process that locks them
 */
export function createEngine({ sql, clock, locks }: { sql: Sql; clock: Clock; locks: OwnerLocks }): Engine {
  return {
    run<Call extends CallFrom, Loaded, Code extends string>(command: Command<Call, Loaded, Code>) {
      if (command.alone) return async (call: Call) => (await carryOut({ sql, clock }, command, [call]))[0]!
      return createBatcher<Call, Outcome<Code>>({
        size: BATCH,
        batching: REQUEST_BATCHING,
        owner: ({ caller }) => tenantKey(caller),
        isWanted: ({ isWanted }) => isWanted === undefined || isWanted(),
        ...(command.exclusive ? oneMerchantAtATime(locks) : {}),
        ...ofOneMerchant(sql, ({ caller }) => caller),
        run: (calls) => carryOut({ sql, clock }, command, calls),
      })
    },
    // Only a claim on a key is refused for its key, so the outcome of a command without keys never is.
  } as Engine
}

function oneMerchantAtATime(locks: OwnerLocks): Pick<BatcherOptions<CallFrom, never>, 'concurrency' | 'key' | 'locks'> {
  return { concurrency: CONCURRENCY, key: ({ caller }) => caller.merchant_id % CONCURRENCY, locks }
}

type Dependencies = { sql: Sql; clock: Clock }

/** Executes calls in one transaction. The first attempt assumes that their keys are new, as nearly all are. */
async function carryOut<Call extends CallFrom, Loaded, Code extends string>(
  { sql, clock }: Dependencies,
  command: Command<Call, Loaded, Code>,
  calls: readonly Call[],
): Promise<Outcome<Code>[]> {
  const { optimistic, conflicts = [] } = command
  const claims = calls.map(({ caller, idempotency }): KeyClaim | null =>
    idempotency === null ? null : { ...tenantOf(caller), ...idempotency },
  )
  let areNew = areDistinct(claims) && (optimistic === undefined || calls.every(optimistic.when))
  for (let tries = 1; ; tries += 1) {
    try {
      const outcomes = await sql.begin((tx) => inTransaction(tx, clock, command, calls, claims, areNew))
      crashPoint('after_commit_before_ack')
      return outcomes
    } catch (error) {
      const isConflict =
        error instanceof NotNew || isKeyTaken(error) || conflicts.includes(violatedConstraint(error) ?? '')
      if (!isConflict || tries === TRIES) throw error
      areNew = false
    }
  }
}

/**
 * @param areNew whether to assume that the keys are new and, for an optimistic command, that the calls will be accepted
 */
async function inTransaction<Call extends CallFrom, Loaded, Code extends string>(
  tx: Tx,
  clock: Clock,
  { optimistic, load, decide }: Command<Call, Loaded, Code>,
  calls: readonly Call[],
  claims: readonly (KeyClaim | null)[],
  areNew: boolean,
): Promise<Outcome<Code>[]> {
  const blind = areNew && optimistic !== undefined
  const outcomes: (Outcome<Code> | null)[] = areNew
    ? takeForNew(tx, claims, blind)
    : (await claimKeys(tx, claims)).map(replayOrConflict)
  const open = calls.flatMap((_, at) => (outcomes[at] === null ? [at] : []))
  if (open.length === 0) return outcomes as Outcome<Code>[]

  const loaded = blind ? optimistic.loaded() : await load(tx, open.map((at) => calls[at]!) as [Call, ...Call[]])
  const now = clock.now()
  const effects: Effect[] = []
  const answers: StoredResponse[] = []
  for (const at of open) {
    const decision = decide(calls[at]!, loaded, now)
    if (decision.kind === 'refused') {
      if (blind) throw new NotNew()
      outcomes[at] = decision
      continue
    }
    const { status, body } = decision.reply
    const text = JSON.stringify(body)
    outcomes[at] = { kind: 'created', status, text }
    effects.push(...decision.effects)
    const claim = claims[at]!
    if (claim !== null) answers.push({ ...claim, status, body: text })
  }
  await applyEffects(tx, effects, now)
  storeResponses(tx, answers)
  if (effects.length > 0) crashPoint('after_hold_insert')
  return outcomes as Outcome<Code>[]
}

/**
 * Claims keys without reading them: a key that is in use or answered fails the transaction. For optimistic calls a
 * stored answer is noticed at the end, by the primary key. Other calls must know before they are decided, and before
 * they wait for a lock.
 */
function takeForNew(tx: Tx, claims: readonly (KeyClaim | null)[], blind: boolean): null[] {
  const made = claims.filter((claim) => claim !== null)
  if (made.length > 0) (blind ? takeNewKeys : claimNewKeys)(tx, made)
  return claims.map(() => null)
}

function areDistinct(claims: readonly (KeyClaim | null)[]): boolean {
  const made = claims.filter((claim) => claim !== null)
  return new Set(made.map((claim) => rowKey(claim, claim.key))).size === made.length
}
