import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { confirmDestination } from '../../src/beneficiaries/decide-destination.ts'
import { invitePerson } from '../../src/people/invite-person.ts'
import { STAFF } from '../../src/people/person.ts'
import { createClock } from '../../src/platform/clock.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import type { Actor } from '../../src/values/actor.ts'
import { decisionsOfTwo } from '../../src/values/rights.ts'
import { actor } from '../harness/actor.ts'
import { proposeCap } from '../harness/caps.ts'
import { proposeDestination } from '../harness/destinations.ts'
import { depositToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { createKey } from '../harness/keys.ts'
import { mode } from '../harness/mode.ts'
import { resumePayouts, stopPayouts } from '../harness/payout-stops.ts'
import { confirmRole, resetPerson } from '../harness/people-acts.ts'
import { perform } from '../harness/perform.ts'
import { confirmSinglePerson, proposeSinglePerson } from '../harness/single-person.ts'
import { newAddress, teamsOn } from '../harness/teams.ts'
import { type AnomalyDesk, openAnomalyDesk } from './anomaly-desk.ts'
import { type Collector, newCollector } from './collector.ts'
import { newSender, payout } from './sender.ts'
import { checkSettlement, newSettler, type Settler } from './settler.ts'

// The second person of a decision did not let the first one in. Tried over every decision of two people and every way to let somebody in: the
// operation refuses it, and so does the database.

let installation: Installation
let merchant: Collector
let settler: Settler
let desk: AnomalyDesk
before(async () => {
  installation = await openInstallation()
  merchant = await newCollector(installation)
  settler = await newSettler(installation, { available: 1_000_000 })
  desk = openAnomalyDesk(installation, merchant)
})
after(() => installation[Symbol.asyncDispose]())

const { member } = teamsOn(() => installation.db.sql)
const clock = createClock()
const deps = () => ({ sql: installation.db.sql, clock })
const cooling = { settlementRules: { destination_cooling_hours: 24 } }
const bandama = (...words: string[]) => installation.bandama(...words)

/** A subject that waits for its second person. `decide` returns the kind of the answer, or the reason of the refusal. */
type Waiting = {
  decide(by: Actor): Promise<string>
  /** Writes the decision past the operation. */
  write(by: string): PromiseLike<unknown>
}
type Result = { kind: string; code?: string }
const wordOf = ({ kind, code }: Result) => code ?? kind
const command = async (...words: string[]) => {
  try {
    await bandama(...words)
    return 'done'
  } catch (error) {
    return /within 90 days/.test(String((error as Error).message)) ? 'same_person' : String(error)
  }
}

/** Begins each decision as its first person. */
const begin: Record<keyof typeof decisionsOfTwo, (first: Actor, third: Actor) => Promise<Waiting>> = {
  async payout_request({ person }) {
    const { words, tenant } = await newSender(installation, { funds: 500_000 })
    const made = await bandama('key', 'create', ...words, '--scope', 'payout', '--as', person)
    const call = {
      method: 'POST' as const,
      path: '/v1-payouts',
      key: String(made.key),
      idempotency_key: newAddress('k'),
    }
    const { id } = (await installation.ask({ ...call, body: payout(100_001) })).json() as { id: string }
    return {
      decide: (by) => command('request', 'approve', '--id', id, '--as', by.person),
      write: (by) => installation.db.sql`
        update payout_requests set decided_by = ${by} where merchant_id = ${tenant.merchant_id} and id = ${id}`,
    }
  },
  async payout_batch({ person }) {
    const { words, tenant } = await newSender(installation, { funds: 500_000 })
    const made = await bandama('key', 'create', ...words, '--scope', 'payout', '--as', person)
    const call = { method: 'POST' as const, path: '/v1-payout-batches', key: String(made.key) }
    const body = { lines: Array.from({ length: 6 }, () => payout(99_000)) }
    const { id } = (await installation.ask({ ...call, idempotency_key: newAddress('k'), body })).json() as {
      id: string
    }
    return {
      decide: (by) => command('batch', 'approve', '--id', id, '--as', by.person),
      write: (by) => installation.db.sql`
        update payout_batches set decided_by = ${by} where merchant_id = ${tenant.merchant_id} and id = ${id}`,
    }
  },
  async api_key(first) {
    const { tenant } = merchant
    const wanted = { key_prefix: 'bdm', scope: 'payout', name: 'Paie', needs_confirmation: true } as const
    const { key_id } = await createKey(installation.db.sql, tenant, wanted, first)
    const words = ['--merchant', String(tenant.merchant_id), '--mode', mode, '--key-id', key_id]
    return {
      decide: (by) => command('key', 'confirm', ...words, '--as', by.person),
      write: (by) => installation.db.sql`
        update api_keys set confirmed_by = ${by}, confirmed_at = clock_now() where key_id = ${key_id}`,
    }
  },
  async destination(first, third) {
    const { tenant } = await newSender(installation)
    const { sql } = installation.db
    await invitePerson(
      deps(),
      { email: third.person, merchant_id: tenant.merchant_id, roles: ['owner'] },
      actor('host:root'),
    )
    const number = ['--operator', 'mtn_ci', '--msisdn', '0504030201', '--name', 'Awa']
    const at = ['--merchant', String(tenant.merchant_id), '--mode', mode]
    const { beneficiary_id } = await bandama('destination', 'create', ...at, ...number)
    const proposed = await proposeDestination(sql, tenant, String(beneficiary_id), first)
    assert.ok(proposed.kind === 'done', JSON.stringify(proposed))
    const { proposal_id: id } = proposed.result
    return {
      decide: async (by) =>
        wordOf(await perform(confirmDestination, { ...deps(), ...cooling }, { id, within: tenant }, by)),
      write: (by) => sql`
        update destination_proposals set status = 'confirmed', decided_by = ${by}, decided_at = clock_now(), owner = ${by}
         where id = ${id}`,
    }
  },
  async settlement({ person }) {
    const { id } = checkSettlement(await settler.request(5_000), 202)
    await bandama('settlement', 'validate', '--id', id, '--as', person)
    return {
      decide: (by) => command('settlement', 'pay', '--id', id, '--as', by.person, '--bank-reference', newAddress('V')),
      write: (by) => installation.db.sql`
        update settlements set status = 'paid', paid_by = ${by}, paid_at = clock_now(), bank_reference = ${newAddress('W')}
         where id = ${id}`,
    }
  },
  async higher_cap(first) {
    const { tenant } = await newSender(installation)
    const wish = { cap: 'day', amount: 900_000, reason: 'Salaires' } as const
    const proposed = await proposeCap(installation.db.sql, tenant, wish, first)
    assert.ok(proposed.kind === 'proposed')
    const { id } = proposed.proposal
    return {
      decide: (by) => command('caps', 'approve', '--id', id, '--as', by.person),
      write: (by) => installation.db.sql`
        update cap_proposals set status = 'approved', decided_by = ${by}, decided_at = clock_now() where id = ${id}`,
    }
  },
  async role(first) {
    const { merchant_id } = merchant.tenant
    await invitePerson(
      deps(),
      { email: first.person, merchant_id: STAFF, roles: ['administrator'] },
      actor('host:root'),
    )
    const email = newAddress('invited')
    const invited = await invitePerson(deps(), { email, merchant_id, roles: ['developer'] }, first)
    assert.ok(invited.kind === 'invited', JSON.stringify(invited))
    const key = { person_id: invited.person_id, merchant_id, role: 'developer' }
    return {
      decide: async (by) => wordOf(await confirmRole(deps(), key, by)),
      write: (by) => installation.db.sql`
        update person_roles set confirmed_by = ${by}, confirmed_at = clock_now() where person_id = ${key.person_id}`,
    }
  },
  async doubt(first) {
    const { anomaly } = await desk.amountMismatch()
    const proposed = await desk.propose(anomaly.id, { proposed_by: first })
    assert.ok(proposed.kind === 'proposed', JSON.stringify(proposed))
    return {
      decide: async (by) => wordOf(await desk.decide(anomaly.id, true, by.person)),
      write: (by) => installation.db.sql`
        update anomaly_proposals set status = 'approved', decided_by = ${by}, decided_at = clock_now()
         where id = ${proposed.proposal.id}`,
    }
  },
  async refund_by_hand({ person }) {
    const { id: payment } = await merchant.collect(1_000, { simulate: true })
    const { refund_id } = await bandama('refund', 'create', '--payment', payment, '--manual', '--as', person)
    const id = String(refund_id)
    return {
      decide: (by) => command('refund', 'confirm', '--id', id, '--as', by.person, '--reference', newAddress('R')),
      write: (by) => installation.db.sql`
        update refunds set status = 'succeeded', closed_by = ${by}, hand_reference = ${newAddress('S')} where id = ${id}`,
    }
  },
  async act_of_one(first) {
    const { sql } = installation.db
    const { tenant } = await newSender(installation)
    const by = { ...first, door: 'console' } as const
    const live = { ...tenant, livemode: true }
    const made = await depositToTransfer(sql, live, 10, clock, { by, secondPersonAbove: 0 })
    assert.ok('kind' in made && made.kind === 'proposed', JSON.stringify(made))
    return {
      decide: (second) => command('deposit', 'approve', '--id', made.id, '--as', second.person),
      write: (second) => sql`
        update act_proposals set status = 'approved', decided_by = ${second}, decided_at = clock_now() where id = ${made.id}`,
    }
  },
  async adjustment({ person }) {
    const gesture = [
      '--direction',
      'credit',
      '--amount',
      '10',
      '--against',
      'fees',
      '--reason',
      'Un geste',
      '--as',
      person,
    ]
    const { adjustment_id } = await bandama('adjustment', 'propose', ...merchant.words, ...gesture)
    const id = String(adjustment_id)
    return {
      decide: (by) => command('adjustment', 'approve', '--id', id, '--as', by.person),
      write: (by) => installation.db.sql`
        update adjustments set status = 'approved', decided_by = ${by}, decided_at = clock_now() where id = ${id}`,
    }
  },
  async resumption(first) {
    const { sql } = installation.db
    const { merchant_id } = (await newSender(installation)).tenant
    const what = { scope: 'merchant', merchant_id } as const
    await stopPayouts(sql, what, first)
    await resumePayouts(sql, what, first)
    return {
      decide: async (by) => {
        const { kind } = await resumePayouts(sql, what, by)
        return kind === 'waiting' ? 'same_person' : kind
      },
      write: (by) => sql`
        update payout_stops set lifted_by = ${by}, lifted_at = clock_now() where value = ${String(merchant_id)}`,
    }
  },
  async single_person(first) {
    const { sql } = installation.db
    const { merchant_id } = (await newSender(installation)).tenant
    await member('seule', ['owner'], merchant_id)
    assert.equal((await proposeSinglePerson(sql, { merchant_id, reason: 'Une seule personne' }, first)).kind, 'done')
    return {
      decide: async (by) => wordOf(await confirmSinglePerson(sql, merchant_id, by)),
      write: (by) => sql`
        update single_person_terms set confirmed_by = ${by}, confirmed_at = clock_now() where merchant_id = ${merchant_id}`,
    }
  },
}

/** The ways in which one person lets another in. */
const ways = {
  async role(of: string, by: Actor) {
    const { merchant_id } = merchant.tenant
    assert.equal((await invitePerson(deps(), { email: of, merchant_id, roles: ['viewer'] }, by)).kind, 'invited')
  },
  async link(of: string, by: Actor) {
    await installation.db.sql`update persons set status = 'invited' where email = ${of}`
    assert.equal(
      (await invitePerson(deps(), { email: of, merchant_id: STAFF, roles: ['support'] }, by)).kind,
      'invited',
    )
    await installation.db.sql`update persons set status = 'active' where email = ${of}`
  },
  async reset(of: string, by: Actor) {
    const [row] = await installation.db.sql<{ person_id: string }[]>`select person_id from persons where email = ${of}`
    assert.equal((await resetPerson(deps(), row!.person_id, STAFF, by)).kind, 'reset')
  },
} as const

for (const name of Object.keys(begin) as (keyof typeof begin)[]) {
  for (const way of Object.keys(ways) as (keyof typeof ways)[]) {
    test(`nobody is the second person of a ${name.replaceAll('_', ' ')} that somebody began whom they let in by a ${way}`, async () => {
      const giver = await member('kofi', ['administrator'])
      const third = await member('abla', ['administrator'])
      const first = await member('ama', ['support'])
      await ways[way](first.email, giver.as)
      const host = (person: string) => actor(person)
      // A reset takes the roles with which one begins a decision. The others act here under their names on the host.
      const by = name === 'role' ? first.as : host(first.email)
      if (name === 'role' && way === 'reset')
        await installation.db.sql`update persons set status = 'active' where email = ${first.email}`
      const { decide, write } = await begin[name](by, third.as)
      assert.equal(await decide(host(giver.email)), 'same_person')
      const known: readonly string[] = decisionsOfTwo[name].checks
      await assert.rejects(
        Promise.resolve(write(giver.email)),
        (error) => known.includes(violatedConstraint(error) ?? '') || /person_roles_independent/.test(String(error)),
      )
      // After ninety days the two are as any others.
      const [tie] = await installation.db.sql`
        update person_ties set tied_at = tied_at - interval '91 days' where maker = ${giver.email} returning person`
      assert.equal(tie!.person, first.email)
      assert.notEqual(await decide(host(way === 'role' ? giver.email : third.email)), 'same_person')
    })
  }
}
