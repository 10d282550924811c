import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { screens } from '../../src/app/screens.ts'
import type { Screen } from '../../src/console/screen.ts'
import { visitRights } from '../../src/values/rights.ts'
import { newSender, payout, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A staff member reads a merchant's console for half an hour, with a reason that the merchant sees, and changes nothing.

let installation: Installation
let sender: Sender
let issa: Member
let owner: Member
let merchant: string
let desk: string
const ofConsole = (screens as readonly Screen[]).filter(({ door }) => door === 'console')
const id = 'txn_01k5v0e9t8fq3a7mzd4n2xw6rb'

before(async () => {
  installation = await openInstallation()
  sender = await newSender(installation)
  const { merchant_id } = sender.tenant
  merchant = `/console/${mode}/${merchant_id}`
  desk = `/desk/${mode}/merchants/${merchant_id}`
  issa = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
})
after(() => installation[Symbol.asyncDispose]())

const begin = async (person: Member = issa, reason = 'Appel du 24, paiement CMD-1039') => {
  const begun = await person.post(`${desk}/look`, { reason }, desk)
  assert.equal(begun.location, `${desk}?done=looking#look`)
  assert.match((await person.get(desk)).text, /id="look"[\s\S]*Ouvrir sa console/)
}
/** Sends a request with the session's nonce from our own page, and reads the answer as a program. */
async function act(path: string): Promise<{ status: number; code: string | undefined }> {
  const { text } = await issa.get(merchant)
  const nonce = /name="nonce" value="([^"]+)"/.exec(text)![1]!
  const headers = { cookie: issa.cookie, accept: 'application/json', 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ nonce, step_up_id: '', amount: '1000', reason: 'x', cap: 'day', name: 'x' })
  const address = new URL(path, installation.services[0]!.address)
  const answer = await fetch(address, { method: 'POST', redirect: 'manual', headers, body })
  const facts = (await answer.json()) as { error?: { code?: string } }
  return { status: answer.status, code: facts.error?.code }
}

test('staff cannot read a merchant’s console without a visit, and a visit needs a reason', async () => {
  assert.equal((await issa.get(merchant)).status, 404)
  const refused = await issa.post(`${desk}/look`, { reason: ' ' }, desk)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /Dites pourquoi/)
  assert.equal((await issa.get(merchant)).status, 404)
  const administrator = await openMember(installation, 'Root', { staff: ['administrator'] })
  assert.equal((await administrator.post(`${desk}/look`, { reason: 'x' }, `/desk/${mode}`)).status, 403)
  assert.equal((await issa.post(`/desk/${mode}/merchants/999999/look`, { reason: 'x' }, desk)).status, 404)
})

test('a visit can read every reading screen, with a banner on each, and no other screen', async () => {
  await begin()
  const wrong: string[] = []
  for (const screen of ofConsole.filter(({ method }) => method === 'GET')) {
    const path = `${merchant}${screen.path.replace(/:(\w+)/g, id)}`
    const { status, text } = await issa.get(path)
    const may = screen.right === null || visitRights.has(screen.right)
    if ((status === 403) === may) wrong.push(`${screen.path}: ${status}`)
    if (status === 200 && !text.includes('Vous lisez ce compte pour «\u00a0Appel du 24, paiement CMD-1039\u00a0»'))
      wrong.push(`${screen.path} has no banner`)
  }
  assert.deepEqual(wrong, [])
})

test('no act of any screen is possible in a visit', async () => {
  await begin()
  const acts = ofConsole.filter(({ method, only_reads }) => method === 'POST' && !only_reads)
  assert.ok(acts.length > 20)
  const wrong: string[] = []
  for (const { path } of acts) {
    const { status, code } = await act(`${merchant}${path.replace(/:(\w+)/g, id)}`)
    if (status !== 403 || code !== 'visit_only') wrong.push(`${path}: ${status} ${code}`)
  }
  assert.deepEqual(wrong, [])
})

test('a visitor may search, because the form of a search changes nothing', async () => {
  await begin()
  const { status, location } = await issa.post(`${merchant}/search/sealed`, { q: 'CMD-1039' }, merchant)
  assert.equal(status, 303)
  assert.match((await issa.get(location!)).text, /value="CMD-1039"/)
})

