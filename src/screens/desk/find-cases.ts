import type { ProposedAct } from '../../acts/proposal.ts'
import { readWaitingProposals } from '../../acts/proposal-store.ts'
import { canDecideOn, type Decider } from '../../acts/second-person.ts'
import { readWaitingAdjustments } from '../../adjustments/store.ts'
import { readOpenFiles } from '../../anomalies/find-anomalies.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { readWaitingOfCompany } from '../../beneficiaries/proposal-store.ts'
import { readOwners } from '../../cases/store.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { UNMATCHED_MERCHANT_ID } from '../../operators/doubts/anomalies.ts'
import type { Silences } from '../../operators/doubts/doubt-store.ts'
import { listDoubts } from '../../operators/doubts/find-doubts.ts'
import type { Order } from '../../operators/port.ts'
import type { AnomalyKind } from '../../operators/sending/decide.ts'
import type { CapName } from '../../payouts/caps/cap-proposal.ts'
import { readWaitingCapProposals } from '../../payouts/caps/proposal-store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { readWaitingRefunds } from '../../refunds/find-refunds.ts'
import { readWaitingRequests } from '../../refunds/refund-request.ts'
import { readOpenSettlements } from '../../settlements/review-settlement.ts'

/** The subject of a case, for its title. */
export type CaseAbout =
  | { readonly kind: 'doubt'; readonly direction: Order['direction'] }
  | {
      readonly kind: 'anomaly'
      readonly anomaly_kind: AnomalyKind
      /** Null when the reference is unknown. */
      readonly direction: Order['direction'] | null
    }
  | { readonly kind: 'settlement'; readonly validated: boolean }
  | { readonly kind: 'refund' }
  | { readonly kind: 'adjustment'; readonly direction: 'credit' | 'debit' }
  /** A higher cap that a merchant or a staff member requests. */
  | { readonly kind: 'cap'; readonly cap: CapName }
  /** A refund that a merchant asks for. */
  | { readonly kind: 'refund_asked' }
  /** A destination of a merchant of one person, after the call to its owner or before. */
  | { readonly kind: 'destination'; readonly called: boolean }
  /** An act of one person that takes a second one. */
  | { readonly kind: 'proposal'; readonly act: ProposedAct }

/** One case that waits for people. */
export type DeskCase = {
  readonly id: string
  readonly about: CaseAbout
  /** Null when no merchant is known. */
  readonly merchant_id: number | null
  readonly merchant: string | null
  readonly operator: string | null
  readonly since: Date
  /** The francs that the case holds back; 0: none. */
  readonly held: number
  /** The person who did the first of two parts. Another person must do the second. */
  readonly first_person: string | null
  /** Everybody else who began it. Neither they nor those who let one of them in do the second part. */
  readonly began: readonly string[]
  /** The person to whom it is assigned. */
  readonly owner: string | null
}

export type Cases = {
  /** The cases, oldest first. */
  readonly cases: readonly DeskCase[]
  /** The names of `first_person` and `owner`, by their e-mail addresses. */
  readonly names: ReadonlyMap<string, string>
}

type Deps = { readonly sql: Db; readonly silences: Silences }

type Found = Omit<DeskCase, 'merchant' | 'owner'>

/** Reads the cases of one mode, oldest first: of each kind the oldest few hundred. */
export async function findCases(deps: Deps, livemode: boolean): Promise<Cases> {
  return named(deps.sql, livemode, await findUnnamed(deps, livemode))
}

/** Counts the cases for the menu. */
export async function countCases(deps: Deps, livemode: boolean) {
  const cases = await findUnnamed(deps, livemode)
  const of = (kind: CaseAbout['kind']) => cases.filter(({ about }) => about.kind === kind).length
  return {
    cases: cases.length,
    to_settle: of('settlement'),
    to_give_back: of('refund'),
    to_adjust: of('adjustment'),
    to_raise: of('cap'),
    to_designate: of('destination'),
    to_refund: of('refund_asked'),
  }
}

