import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ActProposal } from '../../../src/acts/proposal.ts'
import { addProposal } from '../../../src/acts/proposal-store.ts'
import { decideAdjustment } from '../../../src/adjustments/decide-adjustment.ts'
import * as adjustments from '../../../src/adjustments/propose-adjustment.ts'
import { approveResolution, refuseResolution } from '../../../src/anomalies/decide-resolution.ts'
import { openAnomaly } from '../../../src/anomalies/open-anomaly.ts'
import { proposeResolution } from '../../../src/anomalies/propose-resolution.ts'
import { decideDeposit, moveToTransfer, recordDeposit, withdrawDeposit } from '../../../src/ledger/fill-transfer.ts'
import { insertAnomalies, type NewAnomaly } from '../../../src/operators/doubts/anomaly-store.ts'
import { askOperator } from '../../../src/operators/doubts/ask-operator.ts'
import { decideCapProposal } from '../../../src/payouts/caps/decide-cap-proposal.ts'
import * as caps from '../../../src/payouts/caps/propose-cap.ts'
import * as stops from '../../../src/payouts/stop-payouts.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { applyEffects } from '../../../src/platform/commands/effects.ts'
import { matchDeposit } from '../../../src/reconciliation/match-deposit.ts'
import { askRefund, declineAsked, withdrawAsked } from '../../../src/refunds/ask-refund.ts'
import { giveUpRefund, recordPaidRefund } from '../../../src/refunds/close-refund.ts'
import { createRefund } from '../../../src/refunds/create-refund.ts'
import { decideProposedRefund, withdrawProposedRefund } from '../../../src/refunds/decide-proposed-refund.ts'
import { newId } from '../../../src/values/ids.ts'
import { openAnomalyDesk } from '../../contract/anomaly-desk.ts'
import { checkPayment } from '../../contract/answers.ts'
import { openRefundDesk } from '../../contract/refund-desk.ts'
import { PATIENCE } from '../../contract/sender.ts'
import { actor } from '../../harness/actor.ts'
import { proposeAdjustment } from '../../harness/adjustments.ts'
import { proposeCap } from '../../harness/caps.ts'
import { newPayer } from '../../harness/installation.ts'
import { resumePayouts, stopPayouts } from '../../harness/payout-stops.ts'
import { newStatementAccount, writeBankFile } from '../../harness/statement-accounts.ts'
import { openMember } from '../../harness/teams.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { another, ofMerchant, rename, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

async function newAdjustment(stand: Stand, first: string): Promise<Subject> {
  const deps = { sql: stand.sql, clock: createClock() }
  const sum = { direction: 'credit', amount: 700, counterpart: 'fees', reason: 'Un geste' } as const
  const made = await proposeAdjustment(deps, { ...stand.tenant, ...sum, proposed_by: actor(first) })
  assert.ok(made.kind === 'proposed')
  return { ...rowOf(stand, 'adjustments', made.adjustment.id), change: () => rename(stand) }
}

/** Lets no cap of its own stand, and no request for one. */
async function usualCaps({ sql, tenant: { merchant_id } }: Stand): Promise<void> {
  await sql`delete from payout_caps where merchant_id = ${merchant_id}`
  await sql`
    update cap_proposals set status = 'superseded', decided_by = 'system', decided_at = clock_now()
     where merchant_id = ${merchant_id} and status = 'proposed'`
}

/** Gives a merchant another cap than the usual one, as somebody does meanwhile. */
const otherCap = ({ sql, tenant }: Stand) => sql`
  insert into payout_caps (merchant_id, livemode, operation)
  values (${tenant.merchant_id}, ${tenant.livemode}, 90000)
  on conflict (merchant_id, livemode) do update set operation = excluded.operation`

let proposals = 0

