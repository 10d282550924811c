import assert from 'node:assert/strict'
import type { AnyAct } from '../../src/acts/act.ts'
import { decideAdjustment } from '../../src/adjustments/decide-adjustment.ts'
import * as adjustments from '../../src/adjustments/propose-adjustment.ts'
import { confirmKey } from '../../src/api-keys/confirm-key.ts'
import { createKey } from '../../src/api-keys/create-key.ts'
import { revokeKey } from '../../src/api-keys/revoke-key.ts'
import { createDestination } from '../../src/beneficiaries/create-destination.ts'
import {
  confirmDestination,
  refuseDestination,
  withdrawDestination,
} from '../../src/beneficiaries/decide-destination.ts'
import { designateDestination } from '../../src/beneficiaries/designate-destination.ts'
import { proposeDestination } from '../../src/beneficiaries/propose-destination.ts'
import { stopDesignation } from '../../src/beneficiaries/stop-designation.ts'
import { closeLink } from '../../src/checkout/close-link.ts'
import { closeSession } from '../../src/checkout/close-session.ts'
import { moveToTransfer, recordDeposit } from '../../src/ledger/fill-transfer.ts'
import { activateMerchant, deactivateMerchant } from '../../src/merchants/set-active.ts'
import { askOperator } from '../../src/operators/doubts/ask-operator.ts'
import { decideCapProposal } from '../../src/payouts/caps/decide-cap-proposal.ts'
import { proposeCap } from '../../src/payouts/caps/propose-cap.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createEgress } from '../../src/platform/egress/post.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { giveUpRefund, recordPaidRefund } from '../../src/refunds/close-refund.ts'
import { paySettlement } from '../../src/settlements/pay-settlement.ts'
import { rejectSettlement } from '../../src/settlements/reject-settlement.ts'
import { setMinimum } from '../../src/settlements/set-minimum.ts'
import { validateSettlement } from '../../src/settlements/validate-settlement.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { Msisdn } from '../../src/values/msisdn.ts'
import { Secret } from '../../src/values/secret.ts'
import { createEndpoint } from '../../src/webhooks/endpoints/create-endpoint.ts'
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts'
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints/switch-endpoint.ts'
import { testEndpoint } from '../../src/webhooks/endpoints/test-endpoint.ts'
import { checkPayment } from '../contract/answers.ts'
import { type Collector, newCollector } from '../contract/collector.ts'
import { newSession } from '../contract/payer.ts'
import { openRefundDesk } from '../contract/refund-desk.ts'
import { newNumber, PATIENCE } from '../contract/sender.ts'
import { checkSettlement, newSettler, type Settler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { proposeAdjustment } from '../harness/adjustments.ts'
import { type Installation, newPayer } from '../harness/installation.ts'
import { perform } from '../harness/perform.ts'
import { waitFor } from '../harness/wait-for.ts'

let proofs = 0

// One row for each declared act: how a test makes its subject. acts.test.ts walks them all.

/** The subject of one act. */
export type Subject = {
  /** The parameters of its address, besides mode and merchant. */
  params: Record<string, string>
  /** The field that names it, for an act whose address does not. */
  named?: Record<string, string> | undefined
  /** The subject of its line in the audit log. `new`: the act makes it. */
  subject: string | null | 'new'
  /** Reads what the act changes. */
  state(): Promise<unknown>
  /** Changes what the person reads before they agree. Absent: the act shows nothing that could change. */
  change?(): Promise<unknown>
}

export type Stage = {
  act: AnyAct
  /** The typed fields. */
  fields?: Record<string, string>
  /** The same act with another content, for an act with fields. */
  otherFields?: Record<string, string>
  /** Whether a second person does it. `open` then takes the first one. */
  second?: true
  /** Whether only the first person does it. */
  own?: true
  /** Whether a merchant has only one such subject at a time. */
  single?: true
  /** Whether its page shows its result at once, such as a secret, in place of a move to another page. */
  shows?: true
  open(stand: Stand, first: string): Promise<Subject>
}

/** A service with a merchant, on which the subjects are made. */
export type Stand = { installation: Installation; sql: Sql; tenant: Tenant; collector: Collector }

export async function openStage(installation: Installation): Promise<Stand> {
  const collector = await newCollector(installation)
  return { installation, sql: installation.db.sql, tenant: collector.tenant, collector }
}

/** Gives the merchant another name, which people read in most questions. */
const rename = ({ sql, tenant }: Stand) =>
  sql`update merchants set name = name || ' bis' where merchant_id = ${tenant.merchant_id}`

function rowOf(stand: Stand, table: string, id: string, column = 'id'): Pick<Subject, 'params' | 'subject' | 'state'> {
  const { sql } = stand
  const state = async () =>
    (await sql`select to_jsonb(${sql(table)}) from ${sql(table)} where ${sql(column)} = ${id}`)[0]
  return { params: { id }, subject: id, state }
}

/** The merchant itself, for an act that adds a row to a table. */
function ofMerchant(stand: Stand, table: string): Subject {
  const { merchant_id } = stand.tenant
  const state = async () =>
    (
      await stand.sql<{ count: number }[]>`
        select count(*)::integer as count from ${stand.sql(table)} where merchant_id = ${merchant_id}`
    )[0]
  return { params: { id: String(merchant_id) }, subject: 'new', state, change: () => rename(stand) }
}

async function merchantThatIs(stand: Stand, active: boolean): Promise<Subject> {
  const { sql, tenant } = stand
  const { merchant_id } = tenant
  await sql`update merchants set active = ${active} where merchant_id = ${merchant_id}`
  const state = async () => (await sql`select active from merchants where merchant_id = ${merchant_id}`)[0]
  return { params: { id: String(merchant_id) }, subject: null, state, change: () => rename(stand) }
}

async function newAdjustment(stand: Stand, first: string): Promise<Subject> {
  const deps = { sql: stand.sql, clock: createClock() }
  const sum = { direction: 'credit', amount: 700, counterpart: 'fees', reason: 'Un geste' } as const
  const made = await proposeAdjustment(deps, { ...stand.tenant, ...sum, proposed_by: actor(first) })
  assert.ok(made.kind === 'proposed')
  return { ...rowOf(stand, 'adjustments', made.adjustment.id), change: () => rename(stand) }
}

async function endpointThatIs(stand: Stand, status: 'enabled' | 'disabled'): Promise<Subject> {
  const { sql, tenant, installation } = stand
  const egress = createEgress({ allow: ['127.0.0.0/8'] })
  const deps = { sql, egress, secretKey: new Secret(installation.secret_key), clock: createClock() }
  const made = await createEndpoint(deps, tenant, { url: 'http://127.0.0.1:9/', event_types: [], test: false })
  await egress.close()
  assert.ok(made.kind === 'created')
  const { endpoint_id } = made
  const disabled_at = status === 'disabled' ? sql`clock_now()` : sql`null`
  await sql`update endpoints set status = ${status}, disabled_at = ${disabled_at} where id = ${endpoint_id}`
  const change = () => sql`update endpoints set url = 'http://127.0.0.1:10/' where id = ${endpoint_id}`
  return { ...rowOf(stand, 'endpoints', endpoint_id), change }
}

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
  const deps = { sql, clock: createClock(), usual: readConfig({}) }
  const wish = { cap, amount, reason: 'Salaires de décembre' } as const
  const made = await proposeCap(deps, tenant, wish, actor(first), 'owner')
  assert.ok(made.kind === 'proposed', JSON.stringify(made))
  // The cap that is in force today is part of what the person signs.
  const change = () => sql`
    insert into payout_caps (merchant_id, livemode, ${sql(cap)})
    values (${tenant.merchant_id}, ${tenant.livemode}, ${amount - 777_000})
    on conflict (merchant_id, livemode) do update set ${sql(cap)} = excluded.${sql(cap)}`
  return { ...rowOf(stand, 'cap_proposals', made.proposal.id), change }
}

