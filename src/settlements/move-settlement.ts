import { type Act, recordAct } from '../audit-log/record-act.ts'
import type { LedgerTransaction } from '../ledger/book.ts'
import { lockAccounts, post } from '../ledger/post.ts'
import { type Leg, settlementPaid, settlementRejected } from '../ledger/postings.ts'
import type { Clock } from '../platform/clock.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { emitEvents } from '../webhooks/emit.ts'
import { decideMove, type WantedMove } from './decide-move.ts'
import { type SettlementRow, viewSettlement } from './settlement.ts'
import type { SettlementTrigger } from './states.ts'
import * as store from './store.ts'

export type MoveDependencies = { sql: Sql; clock: Clock }

export type SettlementMoved =
  | { kind: 'moved'; settlement: SettlementRow }
  | { kind: 'refused'; code: 'resource_not_found' | 'invalid_person' }
  /** With the settlement as it stands, to be told to the person who wanted to move it. */
  | { kind: 'refused'; code: 'not_now' | 'same_person' | 'merchant_inactive'; settlement: SettlementRow }
  /** `paid_id`: the settlement that this transfer has paid already. */
  | { kind: 'refused'; code: 'bank_reference_used'; paid_id: string }

export type Facts = { bank_reference: string | null; rejection_reason: string | null }

const acts: Record<SettlementTrigger, Act['act']> = {
  validated: 'settlement.validate',
  rejected: 'settlement.reject',
  transfer_made: 'settlement.pay',
}

/** The posting of each trigger; null: no money moves. */
const bookings: Record<
  SettlementTrigger,
  { operation: LedgerTransaction['operation']; legs: (amount: number) => Leg[] } | null
> = {
  validated: null,
  rejected: { operation: 'settlement_rejected', legs: settlementRejected },
  transfer_made: { operation: 'settlement_paid', legs: settlementPaid },
}

/**
 * Moves a settlement on, by a person: the state with its trace, the money and the merchant's event in one transaction. The
 * accounts are locked first, like everywhere, and the settlement after them; of two who decide at once the second is told
 * what the first did. Nothing of a refused move remains.
 */
export async function moveSettlement(
  { sql, clock }: MoveDependencies,
  settlement_id: string,
  wanted: WantedMove,
  facts: Facts,
): Promise<SettlementMoved> {
  const by = normalizePerson(wanted.by)
  if (by === null) return { kind: 'refused', code: 'invalid_person' }
  const found = await store.findSettlement(sql, settlement_id)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  const { merchant_id, livemode, amount } = found
  const tenant = { merchant_id, livemode }
  const key = { ...tenant, settlement_id }
  const booking = bookings[wanted.trigger]

  return sql.begin(async (tx): Promise<SettlementMoved> => {
    const legs = booking?.legs(amount) ?? []
    await lockAccounts(
      tx,
      legs.map(({ account }) => ({ ...tenant, account })),
    )
    const settlement = (await store.lockSettlement(tx, key))!
    const decision = decideMove(settlement, { ...wanted, by })
    if (decision.kind === 'refused') return { ...decision, settlement }
    const paid_id = await paidWith(tx, tenant, facts)
    if (paid_id !== null) return { kind: 'refused', code: 'bank_reference_used', paid_id }

    const { from, to, event } = decision.transition
    const move = { ...key, ...facts, from_status: from, to_status: to, cause: wanted.trigger, moved_by: by }
    const moved = (await store.moveSettlement(tx, move))!
    if (booking !== null) {
      await post(tx, [{ ...tenant, subject_id: settlement_id, operation: booking.operation, legs }])
    }
    await emitEvents(
      tx,
      [{ ...tenant, type: event, subject_id: settlement_id, data: viewSettlement(moved) }],
      clock.now(),
    )
    const after = { status: to, amount, bank_reference: facts.bank_reference }
    recordAct(tx, tenant, {
      actor: by,
      act: acts[wanted.trigger],
      subject: settlement_id,
      before: { status: from },
      after,
    })
    crashPoint('during_settlement_move')
    return { kind: 'moved', settlement: moved }
  })
}

/** The settlement that has this bank reference already; null where there is none, or no reference is entered. */
async function paidWith(tx: Tx, tenant: { merchant_id: number; livemode: boolean }, facts: Facts) {
  return facts.bank_reference === null ? null : store.findPaidWith(tx, tenant, facts.bank_reference)
}
