import { type Tenant, tenantKey, tenantOf } from '../../values/caller.ts'
import type { Clock } from '../clock.ts'
import { crashPoint } from '../crash-point.ts'
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

/** The outcome of a command for its caller. `text` is the body to answer, the same on every replay. */
export type Outcome<Code extends string> =
  | { readonly kind: 'created' | 'replayed'; readonly status: number; readonly text: string }
  | Refusal<Code | 'idempotency_in_progress' | 'idempotency_key_reused'>

/**
 * Carries out one call of a command, together with those that wait at the same time, and returns when it is committed.
 * @param isWanted whether the caller still waits for the answer; absent: always. A call whose caller was answered is not begun
 */
export type Run<Call, Code extends string> = (call: Call, isWanted?: () => boolean) => Promise<Outcome<Code>>

export type Engine = {
  run<Call, Loaded, Code extends string>(command: Command<Call, Loaded, Code>): Run<Call, Code>
}

/** Calls that one transaction carries out at most. */
const BATCH = 256
/**
 * Transactions of an exclusive command under way at once: while one waits for what it loads, or for the disk, the next is worked on.
 * Merchants are divided between them, so that none waits for a balance that the other has locked.
 */
const CONCURRENCY = 2

/** Times that calls are begun at most. Each conflict is with a transaction that has committed, and is seen by the next time. */
const TRIES = 4

/** Without `load` a call would be refused. Only `load` can tell whether it is to be. */
class NotNew extends Error {
  override name = 'NotNew'
}

type Waiting<Call> = { readonly call: Call; readonly isWanted: () => boolean }

/**
 * The one place that carries out commands: it gathers the calls that wait, claims their keys of idempotency, has them loaded and
 * decided, applies the effects and keeps the answers, in one transaction. Merchants take turns in it.
 * @param locks of merchants' balances, shared with whatever else in this process locks them
 */
export function createEngine({ sql, clock, locks }: { sql: Sql; clock: Clock; locks: OwnerLocks }): Engine {
  return {
    run<Call, Loaded, Code extends string>(command: Command<Call, Loaded, Code>): Run<Call, Code> {
      if (command.alone) return async (call) => (await carryOut({ sql, clock }, command, [call]))[0]!
      const enter = createBatcher<Waiting<Call>, Outcome<Code>>({
        size: BATCH,
        batching: REQUEST_BATCHING,
        owner: ({ call }) => tenantKey(command.tenant(call)),
        isWanted: ({ isWanted }) => isWanted(),
        ...(command.exclusive ? oneMerchantAtATime(command.tenant, locks) : {}),
        ...ofOneMerchant(sql, ({ call }) => command.tenant(call)),
        run: (waiting) =>
          carryOut(
            { sql, clock },
            command,
            waiting.map(({ call }) => call),
          ),
      })
      return (call, isWanted = always) => enter({ call, isWanted })
    },
  }
}

function always(): boolean {
  return true
}

function oneMerchantAtATime<Call>(
  tenant: (call: Call) => Tenant,
  locks: OwnerLocks,
): Pick<BatcherOptions<Waiting<Call>, never>, 'concurrency' | 'key' | 'locks'> {
  return { concurrency: CONCURRENCY, key: ({ call }) => tenant(call).merchant_id % CONCURRENCY, locks }
}

type Dependencies = { sql: Sql; clock: Clock }

/** Carries out calls in one transaction, taking them for new first, as nearly all are. */
async function carryOut<Call, Loaded, Code extends string>(
  { sql, clock }: Dependencies,
  command: Command<Call, Loaded, Code>,
  calls: readonly Call[],
): Promise<Outcome<Code>[]> {
  const { tenant, idempotency, optimistic, conflicts = [] } = command
  const claims = calls.map((call): KeyClaim | null => {
    const claim = idempotency(call)
    return claim === null ? null : { ...tenantOf(tenant(call)), ...claim }
  })
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

/** @param areNew whether the keys are taken for new, and the calls, where the command is optimistic, for such as will be accepted */
async function inTransaction<Call, Loaded, Code extends string>(
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
 * Claims keys without asking: a key that is in use or answered fails the transaction. Of calls that are decided blind the answer that
 * is kept meets the primary key in the end. Others must know before they are decided, and before they wait for a lock.
 */
function takeForNew(tx: Tx, claims: readonly (KeyClaim | null)[], blind: boolean): null[] {
  const made = claims.filter((claim) => claim !== null)
  if (made.length > 0) (blind ? takeNewKeys : claimNewKeys)(tx, made)
  return claims.map(() => null)
}

function areDistinct(claims: readonly (KeyClaim | null)[]): boolean {
  const made = claims.filter((claim) => claim !== null)
  return new Set(made.map((claim) => `${tenantKey(claim)}/${claim.key}`)).size === made.length
}
