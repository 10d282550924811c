import { recordActs } from '../audit-log/record-act.ts'
import { readDesignated } from '../beneficiaries/store.ts'
import { selectSettings } from '../merchants/store.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, type Effect } from '../platform/commands/effects.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { eachApart } from '../platform/each-apart.ts'
import type { Log } from '../platform/log.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { factsOf, isHeldBack, loadSettlements, orderSettlement, type SettlementRules } from './create-settlement.ts'
import { nextRun, type RunOutcome, type ScheduleRow } from './schedule.ts'
import { lockDueSchedule, readDueSchedules, writeRun } from './schedule-store.ts'

type Deps = { readonly sql: Sql; readonly clock: Clock; readonly log: Log; readonly settlementRules: SettlementRules }

/** The most schedules in one round. */
const RUNS_MAX = 200

/**
 * Makes the requests of the schedules that are due, each in one transaction with the time of its next run. So a run happens once: a worker that dies has
 * changed nothing, and one that comes second finds the row locked, or its next run in the future. A run that was missed is made up for once.
 */
export async function runSchedules(deps: Deps): Promise<void> {
  const due = await readDueSchedules(deps.sql, RUNS_MAX)
  await eachApart(due, {
    task: 'automatic withdrawals',
    log: deps.log,
    nameOf: ({ merchant_id }) => String(merchant_id),
    act: (tenant) => deps.sql.begin((tx) => runOne(tx, deps, tenant)),
  })
}

async function runOne(tx: Tx, deps: Deps, tenant: Tenant): Promise<void> {
  const schedule = await lockDueSchedule(tx, tenant)
  if (schedule === null) return
  const now = deps.clock.now()
  const { outcome, settlement_id, effects } = await request(tx, deps, schedule, now)
  // After the slot that was due as well, so that a clock that comes back finds no second one.
  const next_at = nextRun(schedule, now > schedule.next_at ? now : schedule.next_at)
  const run = { ...schedule, next_at, last_at: now, last_outcome: outcome, last_settlement_id: settlement_id }
  await applyEffects(tx, [...effects, writeRun(run)], now)
  crashPoint('during_scheduled_withdrawal')
}

type Requested = {
  readonly outcome: RunOutcome
  readonly settlement_id: string | null
  readonly effects: readonly Effect[]
}

/** The request of a run: all that is available above what stays, to the destination that is designated now. */
async function request(tx: Tx, { settlementRules: rules }: Deps, schedule: ScheduleRow, now: Date): Promise<Requested> {
  const nothing = (outcome: RunOutcome): Requested => ({ outcome, settlement_id: null, effects: [] })
  const tenant = tenantOf(schedule)
  const designated = await readDesignated(tx, tenant)
  if (designated === null) return nothing('no_destination')
  const { active: merchant_active } = (await selectSettings(tx, [tenant.merchant_id])).get(tenant.merchant_id)!
  const actor: Actor = { person: schedule.set_by, door: 'system', from: null, step_up_id: null }
  const caller = { ...tenant, merchant_active, actor }
  const { id: beneficiary_id } = designated
  // The amount is known once the balance is locked.
  const named = { caller, order: { amount: 0, beneficiary_id } }
  const facts = factsOf(named, await loadSettlements(tx, [named], rules), rules)
  // The designation may have changed before the balance was locked.
  const amount = facts.funds.available - schedule.keep
  const ordered = orderSettlement({ caller, order: { amount, beneficiary_id } }, facts, now)
  if (ordered.kind === 'refused') {
    const held = ordered.code === 'destination_non_designee' && facts.candidate !== null && isHeldBack(facts.candidate)
    return nothing(held ? 'unchecked' : outcomes[ordered.code])
  }
  const { settlement, body, effects } = ordered
  const after = { status: body.status, amount, beneficiary_id }
  const line = { ...tenant, actor, act: 'settlement.request' as const, subject: settlement.id, after }
  return { outcome: 'asked', settlement_id: settlement.id, effects: [...effects, recordActs(line)] }
}

const outcomes = {
  destination_introuvable: 'no_destination',
  destination_non_designee: 'no_destination',
  destination_trop_recente: 'cooling',
  merchant_inactive: 'merchant_inactive',
  sous_le_plancher: 'too_little',
  montant_non_eligible: 'too_little',
} as const satisfies Record<string, RunOutcome>