async function newCapProposal(stand: Stand, first: string): Promise<Subject> {
  const { sql, tenant } = stand
  // Of two in a row both wait, because they are for different caps.
  proposals += 1
  const cap = proposals % 2 === 0 ? 'day' : 'operation'
  const amount = 900_000 + 1_000 * proposals
  await sql`
    update cap_proposals set status = 'superseded', decided_by = 'system', decided_at = clock_now()
     where merchant_id = ${tenant.merchant_id} and cap = ${cap} and status = 'proposed'`
  const made = await proposeCap(sql, tenant, { cap, amount, reason: 'Salaires de décembre' }, actor(first))
  assert.ok(made.kind === 'proposed', JSON.stringify(made))
  // The cap that is in force today is part of what the person signs.
  const change = () => sql`
    insert into payout_caps (merchant_id, livemode, ${sql(cap)})
    values (${tenant.merchant_id}, ${tenant.livemode}, ${amount - 777_000})
    on conflict (merchant_id, livemode) do update set ${sql(cap)} = excluded.${sql(cap)}`
  return { ...rowOf(stand, 'cap_proposals', made.proposal.id), change }
}

/** An act that the first person proposed, as in live mode. */
async function newProposal(
  { sql, tenant }: Stand,
  first: string,
  asked: Pick<ActProposal, 'act' | 'subject' | 'amount' | 'typed' | 'content'>,
): Promise<string> {
  const id = newId('prp', Date.now())
  const key = `proposal ${another()}`
  const row = { ...tenant, ...asked, id, key, sealed: null, proposed_by: first, proposed_at: new Date() }
  await sql.begin((tx) => applyEffects(tx, [addProposal(row)], new Date()))
  return id
}

export async function newProposedDeposit(stand: Stand, first: string): Promise<Subject> {
  const typed = { deposited: 900, reference: `VIR-P-${process.pid}-${another()}` }
  const content = { amount: 900, reference: typed.reference }
  const id = await newProposal(stand, first, { act: 'balance.deposit', subject: null, amount: 900, typed, content })
  return { ...rowOf(stand, 'act_proposals', id), change: () => rename(stand) }
}

/** A deposit that waits, with a line of a bank's file that a person of operations imported. */
export async function newShownDeposit(stand: Stand): Promise<Subject> {
  const { sql, tenant, installation } = stand
  const { email } = await openMember(installation, 'Ouattara', { staff: ['operations'] })
  const reference = `VIR-L-${process.pid}-${another()}`
  const account = await newStatementAccount(sql, tenant.livemode, { kind: 'bank' })
  const file = await writeBankFile({ reference, amount: 900, day: '09/11/2026' })
  const of = ['--account', account, '--mode', tenant.livemode ? 'live' : 'test', '--profile', 'bank_table']
  await installation.bandama('reconcile', 'import', ...of, '--file', file, '--as', email)
  const typed = { deposited: 900, reference, account }
  const asked = {
    act: 'balance.deposit',
    subject: null,
    amount: 900,
    typed,
    content: { amount: 900, reference },
  } as const
  const id = await newProposal(stand, 'kofi@example.com', asked)
  return { ...rowOf(stand, 'act_proposals', id), change: () => rename(stand) }
}

export async function newProposedRefund(stand: Stand, first: string): Promise<Subject> {
  const { id: subject } = await stand.collector.collect(1_000)
  const typed = { amount: 100, reason: null, by_hand: true }
  const content = { amount: 100, by_hand: true, paid: 1_000, given: 0 }
  const id = await newProposal(stand, first, { act: 'refund.create', subject, amount: 100, typed, content })
  return { ...rowOf(stand, 'act_proposals', id), change: () => rename(stand) }
}

/** A refund that the first person asks for. */
async function newAskedRefund({ sql, collector, tenant }: Stand, first: string): Promise<Subject> {
  const { merchant_id, livemode } = tenant
  const { id: payment_id } = await collector.collect(1_000)
  const id = newId('rfq', Date.now())
  await sql`
    insert into refund_requests (merchant_id, livemode, id, payment_id, reason, asked_by, asked_at)
    values (${merchant_id}, ${livemode}, ${id}, ${payment_id}, 'returned', ${first}, clock_now())`
  const state = async () => (await sql`select to_jsonb(r) from refund_requests r where id = ${id}`)[0]
  return { params: { id }, subject: id, state }
}

async function newManualRefund(stand: Stand, first: string): Promise<Subject> {
  const { collector, installation } = stand
  const { id } = await collector.collect(1_000)
  const { id: refund_id } = await openRefundDesk(installation).made(id, { by_hand: true, requested_by: actor(first) })
  return { ...rowOf(stand, 'refunds', refund_id), change: () => rename(stand) }
}

