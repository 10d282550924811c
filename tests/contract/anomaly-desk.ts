import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import type { ProposalRow } from '../../src/anomalies/anomaly.ts'
import { approveResolution, refuseResolution } from '../../src/anomalies/decide-resolution.ts'
import { readAnomalies } from '../../src/anomalies/find-anomalies.ts'
import { proposeResolution } from '../../src/anomalies/propose-resolution.ts'
import type { Proposed } from '../../src/anomalies/validate-resolution.ts'
import { conclusions } from '../../src/app/work.ts'
import type { AnomalyRow } from '../../src/operators/doubts/anomaly-store.ts'
import type { AnomalyKind } from '../../src/operators/sending/decide.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Actor } from '../../src/values/actor.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, newPayer } from '../harness/installation.ts'
import { perform } from '../harness/perform.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { proveOrder } from './change-of-mind.ts'
import type { Collector } from './collector.ts'
import { referenceOf } from './payer.ts'
import { PATIENCE } from './sender.ts'

/** The person who proposes in these tests, and the one who decides. */
export const AMA = 'ama@example.com'
export const KOFI = 'kofi@example.com'

/** A proposal, and the person who makes it. `of_merchant_id`: the merchant to credit. */
type Wish = Partial<Proposed> & { reason?: string; proposed_by?: Actor }

type ProposeResult = { kind: 'proposed'; proposal: ProposalRow } | ActRefused
type DecideResolutionResult = { kind: 'approved' | 'refused_by_person'; proposal: ProposalRow } | ActRefused

/** The staff's operations on anomalies, without the commands, and an operator that causes anomalies. */
export type AnomalyDesk = {
  /** The open anomalies of the merchant. */
  open(): Promise<AnomalyRow[]>
  /** Waits for the anomaly of a subject and returns it. */
  until(subject_id: string, kind: AnomalyKind): Promise<AnomalyRow>
  /** Ama proposes a resolution; without arguments, to do nothing. */
  propose(anomaly_id: string, wish: Wish): Promise<ProposeResult>
  /** Kofi decides, unless the call names another person. */
  decide(anomaly_id: string, approve: boolean, decided_by?: string): Promise<DecideResolutionResult>
  /** Ama proposes and Kofi approves. */
  settle(anomaly_id: string, wish: Wish): Promise<ProposalRow>
  /** A payment of 1 000 francs in doubt: its operator says that it collected 1 001. */
  amountMismatch(): Promise<{ id: string; anomaly: AnomalyRow }>
  referenceOf(subject_id: string): Promise<string>
  /** The operator reports another result of a subject, or another amount. */
  report(subject_id: string, amount?: number): Promise<void>
}

export function openAnomalyDesk(installation: Installation, merchant: Collector): AnomalyDesk {
  const { sql } = installation.db
  const clock = createClock()
  // In test mode no connector is asked for.
  const deps = { sql, clock, conclusions, registry: { connectorNamed: () => null } }
  const desk: AnomalyDesk = {
    open: () => readAnomalies(sql, merchant.tenant),
    until: (subject_id, kind) =>
      waitFor(async () => (await desk.open()).find((one) => one.subject_id === subject_id && one.kind === kind), {
        ...PATIENCE,
        what: `${kind} of ${subject_id}`,
      }),
    async propose(anomaly_id, { proposed_by = actor(AMA), of_merchant_id: merchant_wanted = null, ...wish }) {
      const usual = { resolution: 'nothing', amount: null, merchant: merchant_wanted, reason: 'As the operator wrote' }
      const values = { ...usual, ...wish }
      const performed = await perform(proposeResolution, deps, { id: anomaly_id, values }, proposed_by)
      assert.ok(performed.kind !== 'ask_again')
      return performed.kind === 'done' ? { kind: 'proposed', proposal: performed.result } : performed
    },
    async decide(anomaly_id, approve, decided_by = KOFI) {
      const subject = { id: anomaly_id, values: { proposal: null } }
      const act = approve ? approveResolution : refuseResolution
      const performed = await perform(act, deps, subject, actor(decided_by))
      assert.ok(performed.kind !== 'ask_again')
      if (performed.kind === 'refused') return performed
      return { kind: approve ? 'approved' : 'refused_by_person', proposal: performed.result }
    },
    async settle(anomaly_id, wish) {
      const proposed = await desk.propose(anomaly_id, wish)
      assert.equal(proposed.kind, 'proposed', JSON.stringify(proposed))
      const approved = await desk.decide(anomaly_id, true)
      assert.ok(approved.kind === 'approved', JSON.stringify(approved))
      return approved.proposal
    },
    async amountMismatch() {
      const msisdn = `${newPayer().slice(0, 6)}0006`
      installation.twin?.fault({ fault: 'states_amount', claimed_amount: 1_001, msisdn })
      const counterparty = { msisdn }
      const created = await installation.pay(merchant.merchant.key, { amount: 1_000, counterparty })
      const { id } = checkPayment(created, 201)
      return { id, anomaly: await desk.until(id, 'amount_differs') }
    },
    referenceOf: (subject_id) => referenceOf(installation, subject_id),
    report: async (subject_id, amount) => proveOrder(installation, await desk.referenceOf(subject_id), amount),
  }
  return desk
}
