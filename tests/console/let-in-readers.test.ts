import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { askHigherCap } from '../harness/caps.ts'
import { stepUpIn } from '../harness/console.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { openSettlementDesk, type SettlementDesk, settlementList } from './settlement-desk.ts'

// The desk offers the second half of a decision to nobody who let in the person of the first half: the act would be refused.

let desk: SettlementDesk
/** Lets Ama in: gave her a role or a link within 90 days. */
let kofi: Member
/** Has the same rights, and let nobody in. */
let lea: Member
before(async () => {
  desk = await openSettlementDesk()
  const staff = ['finance', 'compliance', 'operations']
  kofi = await openMember(desk.installation, 'Kofi Yao', { staff })
  lea = await openMember(desk.installation, 'Léa Bamba', { staff })
  await tie('0 days')
})
after(() => desk.installation[Symbol.asyncDispose]())

const tie = (ago: string) => desk.installation.db.sql`
  insert into person_ties (person, maker, tied_at)
  values (person_in(${desk.ama.email}), person_in(${kofi.email}), clock_now() - ${ago}::interval)
  on conflict (person, maker) do update set tied_at = excluded.tied_at`

/** Makes the first half of each decision, as Ama. Returns each page with the action of the form that carries out the second half. */
async function begun(): Promise<{ page: string; act: string }[]> {
  const { ama, settler, installation, validated } = desk
  const at = `/desk/${mode}/merchants/${settler.tenant.merchant_id}`
  const fields = { direction: 'credit', amount: '700', against: 'fees', reason: 'Frais pris deux fois' }
  const { done } = await ama.confirm(`${at}/adjustment`, fields, `${at}/money`)
  const adjustment = done.location!.split('?')[0]!
  const settlement = `${settlementList}/${await validated(6_000)}`
  const cap = `/desk/${mode}/caps/${await askHigherCap(installation.db.sql, settler.tenant, 600_000, ama.email)}`
  return [
    { page: adjustment, act: `${adjustment}/approve` },
    { page: settlement, act: `${settlement}/pay` },
    { page: cap, act: `${cap}/approve` },
  ]
}

test('a page offers the second half to another person, and not to whoever let in the first, for 90 days', async () => {
  const pages = await begun()
  const offers = async (who: Member, { page, act }: (typeof pages)[number]) => {
    const { status, text } = await who.get(page)
    assert.equal(status, 200, text)
    return text.includes(`action="${act}"`)
  }
  for (const one of pages) {
    assert.equal(await offers(lea, one), true, one.page)
    assert.equal(await offers(kofi, one), false, one.page)
    assert.match((await kofi.get(one.page)).text, /fait entrer/, one.page)
  }
  const listed = async (who: Member) => (await who.get(`/desk/${mode}?tab=confirm`)).text
  for (const { page } of pages) {
    assert.ok((await listed(lea)).includes(`href="${page}"`), page)
    assert.ok(!(await listed(kofi)).includes(`href="${page}"`), page)
  }
  await tie('91 days')
  for (const one of pages) assert.equal(await offers(kofi, one), true, one.page)
})

test('a person who let in the first of two who resume payouts is told so, and asked for no factor', async () => {
  const { ama } = desk
  const at = `/desk/${mode}/switch`
  const fields = { what: 'moov_ci', merchant: '' }
  await tie('0 days')
  await ama.post(`${at}/stop`, { what: 'moov_ci' }, at)
  await ama.confirm(`${at}/resume`, fields, at)
  const offers = async (who: Member) => (await who.get(at)).text.includes(`action="${at}/resume"`)
  assert.deepEqual([await offers(lea), await offers(kofi)], [true, false])
  assert.match((await kofi.get(at)).text, /vous avez fait entrer qui le demande/)
  const asked = await kofi.post(`${at}/resume`, fields, at)
  assert.deepEqual([asked.status, stepUpIn(asked)], [422, ''])
  assert.match(asked.text, /Vous avez fait entrer la personne qui le demande/)
  const { done } = await lea.confirm(`${at}/resume`, fields, at)
  assert.equal(done.location, `${at}?done=resumed`)
})
