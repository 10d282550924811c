import assert from 'node:assert/strict'
import type { ProposalRow } from '../../src/anomalies/anomaly.ts'
import { type DecideResolutionResult, decideResolution } from '../../src/anomalies/decide-resolution.ts'
import { readAnomalies } from '../../src/anomalies/find-anomalies.ts'
import { type ProposeResult, proposeResolution } from '../../src/anomalies/propose-resolution.ts'
import { conclusions } from '../../src/app/work.ts'
import type { AnomalyRow } from '../../src/operators/doubts/anomaly-store.ts'
import type { AnomalyKind } from '../../src/operators/sending/decide.ts'
import { createClock } from '../../src/platform/clock.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, newPayer } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkPayment } from './answers.ts'
import { proveOrder } from './change-of-mind.ts'
import type { Collector } from './collector.ts'
import { referenceOf } from './payer.ts'
import { PATIENCE } from './sender.ts'

/** The person who proposes in these tests, and the one who decides. */
export const AMA = 'ama@example.com'
export const KOFI = 'kofi@example.com'

type Wish = Partial<Parameters<typeof proposeResolution>[2]>

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
    propose(anomaly_id, wish) {
      const usual = { resolution: 'nothing', amount: null, of_merchant_id: null, proposed_by: actor(AMA) } as const
      return proposeResolution(deps, anomaly_id, { ...usual, reason: 'As the operator wrote', ...wish })
    },
    decide: (anomaly_id, approve, decided_by = KOFI) =>
      decideResolution(deps, anomaly_id, { approve, decided_by: actor(decided_by) }),
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