async function newManualRefund(stand: Stand, first: string): Promise<Subject> {
  const { collector, installation } = stand
  const { id } = await collector.collect(1_000)
  const { id: refund_id } = await openRefundDesk(installation).made(id, { by_hand: true, requested_by: actor(first) })
  return { ...rowOf(stand, 'refunds', refund_id), change: () => rename(stand) }
}

async function newDestinationProposal(stand: Stand, first: string): Promise<Subject> {
  const { sql, tenant } = stand
  const { merchant_id, livemode } = tenant
  await sql`
    update destination_proposals set status = 'withdrawn', decided_by = proposed_by, decided_at = clock_now()
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'proposed'`
  const destination = await newDestination(stand)
  const made = await proposeDestination(sql, tenant, destination, actor(first))
  assert.ok(made.kind === 'proposed', JSON.stringify(made))
  const { id } = made.proposal
  const change = () => sql`update beneficiaries set name = 'Une autre' where id = ${destination}`
  return { ...rowOf(stand, 'destination_proposals', id), subject: destination, change }
}

async function newDestination({ sql, tenant }: Stand): Promise<string> {
  const made = await createDestination(
    sql,
    tenant,
    { msisdn: Msisdn.parse(newNumber())!, operator: 'wave_ci' },
    'Caisse',
  )
  assert.ok(made.kind === 'created')
  return made.beneficiary.id
}