/** An anomaly about a payment. Proposed by the first person: to do nothing. */
async function newAnomaly(stand: Stand, first: string | null): Promise<Subject> {
  const { sql, tenant, collector, installation } = stand
  const { id: subject_id } = await collector.collect(1_000)
  const id = newId('ano', Date.now())
  const found = { ...tenant, subject_id, kind: 'amount_differs', fact: 'a test', operator: 'orange_ci', evidence: {} }
  await sql.begin((tx) => insertAnomalies(tx, [{ ...found, id } as NewAnomaly]))
  const state = async () => await sql`select status, decided_by from anomaly_proposals where anomaly_id = ${id}`
  if (first === null) return { params: { id }, subject: id, state }
  const desk = openAnomalyDesk(installation, collector)
  assert.equal((await desk.propose(id, { proposed_by: actor(first) })).kind, 'proposed')
  return { params: { id }, subject: id, state, change: () => rename(stand) }
}

/** A payment whose operator has been silent for long. */
async function newDoubt({ sql, collector, installation }: Stand): Promise<Subject> {
  const body = { amount: 500, counterparty: { msisdn: newPayer().replace(/0000$/, '0009') } }
  const { id } = checkPayment(await installation.pay(collector.merchant.key, body), 201)
  const isSent = async () =>
    (
      await sql`update instructions set sent_at = clock_now() - interval '25 hours'
                where subject_id = ${id} and state = 'sent'`
    ).count > 0
  await waitFor(isSent, { ...PATIENCE, what: 'the order to be sent' })
  return {
    params: { id },
    subject: 'new',
    state: async () => await sql`select id from anomalies where subject_id = ${id}`,
  }
}

/** The merchant's payouts, stopped or not. */
async function payoutsOf({ sql, tenant }: Stand, isStopped: boolean): Promise<Subject> {
  const merchant = String(tenant.merchant_id)
  await sql`
    update payout_stops set resume_asked_by = 'a@example.ci', resume_asked_at = clock_now()
     where value = ${merchant} and lifted_at is null and resume_asked_by is null`
  await sql`
    update payout_stops set lifted_by = 'b@example.ci', lifted_at = clock_now()
     where value = ${merchant} and lifted_at is null`
  if (isStopped) await stopPayouts(sql, { scope: 'merchant', merchant_id: tenant.merchant_id }, actor('c@example.ci'))
  return {
    ...{ params: {}, subject: null, words: ['--merchant', merchant], named: { what: 'merchant', merchant } },
    state: async () =>
      await sql`select stopped_by, resume_asked_by, lifted_by from payout_stops where value = ${merchant}`,
  }
}

