import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { type Member, openMember } from '../harness/teams.ts'

// All people whom the service knows, for the administrators.

let installation: Installation
let root: Member
let second: Member
let merchant_id: number
const base = '/desk/live/people'
before(async () => {
  installation = await openInstallation({ waits: true })
  root = await openMember(installation, 'Rose Adou', { staff: ['administrator'] })
  second = await openMember(installation, 'Yves Adou', { staff: ['administrator'] })
  merchant_id = (await newMerchant(installation.db.sql, { name: 'Boutique Awa' })).merchant_id
})
after(() => installation[Symbol.asyncDispose]())

const member = () => openMember(installation, 'Awa Koné', { merchant_id, roles: ['owner', 'maker'] })
type Listed = {
  email: string
  status: string
  roles: { role: string; merchant_name: string | null }[]
  telephone: boolean
}

test('an administrator finds a person by a part of the address, with roles, kinds of factors and last sign-in, and no secret', async () => {
  const awa = await member()
  const { body } = await root.facts(`${base}?q=${awa.email.slice(0, -3).toUpperCase()}`)
  const [found] = body.people as Listed[]
  assert.equal(found!.email, awa.email)
  assert.deepEqual(
    found!.roles.map(({ role, merchant_name }) => [role, merchant_name]),
    [
      ['maker', 'Boutique Awa'],
      ['owner', 'Boutique Awa'],
    ],
  )
  assert.equal(found!.telephone, true)
  const page = (await root.get(`${base}/${awa.person_id}`)).text
  assert.match(page, /Awa Koné[\s\S]*Propriétaire[\s\S]*Boutique Awa/)
  assert.doesNotMatch(page, /hash|token|argon2/)
  assert.equal(((await root.facts(`${base}?q=nobody-here`)).body.people as Listed[]).length, 0)
  assert.equal((await root.get(`${base}/per_nobody`)).status, 404)
  const [compliance, support] = await Promise.all(
    ['compliance', 'support'].map((role) => openMember(installation, role, { staff: [role] })),
  )
  const read = (await compliance!.get(`${base}/${awa.person_id}`)).text
  assert.doesNotMatch(read, /\/disable/, 'who reads does not act')
  const link = `href="/desk/live/merchants/${merchant_id}"`
  assert.ok(read.includes(link), 'who reads merchants is led there')
  assert.ok(!page.includes(link), 'an administrator has the name alone')
  assert.equal((await support!.get(base)).status, 403)
})

test('people are listed in pages by their addresses', async () => {
  await installation.db.sql`
    insert into persons (person_id, email, name, status)
    select 'per_page' || n, 'page' || lpad(n::text, 3, '0') || '@example.ci', 'Page', 'invited' from generate_series(1, 60) n`
  const first = (await root.facts(`${base}?q=page`)).body as { people: Listed[]; after: string }
  assert.equal(first.people.length, 50)
  const next = (await root.facts(`${base}?q=page&after=${first.after}`)).body as { people: Listed[]; after: null }
  assert.deepEqual([next.people.length, next.people[0]!.email, next.after], [10, 'page051@example.ci', null])
})

test('an administrator resets and disables a person with a fresh factor, never themselves', async () => {
  const { sql } = installation.db
  const awa = await member()
  const at = `${base}/${awa.person_id}`
  const { ask, done } = await root.confirm(`${at}/reset`, {}, at)
  assert.match(ask.text, new RegExp(awa.email))
  assert.match(done.text, /\/console\/invitation\/[\w-]{43}/)
  const warned = `${awa.email} en était propriétaire\u00a0: ${root.email} a effacé ses moyens d’entrer`
  assert.ok((await second.get(at)).text.includes(warned), 'the second person reads whom to ask')
  assert.equal((await awa.get(`/console/live/${merchant_id}`)).status, 303, 'signed out')
  const disabled = await root.confirm(`${at}/disable`, {}, at)
  assert.equal(disabled.done.location, `${at}?done=saved`)
  const [row] = await sql`select status from persons where person_id = ${awa.person_id}`
  assert.equal(row!.status, 'disabled')
  const again = await root.post(`${at}/disable`, {}, base)
  assert.equal(again.location, `${at}?done=saved`, 'there is nothing to change, and nothing is asked')
  const own = `${base}/${root.person_id}`
  const self = await root.post(`${own}/disable`, {}, base)
  assert.equal(self.status, 409, 'refused before a factor is asked')
  const lines = await sql<{ act: string; with_proof: boolean }[]>`
    select act, step_up_id is not null as with_proof from audit_log where subject = ${awa.person_id} and actor = ${root.email} order by at, id`
  assert.deepEqual(
    [...lines],
    [
      { act: 'person.reset', with_proof: true },
      { act: 'person.disable', with_proof: true },
    ],
  )
})

test('if two administrators reset each other at once, one stays, and only a command on the host resets that one', async () => {
  const { sql } = installation.db
  const reset = (by: Member, of: Member) => {
    const at = `${base}/${of.person_id}`
    return by.ask(`${at}/reset`, {}, at)
  }
  const asked = [await reset(root, second), await reset(second, root)]
  await using held = await hold(sql, (tx) => tx`select from person_roles where merchant_id = 0 for update`)
  const both = Promise.all(asked.map(({ answer }) => answer()))
  await untilWaiting(sql, { count: 2, statement: 'person_roles' })
  await held.letGo()
  const pages = await both
  assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 409])
  const refused = pages.find(({ status }) => status === 409)!
  assert.match(
    refused.text,
    /dernier administrateur qui peut entrer\. Une personne qui a accès au serveur peut l’aider/,
  )
  const last = pages[0] === refused ? second : root
  const { link } = await installation.bandama('person', 'reset', '--id', last.person_id)
  assert.match(String(link), /\/desk\/invitation\//)
  const lines = await sql`
    select door from audit_log where act = 'person.reset' and subject in (${root.person_id}, ${second.person_id}) order by at`
  assert.deepEqual([...lines], [{ door: 'console' }, { door: 'break_glass' }])
})