const settlers = new WeakMap<Stand, Promise<Settler>>()

/** The merchant of the stand with a destination and money to settle. */
async function openSettler({ installation, collector }: Stand): Promise<Settler> {
  await collector.collect(1_000_000)
  return newSettler(installation, { available: 0, of: collector.merchant })
}

/** A settlement that waits. The first person made the key that requested it. */
async function newSettlement(stand: Stand, first: string): Promise<Subject> {
  const { sql } = stand
  const settler = settlers.get(stand) ?? openSettler(stand)
  settlers.set(stand, settler)
  const { id } = checkSettlement(await (await settler).request(5_000), 202)
  await sql`
    update api_keys set created_by = ${first}
     where 'key:' || key_id = (select made_by from settlements where id = ${id})`
  return { ...rowOf(stand, 'settlements', id), change: () => rename(stand) }
}

/** A settlement that the first person has validated. */
async function validated(stand: Stand, first: string): Promise<Subject> {
  const subject = await newSettlement(stand, 'system')
  const deps = { sql: stand.sql, clock: createClock() }
  const { kind } = await perform(validateSettlement, deps, { id: subject.params.id! }, actor(first))
  assert.equal(kind, 'done')
  return subject
}

export const stages: readonly Stage[] = [
  {
    act: adjustments.proposeAdjustment,
    fields: { direction: 'credit', amount: '700', against: 'fees', reason: 'Un geste' },
    otherFields: { direction: 'debit', amount: '700', against: 'fees', reason: 'Un geste' },
    open: async (stand) => ofMerchant(stand, 'adjustments'),
  },
  {
    act: recordDeposit,
    get fields() {
      return { deposited: '25000', reference: `VIR-${process.pid}-${++proofs}` }
    },
    otherFields: { deposited: '26000', reference: 'VIR-AUTRE' },
    open: async (stand) => ofMerchant(stand, 'transfer_fillings'),
  },
  {
    act: moveToTransfer,
    get fields() {
      return { amount: '10', key: `passage ${process.pid} ${++proofs}` }
    },
    otherFields: { amount: '11', key: 'autre' },
    async open(stand) {
      await stand.collector.collect(1_000)
      return ofMerchant(stand, 'transfer_fillings')
    },
  },
  { act: decideAdjustment.approve, second: true, open: newAdjustment },
  { act: decideAdjustment.refuse, second: true, open: newAdjustment },
  { act: decideCapProposal.approve, second: true, open: newCapProposal },
  { act: decideCapProposal.refuse, second: true, fields: { refusal: 'Envoyez votre bilan' }, open: newCapProposal },
  {
    act: recordPaidRefund,
    second: true,
    get fields() {
      return { reference: `VIR-${process.pid}-${++proofs}` }
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
    act: revokeKey,
    async open(stand) {
      const { key_id } = await stand.collector.merchant.newKey('test', 'collect')
      const change = () => stand.sql`update api_keys set name = 'Une autre' where key_id = ${key_id}`
      return { ...rowOf(stand, 'api_keys', key_id, 'key_id'), change }
    },
  },
  {
    act: confirmKey,
    second: true,
    async open(stand, first) {
      const wanted = { key_prefix: 'bdm', scope: 'payout', name: 'Paie', needs_confirmation: true } as const
      const { key_id } = await createKey(stand.sql, stand.tenant, wanted, actor(first))
      const change = () => stand.sql`update api_keys set allowed_addresses = '{192.0.2.0/24}' where key_id = ${key_id}`
      return { ...rowOf(stand, 'api_keys', key_id, 'key_id'), change }
    },
  },
  {
    act: closeLink,
    async open(stand) {
      const words = ['--amount', '500', '--description', 'Pagne', '--reusable']
      const { link_id } = await stand.installation.bandama('link', 'create', ...stand.collector.words, ...words)
      return rowOf(stand, 'payment_links', String(link_id))
    },
  },
  {
    act: closeSession,
    async open(stand) {
      const { id } = await newSession(stand.installation, stand.collector.merchant.key)
      return rowOf(stand, 'checkout_sessions', id)
    },
  },
  { act: testEndpoint, open: (stand) => endpointThatIs(stand, 'enabled') },
  { act: rotateSecret, shows: true, open: (stand) => endpointThatIs(stand, 'enabled') },
  { act: disableEndpoint, open: (stand) => endpointThatIs(stand, 'enabled') },
  { act: enableEndpoint, open: (stand) => endpointThatIs(stand, 'disabled') },
  { act: confirmDestination, second: true, single: true, open: newDestinationProposal },
  { act: refuseDestination, second: true, fields: { reason: 'Pas notre compte' }, open: newDestinationProposal },
  { act: withdrawDestination, own: true, open: newDestinationProposal },
  {
    act: stopDesignation,
    single: true,
    async open(stand) {
      const { sql, tenant } = stand
      const destination = await newDestination(stand)
      await designateDestination(sql, tenant, destination, null)
      const change = () => sql`update beneficiaries set name = 'Une autre' where id = ${destination}`
      const { state } = rowOf(stand, 'beneficiaries', destination)
      return { params: { id: destination }, named: { destination }, subject: destination, state, change }
    },
  },
  { act: validateSettlement, second: true, open: newSettlement },
  {
    act: paySettlement,
    second: true,
    get fields() {
      return { reference: `VIR-${process.pid}-${++proofs}` }
    },
    otherFields: { reference: 'Une autre preuve' },
    open: validated,
  },
  {
    act: rejectSettlement,
    second: true,
    fields: { reason: 'Compte clôturé' },
    otherFields: { reason: 'Une erreur' },
    open: newSettlement,
  },
  // These two in this order, so that the merchant is active again.
  { act: deactivateMerchant, open: (stand) => merchantThatIs(stand, true) },
  { act: activateMerchant, open: (stand) => merchantThatIs(stand, false) },
  {
    act: setMinimum,
    get fields() {
      return { minimum: String(20_000 + ++proofs) }
    },
    otherFields: { minimum: '19999' },
    open: async (stand) => ({
      params: { id: String(stand.tenant.merchant_id) },
      subject: null,
      state: async () =>
        (await stand.sql`select minimum from settlement_floors where merchant_id = ${stand.tenant.merchant_id}`)[0],
      change: () => rename(stand),
    }),
  },
]