async function findUnnamed({ sql, silences }: Deps, livemode: boolean): Promise<readonly Found[]> {
  const [doubts, anomalies, settlements, refunds, adjustments, caps, destinations, asked, proposals] =
    await Promise.all([
      listDoubts(sql, livemode, silences),
      readOpenFiles(sql, livemode),
      readOpenSettlements(sql, { livemode }),
      readWaitingRefunds(sql, livemode),
      readWaitingAdjustments(sql, livemode),
      readWaitingCapProposals(sql, livemode),
      readWaitingOfCompany(sql, livemode),
      readWaitingRequests(sql, livemode),
      readWaitingProposals(sql, livemode),
    ])
  return [
    // An operation with an open anomaly waits as that anomaly.
    ...doubts
      .filter(({ anomaly_ids }) => anomaly_ids.length === 0)
      .map(({ subject_id, direction, merchant_id, operator, sent_at, amount }) => ({
        ...{ id: subject_id, about: { kind: 'doubt', direction } as const, merchant_id, operator },
        ...{ since: sent_at!, held: amount, first_person: null, began: [] },
      })),
    ...anomalies.map(({ anomaly, subject, standing }) => ({
      id: anomaly.id,
      about: { kind: 'anomaly', anomaly_kind: anomaly.kind, direction: subject?.direction ?? null } as const,
      merchant_id: anomaly.merchant_id === UNMATCHED_MERCHANT_ID ? null : anomaly.merchant_id,
      operator: anomaly.operator,
      since: subject?.sent_at ?? anomaly.opened_at,
      held: subject?.amount ?? 0,
      first_person: standing?.proposed_by ?? null,
      began: [],
    })),
    ...settlements.map(({ id, status, merchant_id, created_at, amount, made_by, validated_by }) => ({
      ...{ id, about: { kind: 'settlement', validated: status === 'validated' } as const, merchant_id, operator: null },
      ...{ since: created_at, held: amount, first_person: validated_by, began: [made_by] },
    })),
    ...refunds.map(({ id, merchant_id, operator, created_at, amount_returned, requested_by }) => ({
      ...{ id, about: { kind: 'refund' } as const, merchant_id, operator },
      ...{ since: created_at, held: amount_returned, first_person: requested_by, began: [] },
    })),
    ...adjustments.map(({ id, direction, merchant_id, proposed_at, amount, proposed_by }) => ({
      ...{ id, about: { kind: 'adjustment', direction } as const, merchant_id, operator: null },
      ...{ since: proposed_at, held: direction === 'debit' ? 0 : amount, first_person: proposed_by, began: [] },
    })),
    ...caps.map(({ id, cap, merchant_id, proposed_at, proposed_by }) => ({
      ...{ id, about: { kind: 'cap', cap } as const, merchant_id, operator: null },
      ...{ since: proposed_at, held: 0, first_person: proposed_by, began: [] },
    })),
    ...destinations.map(({ id, merchant_id, operator, proposed_at, proposed_by, called_by }) => ({
      ...{ id, about: { kind: 'destination', called: called_by !== null } as const, merchant_id, operator },
      ...{ since: proposed_at, held: 0, first_person: called_by, began: [proposed_by] },
    })),
    ...asked.map(({ id, merchant_id, asked_at, asked_by }) => ({
      ...{ id, about: { kind: 'refund_asked' } as const, merchant_id, operator: null },
      ...{ since: asked_at, held: 0, first_person: null, began: [asked_by] },
    })),
    ...proposals.map(({ id, act, merchant_id, proposed_at, amount, proposed_by }) => ({
      ...{ id, about: { kind: 'proposal', act } as const, operator: null },
      merchant_id: merchant_id === WHOLE_SERVICE ? null : merchant_id,
      ...{ since: proposed_at, held: amount ?? 0, first_person: proposed_by, began: [] },
    })),
  ]
}

async function named(sql: Db, livemode: boolean, found: readonly Found[]): Promise<Cases> {
  const ids = found.map(({ id }) => id)
  const merchant_ids = found.flatMap(({ merchant_id }) => (merchant_id === null ? [] : [merchant_id]))
  const [owners, merchants] = await Promise.all([readOwners(sql, livemode, ids), readMerchantNames(sql, merchant_ids)])
  const cases = found.map((one) => ({
    ...one,
    merchant: one.merchant_id === null ? null : (merchants.get(one.merchant_id) ?? null),
    owner: owners.get(one.id) ?? null,
  }))
  const people = cases.flatMap(({ first_person, owner }) => [first_person, owner])
  return { cases: cases.toSorted(inAge), names: await readPersonNames(sql, people) }
}

function inAge(one: DeskCase, other: DeskCase): number {
  return one.since.getTime() - other.since.getTime() || (one.id < other.id ? -1 : 1)
}

export const queueTabs = ['all', 'mine', 'confirm', 'nobody'] as const
export type QueueTab = (typeof queueTabs)[number]

/** Whether a tab shows a case to its reader. `confirm`: another person did the first of two parts. Pure. */
export function standsUnder(tab: QueueTab, { owner, first_person, began }: DeskCase, reader: Decider): boolean {
  switch (tab) {
    case 'all':
      return true
    case 'mine':
      return owner === reader.person
    case 'confirm':
      return first_person !== null && canDecideOn(reader, [first_person, ...began])
    case 'nobody':
      return owner === null
  }
}