export const money: readonly Stage[] = [
  {
    act: adjustments.proposeAdjustment,
    fields: { direction: 'credit', amount: '700', against: 'fees', reason: 'Un geste' },
    otherFields: { direction: 'debit', amount: '700', against: 'fees', reason: 'Un geste' },
    open: async (stand) => ofMerchant(stand, 'adjustments'),
  },
  {
    act: recordDeposit,
    get fields() {
      return { deposited: '25000', reference: `VIR-${process.pid}-${another()}` }
    },
    otherFields: { deposited: '26000', reference: 'VIR-AUTRE' },
    open: async (stand) => ofMerchant(stand, 'transfer_fillings'),
  },
  {
    act: moveToTransfer,
    get fields() {
      return { amount: '10', key: `passage ${process.pid} ${another()}` }
    },
    otherFields: { amount: '11', key: 'autre' },
    async open(stand) {
      await stand.collector.collect(1_000)
      return ofMerchant(stand, 'transfer_fillings')
    },
  },
  { act: decideDeposit.approve, second: true, open: newProposedDeposit },
  { act: decideDeposit.refuse, second: true, open: newProposedDeposit },
  { act: matchDeposit, open: newShownDeposit },
  { act: withdrawDeposit, own: true, open: newProposedDeposit },
  { act: decideProposedRefund.approve, second: true, open: newProposedRefund },
  { act: decideProposedRefund.refuse, second: true, open: newProposedRefund },
  { act: withdrawProposedRefund, own: true, open: newProposedRefund },
  { act: decideAdjustment.approve, second: true, open: newAdjustment },
  { act: decideAdjustment.refuse, second: true, open: newAdjustment },
  { act: decideCapProposal.approve, second: true, open: newCapProposal },
  { act: decideCapProposal.refuse, second: true, fields: { refusal: 'Envoyez votre bilan' }, open: newCapProposal },
  {
    act: recordPaidRefund,
    second: true,
    get fields() {
      return { reference: `VIR-${process.pid}-${another()}` }
    },
    otherFields: { reference: 'Une autre preuve' },
    open: newManualRefund,
  },
  {
    act: giveUpRefund,
    second: true,
    fields: { reason: 'Le payeur ne répond pas' },
    otherFields: { reason: 'Une erreur' },
    open: newManualRefund,
  },
  {
    act: askOperator,
    async open(stand) {
      const body = { amount: 500, counterparty: { msisdn: newPayer().replace(/0000$/, '0009') } }
      const { id } = checkPayment(await stand.installation.pay(stand.collector.merchant.key, body), 201)
      const isSent = async () =>
        (await stand.sql`select from instructions where subject_id = ${id} and state <> 'prepared'`).length > 0
      await waitFor(isSent, { ...PATIENCE, what: 'the order to be sent' })
      // The inquiry is a job, and no row of the payment changes.
      return { params: { id }, subject: id, state: async () => null }
    },
  },
  {
    act: caps.proposeCap,
    fields: { cap: 'operation', amount: '700 000', reason: 'Salaires' },
    otherFields: { cap: 'operation', amount: '800 000', reason: 'Salaires' },
    async open(stand) {
      await usualCaps(stand)
      return { ...ofMerchant(stand, 'cap_proposals'), change: () => otherCap(stand) }
    },
  },
  {
    act: caps.changeCap,
    otherOptions: true,
    fields: { cap: 'operation', amount: '95 000', reason: 'Fraude signalée' },
    otherFields: { cap: 'operation', amount: '96 000', reason: 'Fraude signalée' },
    async open(stand) {
      await usualCaps(stand)
      const words = [...stand.collector.words, '--operation', '95000']
      return { ...ofMerchant(stand, 'payout_caps'), subject: null, change: () => otherCap(stand), words }
    },
  },
  { act: stops.stopPayouts, otherOptions: true, open: (stand) => payoutsOf(stand, false) },
  {
    act: stops.resumePayouts,
    otherOptions: true,
    async open(stand, first) {
      const subject = await payoutsOf(stand, true)
      await resumePayouts(stand.sql, { scope: 'merchant', merchant_id: stand.tenant.merchant_id }, actor(first))
      return { ...subject, change: () => rename(stand) }
    },
  },
  { act: openAnomaly, fields: { reason: 'Sans réponse' }, open: newDoubt },
  {
    act: proposeResolution,
    fields: { resolution: 'nothing', reason: 'Selon le relevé' },
    open: (stand) => newAnomaly(stand, null),
  },
  { act: approveResolution, second: true, open: newAnomaly },
  { act: refuseResolution, second: true, open: newAnomaly },
  {
    act: askRefund,
    fields: { amount: '100', reason: 'returned', note: '' },
    async open(stand) {
      const { id } = await stand.collector.collect(1_000)
      const state = async () => await stand.sql`select id from refund_requests where payment_id = ${id}`
      return { params: { id }, subject: 'new', state }
    },
  },
  { act: withdrawAsked, open: newAskedRefund },
  { act: declineAsked, fields: { answer: 'Déjà livré' }, open: newAskedRefund },
  {
    act: createRefund,
    otherOptions: true,
    get fields() {
      return { form: randomUUID(), amount: '100', given: '0', reason: 'Un geste' }
    },
    otherFields: { form: randomUUID(), amount: '101', given: '0', reason: 'Un geste' },
    async open(stand) {
      const { id } = await stand.collector.collect(1_000)
      const state = async () => await stand.sql`select id from refunds where payment_id = ${id}`
      const words = ['--payment', id, '--amount', '100']
      return { params: { id }, words, subject: 'new', state, change: () => rename(stand) }
    },
  },
]
