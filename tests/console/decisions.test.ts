import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decideAdjustment } from '../../src/adjustments/decide-adjustment.ts'
import { decideCapProposal } from '../../src/payouts/caps/decide-cap-proposal.ts'
import { proposeCap } from '../../src/payouts/caps/propose-cap.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import { rightsOf, staffRoles } from '../../src/values/rights.ts'
import { newSender, type Sender } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { proposeAdjustment } from '../harness/adjustments.ts'
import { stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// The promises of every decision by a second person. A new decision needs one entry.

const AYA = 'aya@example.ci'

let installation: Installation
let sender: Sender
const members = new Map<string, Member>()
before(async () => {
  installation = await openInstallation()
  sender = await newSender(installation)
  for (const role of staffRoles) members.set(role, await openMember(installation, role, { staff: [role] }))
})
after(() => installation[Symbol.asyncDispose]())

type Decided = {
  decision: { approve: { name: string; right: string }; refuse: { name: string } }
  path: string
  table: string
  /** Makes a proposal of this person. */
  propose: (by: string) => Promise<string>
  refusal: Record<string, string>
}

let amount = 900_000
const decisions: readonly Decided[] = [
  {
    decision: decideAdjustment,
    path: '/adjustments',
    table: 'adjustments',
    refusal: {},
    async propose(by) {
      const sum = { direction: 'credit', amount: 700, counterpart: 'fees', reason: 'Un geste' } as const
      const deps = { sql: installation.db.sql, clock: createClock() }
      const made = await proposeAdjustment(deps, { ...sender.tenant, ...sum, proposed_by: actor(by) })
      assert.ok(made.kind === 'proposed')
      return made.adjustment.id
    },
  },
  {
    decision: decideCapProposal,
    path: '/caps',
    table: 'cap_proposals',
    refusal: { refusal: 'Envoyez votre bilan' },
    async propose(by) {
      amount += 1_000
      const deps = { sql: installation.db.sql, clock: createClock(), usual: readConfig({}) }
      const wish = { cap: 'day', amount, reason: 'Salaires de décembre' } as const
      const made = await proposeCap(deps, sender.tenant, wish, actor(by), 'owner')
      assert.ok(made.kind === 'proposed', JSON.stringify(made))
      return made.proposal.id
    },
  },
]

for (const { decision, path, table, propose, refusal } of decisions) {
  const { approve, refuse } = decision
  const desk = `/desk/${mode}${path}`
  const statusOf = async (id: string) =>
    (await installation.db.sql.unsafe(`select status from ${table} where id = '${id}'`))[0]!.status
  const decider = () => members.get(staffRoles.find((role) => rightsOf([role]).has(approve.right as never))!)!

  test(`${approve.name}: unknown in the other mode, and refused to roles without its right`, async () => {
    const id = await propose(AYA)
    for (const verb of ['approve', 'refuse']) {
      const elsewhere = `/desk/${otherMode}${path}/${id}/${verb}`
      assert.equal((await decider().post(elsewhere, refusal, desk)).status, 404)
      assert.equal((await decider().post(`${desk}/${id}x/${verb}`, refusal, `/desk/${mode}/account`)).status, 404)
      for (const [role, member] of members) {
        if (rightsOf([role]).has(approve.right as never)) continue
        assert.equal((await member.post(`${desk}/${id}/${verb}`, refusal, `/desk/${mode}/account`)).status, 403, role)
      }
    }
    assert.equal(await statusOf(id), 'proposed')
    await decider().post(`${desk}/${id}/refuse`, refusal, `${desk}/${id}`)
  })

  test(`${approve.name}: the proposer is refused before a factor is asked`, async () => {
    const person = decider()
    const id = await propose(person.email)
    for (const verb of ['approve', 'refuse']) {
      const own = await person.post(`${desk}/${id}/${verb}`, refusal, `/desk/${mode}/account`)
      assert.equal(own.status, 409)
      assert.equal(stepUpIn(own), '')
      assert.match(own.text, /une autre personne décide/)
    }
    assert.equal(await statusOf(id), 'proposed')
    const other = await openMember(installation, 'Second', { staff: [...staffRoles] })
    await other.post(`${desk}/${id}/refuse`, refusal, `${desk}/${id}`)
  })

  test(`${approve.name}: the person signs what they read, the act uses the proof, and is done once`, async () => {
    const id = await propose(AYA)
    const person = decider()
    const { ask, answer } = await person.ask(`${desk}/${id}/approve`, {}, `${desk}/${id}`)
    const wrong = [
      ['step_up_id', stepUpIn(ask)],
      ['secret_code', '000000'],
    ] as const
    assert.equal((await person.post(`${desk}/${id}/approve`, wrong, `${desk}/${id}`)).status, 422)
    assert.equal(await statusOf(id), 'proposed')
    const done = await answer()
    assert.equal(done.location, `${desk}/${id}?done=confirmed`)
    assert.equal(await statusOf(id), 'approved')
    const lines = await installation.db.sql<
      { act: string; actor: string; used: boolean; content: string; operation: string }[]
    >`
      select l.act, l.actor, s.used_at is not null as used, s.content, s.operation
        from audit_log l join step_ups s on s.step_up_id = l.step_up_id
       where l.subject = ${id}`
    assert.deepEqual(
      lines.map(({ act, actor: by, used, operation }) => [act, by, used, operation]),
      [[approve.name, person.email, true, approve.name]],
    )
    const signed = JSON.parse(lines[0]!.content)
    assert.equal(signed.merchant_id, sender.tenant.merchant_id)
    assert.equal(signed.requested_by, AYA)
    for (const verb of ['approve', 'refuse']) {
      const again = await person.post(`${desk}/${id}/${verb}`, refusal, `/desk/${mode}/account`)
      assert.equal(again.status, 409)
      assert.match(again.text, /Déjà décidé/)
    }
  })

  test(`${refuse.name}: needs no factor and changes nothing else`, async () => {
    const id = await propose(AYA)
    const person = decider()
    const refused = await person.post(`${desk}/${id}/refuse`, refusal, `${desk}/${id}`)
    assert.equal(refused.location, `${desk}/${id}?done=declined`)
    assert.equal(await statusOf(id), 'refused')
  })

  test(`${approve.name}: of several answers at once one counts`, async () => {
    const id = await propose(AYA)
    const people = await Promise.all(
      ['Ama', 'Kofi', 'Yao'].map((name) => openMember(installation, name, { staff: [...staffRoles] })),
    )
    const asked = await Promise.all(people.map((one) => one.ask(`${desk}/${id}/approve`, {}, `${desk}/${id}`)))
    const answers = await Promise.all(asked.map(({ answer }) => answer()))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409])
  })
}

test('a content that changes between the question and the answer is shown again, and nothing is done', async () => {
  const [, caps] = decisions
  const id = await caps!.propose(AYA)
  const person = members.get('compliance')!
  const at = `/desk/${mode}/caps/${id}`
  const { answer } = await person.ask(`${at}/approve`, {}, at)
  // The cap that is in force today is part of what the person signs.
  await installation.db.sql`
    insert into payout_caps (merchant_id, livemode, day) values (${sender.tenant.merchant_id}, ${mode === 'live'}, 123000)
    on conflict (merchant_id, livemode) do update set day = 123000`
  const changed = await answer()
  assert.equal(changed.status, 422)
  assert.match(changed.text, /123\u202f000/)
  const [row] = await installation.db.sql`select status from cap_proposals where id = ${id}`
  assert.equal(row!.status, 'proposed')
})
