import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { archiveBeneficiary } from '../../../src/beneficiaries/archive-beneficiary.ts'
import { confirmCallBack, noteCallBack, refuseCallBack } from '../../../src/beneficiaries/call-back.ts'
import { createDestination } from '../../../src/beneficiaries/create-destination.ts'
import {
  confirmDestination,
  refuseDestination,
  withdrawDestination,
} from '../../../src/beneficiaries/decide-destination.ts'
import { designateDestination } from '../../../src/beneficiaries/designate-destination.ts'
import { proposeDestination } from '../../../src/beneficiaries/propose-destination.ts'
import { stopDesignation } from '../../../src/beneficiaries/stop-designation.ts'
import { chooseOwnNumber } from '../../../src/checkout/choose-own-number.ts'
import { proveNumber } from '../../../src/checkout/prove-number.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { paySettlement } from '../../../src/settlements/pay-settlement.ts'
import { rejectSettlement } from '../../../src/settlements/reject-settlement.ts'
import { requestSettlement } from '../../../src/settlements/request-settlement.ts'
import { setMinimum } from '../../../src/settlements/set-minimum.ts'
import { setSchedule } from '../../../src/settlements/set-schedule.ts'
import { validateSettlement } from '../../../src/settlements/validate-settlement.ts'
import { Msisdn } from '../../../src/values/msisdn.ts'
import { newNumber } from '../../contract/sender.ts'
import { checkSettlement, newSettler, type Settler } from '../../contract/settler.ts'
import { actor } from '../../harness/actor.ts'
import * as destinations from '../../harness/destinations.ts'
import { perform } from '../../harness/perform.ts'
import { newAddress, openMember } from '../../harness/teams.ts'
import { another, ofMerchant, rename, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

/** Withdraws what waits: a merchant has one proposal at a time. */
const withdrawAll = ({ sql, tenant: { merchant_id, livemode } }: Stand) => sql`
    update destination_proposals set status = 'withdrawn', decided_by = proposed_by, decided_at = clock_now()
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'proposed'`

async function newDestinationProposal(stand: Stand, first: string): Promise<Subject> {
  const { sql, tenant } = stand
  await withdrawAll(stand)
  const destination = await newDestination(stand)
  const made = await destinations.proposeDestination(sql, tenant, destination, actor(first))
  assert.ok(made.kind === 'done', JSON.stringify(made))
  const { proposal_id } = made.result
  const change = () => sql`update beneficiaries set name = 'Une autre' where id = ${destination}`
  return { ...rowOf(stand, 'destination_proposals', proposal_id), subject: destination, change }
}

/** A proposal on which the company decides, and about which the first person has called. Null: nobody has. */
async function newOfCompany(stand: Stand, first: string | null): Promise<Subject> {
  const { sql, tenant } = stand
  const { merchant_id, livemode } = tenant
  await withdrawAll(stand)
  const account = { msisdn: Msisdn.parse(`${newNumber().slice(0, -4)}0042`)!.e164, operator: 'wave_ci' }
  const made = await destinations.createDestination(sql, tenant, account, 'Caisse')
  assert.ok(made.kind === 'done')
  const { id: destination } = made.result
  const { email } = await openMember(stand.installation, newAddress('Seule'), { merchant_id, roles: ['owner'] })
  const [row] = await sql<{ id: string }[]>`
    insert into destination_proposals
      (merchant_id, livemode, beneficiary_id, proposed_by, by_company, called_by, called_at, called_number, call_report)
    values (${merchant_id}, ${livemode}, ${destination}, ${email}, true, ${first}, ${first === null ? null : sql`clock_now()`},
            ${first === null ? null : '07 08 63 51 40'}, ${first === null ? null : 'Elle a demandé'})
    returning id`
  return { ...rowOf(stand, 'destination_proposals', row!.id), change: () => rename(stand) }
}

async function newDestination({ sql, tenant }: Stand): Promise<string> {
  const account = { msisdn: Msisdn.parse(newNumber())!.e164, operator: 'wave_ci' }
  const made = await destinations.createDestination(sql, tenant, account, 'Caisse')
  assert.ok(made.kind === 'done')
  return made.result.id
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

const wallet = () => ({ msisdn: newNumber(), operator: 'wave_ci', holder: 'Caisse' })

export const settling: readonly Stage[] = [
  {
    act: createDestination,
    otherOptions: true,
    get fields() {
      return { ...wallet(), iban: '' }
    },
    open: async (stand) => {
      const { msisdn } = wallet()
      const words = [...stand.collector.words, '--msisdn', msisdn, '--operator', 'wave_ci', '--name', 'Caisse']
      return { ...ofMerchant(stand, 'beneficiaries'), words }
    },
  },
  {
    act: proposeDestination,
    otherOptions: true,
    onHost: 'destination.designate',
    single: true,
    fields: { iban: '', msisdn: '', operator: '', holder: '' },
    async open(stand) {
      await withdrawAll(stand)
      const to = await newDestination(stand)
      const words = [...stand.collector.words, '--beneficiary', to]
      return { ...ofMerchant(stand, 'destination_proposals'), named: { to }, words }
    },
  },
  {
    act: archiveBeneficiary,
    async open(stand) {
      const { sql, tenant } = stand
      const { merchant_id, livemode } = tenant
      const { e164 } = Msisdn.parse(newNumber())!
      const [row] = await sql<{ id: string }[]>`
        insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4)
        values (${merchant_id}, ${livemode}, 'payout', 'Awa', 'wave_ci', ${e164}, ${e164.slice(-4)})
        returning id`
      return rowOf(stand, 'beneficiaries', row!.id)
    },
  },
  // They need a merchant of one person without a destination: own-number.test.ts.
  { act: proveNumber, byHand: true, open: async (stand) => ofMerchant(stand, 'payments') },
  { act: chooseOwnNumber, byHand: true, open: async (stand) => ofMerchant(stand, 'destination_proposals') },
  { act: confirmDestination, second: true, single: true, open: newDestinationProposal },
  { act: refuseDestination, second: true, fields: { reason: 'Pas notre compte' }, open: newDestinationProposal },
  {
    act: noteCallBack,
    get fields() {
      return { number: '07 08 63 51 40', answered: 'owner', last4: '0042', report: 'Elle a demandé' }
    },
    otherFields: { number: '07 08 63 51 40', answered: 'owner', last4: '0042', report: 'Elle a tout demandé' },
    single: true,
    open: (stand) => newOfCompany(stand, null),
  },
  { act: confirmCallBack, second: true, single: true, open: newOfCompany },
  { act: refuseCallBack, fields: { reason: 'Rien demandé' }, single: true, open: (stand) => newOfCompany(stand, null) },
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
  {
    act: requestSettlement,
    get fields() {
      return { amount: '5000', form: randomUUID() }
    },
    otherFields: { amount: '5001', form: randomUUID() },
    async open(stand) {
      const settler = settlers.get(stand) ?? openSettler(stand)
      settlers.set(stand, settler)
      const { destination } = await settler
      const change = () => stand.sql`update beneficiaries set name = name || ' bis' where id = ${destination}`
      return { ...ofMerchant(stand, 'settlements'), named: { destination }, change }
    },
  },
  {
    act: setSchedule,
    otherOptions: true,
    get fields() {
      return { every: 'mon,thu', at: '6', keep: String(50_000 + another()) }
    },
    otherFields: { every: 'day', at: '7', keep: '1' },
    single: true,
    async open(stand) {
      const settler = settlers.get(stand) ?? openSettler(stand)
      settlers.set(stand, settler)
      await settler
      const { merchant_id, livemode } = stand.tenant
      const state = async () =>
        (
          await stand.sql`select days, at_hour, keep from settlement_schedules where merchant_id = ${merchant_id} and livemode = ${livemode}`
        )[0]
      const words = [...stand.collector.words, '--every', 'mon,thu', '--at', '6', '--floor', '50000']
      return { params: { id: String(merchant_id) }, subject: null, state, words }
    },
  },
  { act: validateSettlement, second: true, open: newSettlement },
  {
    act: paySettlement,
    second: true,
    get fields() {
      return { reference: `VIR-${process.pid}-${another()}` }
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
  {
    act: setMinimum,
    get fields() {
      return { minimum: String(20_000 + another()) }
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
