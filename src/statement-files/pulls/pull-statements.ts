import { readAccounts } from '../../external-accounts/store.ts'
import { SIMULATOR } from '../../external-accounts/wallet-of.ts'
import { readConnectorStatement } from '../../operators/contracts/check-connector.ts'
import type { Surroundings } from '../../operators/contracts/open-connector.ts'
import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { SCHEDULE } from '../../values/actor.ts'
import { type ImportDeps, importFile } from '../import/import-file.ts'
import { readProfilesInForce } from '../import/profile-store.ts'
import { duePulls } from './due-pulls.ts'
import * as store from './pull-store.ts'

type Dependencies = {
  readonly imports: ImportDeps
  readonly surroundings: Surroundings
  readonly log: Log
  /** Called in the transaction that gives a pull up. */
  readonly tellGivenUp: (tx: Tx, pull: store.Pull) => void
}

/** The most lists of one round. */
const ROUND = 20

/**
 * Asks operators for the lists of the days that are over, as `reconcile import` without a file does. Several processes share the work. A list that fails is tried
 * again with pauses, and given up after a day; a person can still import it. Returns the number of lists that were asked for.
 */
export async function pullStatements(deps: Dependencies): Promise<number> {
  const { imports, log } = deps
  const { sql, clock } = imports
  const wallets = (await readAccounts(sql, null)).filter((one) => one.connector !== null && one.connector !== SIMULATOR)
  const due = wallets.flatMap(({ livemode, code: account, opened_on }) =>
    duePulls(clock.now(), opened_on).map((pull) => ({ livemode, account, ...pull })),
  )
  await store.planPulls(sql, due)
  await store.dropOldPulls(sql)
  for (let asked = 0; asked < ROUND; asked += 1) {
    const pull = await store.claimPull(sql)
    if (pull === null) return asked
    await eachApart([pull], {
      ...{ task: 'statements of operators', log, nameOf: ({ account, day }) => `${account} ${day}` },
      act: () => pullOne(deps, pull).catch((error) => afterFault(deps, pull, error)),
    })
  }
  return ROUND
}

async function pullOne(deps: Dependencies, pull: store.ClaimedPull): Promise<void> {
  const { imports, surroundings, log } = deps
  const { account, day } = pull
  const its = await imports.findAccount(imports.sql, pull)
  if (its?.connector == null) return end(deps, pull, 'not_offered')
  const read = await readConnectorStatement(imports.sql, surroundings, its.connector, day)
  if (read.kind === 'not_offered' || read.kind === 'refused') return end(deps, pull, 'not_offered')
  if (read.kind === 'fails') return putOffOrGiveUp(deps, pull)
  const inForce = await readProfilesInForce(imports.sql)
  const named = its.profile === null ? undefined : inForce.get(its.profile)
  const given = {
    ...{ account: its, source: 'api' as const, content: read.content, period: { from: day, to: day } },
    profile: named ?? [...inForce.values()].toReversed(),
  }
  const imported = await importFile(imports, given, SCHEDULE, { dry_run: false })
  // Another file of the account is being read.
  if (imported.kind === 'refused' && 'code' in imported) return store.putOff(imports.sql, pull)
  const { file } = imported
  if (file.status !== 'refused') return end(deps, pull, 'read', file.id)
  // Nothing moved on that day.
  if (file.refusal === 'empty' || file.refusal === 'no_lines') return end(deps, pull, 'empty', file.id)
  log.error({ account, day, file_id: file.id, refusal: file.refusal }, 'statements: the list of an operator is refused')
  return end(deps, pull, 'refused', file.id)
}

/** A fault of ours counts as one of the operator, so that it ends too. @throws the fault, for the log */
async function afterFault(deps: Dependencies, pull: store.ClaimedPull, error: unknown): Promise<never> {
  await putOffOrGiveUp(deps, pull)
  throw error
}

async function end(
  { imports, tellGivenUp }: Dependencies,
  pull: store.ClaimedPull,
  outcome: store.PullOutcome,
  file_id: string | null = null,
): Promise<void> {
  await imports.sql.begin(async (tx) => {
    const isEnded = await store.endPull(tx, pull, outcome, file_id)
    if (isEnded && (outcome === 'given_up' || outcome === 'refused')) tellGivenUp(tx, pull)
  })
}

async function putOffOrGiveUp(deps: Dependencies, pull: store.ClaimedPull): Promise<void> {
  const { account, day, attempts, is_overdue } = pull
  if (!is_overdue) {
    deps.log.warn({ account, day, attempts }, 'statements: the operator did not list a day, it is asked again later')
    return store.putOff(deps.imports.sql, pull)
  }
  deps.log.error({ account, day, attempts }, 'statements: the operator did not list a day, nobody asks again')
  return end(deps, pull, 'given_up')
}
