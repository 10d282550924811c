import { maySecond } from '../acts/second-person.ts'
import { creatorOfKey } from '../api-keys/find-keys.ts'
import { type Act, recordAct } from '../audit-log/record-act.ts'
import { lockAccounts } from '../ledger/post.ts'
import { notify } from '../people/notices/notify.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { decideMove, othersOf, postingOf, type WantedMove } from './decide-move.ts'
import type { SettlementRow } from './settlement.ts'
import type { SettlementTrigger } from './states.ts'
import * as store from './store.ts'

export type MoveDependencies = { sql: Sql; clock: Clock }

export type SettlementMoved =
  | { kind: 'moved'; settlement: SettlementRow }
  | { kind: 'refused'; code: 'resource_not_found' | 'invalid_person' }
  /** Refused, with the current settlement, which the person sees. */
  | {
      kind: 'refused'
      code: 'not_now' | 'same_person' | 'merchant_inactive' | 'transfer_possible'
      settlement: SettlementRow
    }
  /** `paid_id`: the settlement that this transfer has paid already. */
  | { kind: 'refused'; code: 'bank_reference_used'; paid_id: string }

const acts: Record<SettlementTrigger, Act['act']> = {
  validated: 'settlement.validate',
  rejected: 'settlement.reject',
  transfer_made: 'settlement.pay',
}

/**
 * Moves a settlement for a person. One transaction writes the state and its history, the entries and the merchant's event; a refused move
 * writes nothing. As everywhere, the accounts are locked before the settlement. Of two simultaneous decisions the second is refused, with
 * the result of the first.
 */
export async function moveSettlement(
  { sql, clock }: MoveDependencies,
  settlement_id: string,
  wanted: Omit<WantedMove, 'by' | 'stands_behind'> & { by: Actor },
): Promise<SettlementMoved> {
  const person = normalizePerson(wanted.by.person)
  if (person === null) return { kind: 'refused', code: 'invalid_person' }
  const found = await store.findSettlement(sql, settlement_id)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  const tenant = tenantOf(found)
  const legs = postingOf(wanted.trigger, found.amount)?.legs ?? []

  return sql.begin(async (tx): Promise<SettlementMoved> => {
    await lockAccounts(
      tx,
      legs.map(({ account }) => ({ ...tenant, account })),
    )
    const settlement = (await store.lockSettlement(tx, { ...tenant, settlement_id }))!
    const now = clock.now()
    const others = othersOf(settlement, wanted.trigger)
    const creator = await creatorOfKey(tx, tenant, settlement.made_by)
    const stands_behind = !(await maySecond(tx, [...others, creator], person))
    const decision = decideMove(settlement, { ...wanted, by: person, stands_behind }, now)
    if (decision.kind === 'refused') return { ...decision, settlement }
    const { bank_reference = null } = wanted
    const paid_id = bank_reference === null ? null : await store.findPaidWith(tx, tenant, bank_reference)
    if (paid_id !== null) return { kind: 'refused', code: 'bank_reference_used', paid_id }
    await applyEffects(tx, decision.effects, now)
    const { status, amount } = decision.row
    const { no_transfer_since } = wanted
    const stated = no_transfer_since == null ? {} : { no_transfer_since }
    const after = { status, amount, bank_reference, ...wanted.bank_days, ...stated }
    const change = { before: { status: settlement.status }, after }
    const actor = { ...wanted.by, person }
    recordAct(tx, tenant, { actor, act: acts[wanted.trigger], subject: settlement_id, ...change })
    if (status !== 'validated') {
      const name = status === 'paid' ? 'settlement_paid' : 'settlement_rejected'
      notify(tx, { name, about: tenant, subject: settlement_id })
    }
    crashPoint('during_settlement_move')
    return { kind: 'moved', settlement: decision.row }
  })
}