test('a visitor sees the end of a telephone number, on pages and in facts', async () => {
  await begin()
  // The merchant's own words have numbers too, as people write them.
  const written = ['07.08.09.10.11', '00225 0708091011', '(07) 08-09-10-11', '07  08  09  10  11']
  const asked = { ...payout(300_000), reference: written.join(', ') }
  assert.equal((await sender.send(asked)).status, 202)
  const { msisdn } = asked.beneficiary
  const [whole, last] = [msisdn.replace(/\D/g, '').slice(-10), msisdn.slice(-2)]
  const spaced = whole.replace(/\d\d\B/g, '$& ')
  const seen = async (person: Member) => {
    const { text } = await person.get(`${merchant}/approvals`)
    const [, link] = /href="([^"]*\/approvals\/por_[^"]+)"/.exec(text)!
    const page = (await person.get(link!)).text.replaceAll('\u00a0', ' ')
    return { page, facts: JSON.stringify((await person.facts(link!)).body) }
  }
  const own = await seen(owner)
  assert.ok(own.page.includes(spaced), 'the owner sees the whole number')
  for (const number of written) assert.ok(own.page.includes(number), number)
  const visitor = await seen(issa)
  assert.match(visitor.page, /Seules les personnes du marchand décident/)
  assert.ok(!visitor.page.includes('/names"') && own.page.includes('/names"'), 'a check of a name, which acts')
  assert.ok(!visitor.page.includes(spaced) && !visitor.page.includes(whole), 'the page has the whole number')
  assert.ok(!visitor.facts.includes(whole), 'the facts have the whole number')
  assert.ok(visitor.page.includes(last))
  for (const number of written) assert.ok(!`${visitor.page} ${visitor.facts}`.includes(number), number)
})

test('the merchant reads who visited and why, and both audit logs have the line', async () => {
  await begin()
  const { text } = await owner.get(`${merchant}/visits`)
  assert.match(text, /Issa Cissé/)
  assert.match(text, /«\u00a0Appel du 24, paiement CMD-1039\u00a0»/)
  assert.ok(!text.includes(issa.email), 'the address of a staff member')
  const [line] = await installation.db.sql<{ actor: string; subject: string; livemode: boolean | null }[]>`
    select actor, subject, livemode from audit_log
     where merchant_id = ${sender.tenant.merchant_id} and act = 'merchant.look' order by at desc limit 1`
  assert.deepEqual([line!.actor, line!.livemode], [issa.email, null])
})

test('a visit ends when its person ends it, when its time is over, and when they lose the right', async () => {
  await begin()
  assert.equal((await issa.get(merchant)).status, 200)
  const ended = await issa.post(`${desk}/look-end`, {}, desk)
  assert.equal(ended.location, `${desk}?done=look_ended`)
  assert.equal((await issa.get(merchant)).status, 404)

  await begin()
  const { sql } = installation.db
  await sql`update person_roles set role = 'administrator' where person_id = ${issa.person_id}`
  assert.equal((await issa.get(merchant)).status, 404)
  await sql`update person_roles set role = 'support' where person_id = ${issa.person_id}`
  assert.equal((await issa.get(merchant)).status, 200)

  await issa.post(`${desk}/look-end`, {}, desk)
  await sql`
    insert into staff_visits (merchant_id, visit_id, person, reason, begun_at, ends_at)
    values (${sender.tenant.merchant_id}, 'vis_past', ${issa.email}, 'Hier', clock_now() - interval '31 minutes',
            clock_now() - interval '1 minute')`
  assert.equal((await issa.get(merchant)).status, 404)
  await assert.rejects(
    sql`insert into staff_visits (merchant_id, visit_id, person, reason, ends_at)
        values (${sender.tenant.merchant_id}, 'vis_long', ${issa.email}, 'Longtemps', clock_now() + interval '1 hour')`,
    /staff_visits_check/,
  )
  await assert.rejects(sql`update staff_visits set ends_at = ends_at + interval '1 hour'`, /kept as it was/)
  await assert.rejects(sql`delete from staff_visits`)
})

test('a member of the merchant who is also a staff member acts as the member', async () => {
  const { merchant_id } = sender.tenant
  const both = await openMember(installation, 'Ama Koné', { staff: ['support'], merchant_id, roles: ['owner'] })
  await begin(both, 'Essai')
  const { text, status } = await both.get(merchant)
  assert.equal(status, 200)
  assert.ok(!text.includes('Vous lisez ce compte'))
})

test('the mark of a page that renews itself is taken of what the visit sees, and not of whole numbers', async () => {
  const other = await newSender(installation)
  const { merchant_id } = other.tenant
  await installation.bandama('deposit', ...other.words, '--amount', '10000')
  // A payout that waits stays open.
  await installation.bandama('payouts', 'stop', '--merchant', String(merchant_id), '--as', 'ama@example.ci')
  const wanted = payout(500)
  const { id: payout_id } = (await other.send(wanted)).json() as { id: string }
  const place = `/desk/${mode}/merchants/${merchant_id}`
  await issa.post(`${place}/look`, { reason: 'Appel du 29' }, place)
  const { text } = await issa.get(`/console/${mode}/${merchant_id}/payouts/${payout_id}`)
  const [, mark, main] = /<main[^>]* data-moving="([^"]*)"[^>]*>\n([\s\S]*)\n<\/main>/.exec(text)!
  assert.ok(!main!.replace(/\D/g, '').includes(wanted.beneficiary.msisdn.replace(/\D/g, '').slice(-10)))
  assert.equal(mark, createHash('sha256').update(main!).digest('base64url').slice(0, 16))
})
