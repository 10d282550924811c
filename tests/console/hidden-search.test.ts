import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordAct } from '../../src/audit-log/record-act.ts'
import { SEALED, showHidden } from '../../src/console/hidden-search.ts'
import { readQuery } from '../../src/console/read-query.ts'
import { createClock } from '../../src/platform/clock.ts'
import { seal } from '../../src/platform/sealing.ts'
import { type Collector, newCollector } from '../contract/collector.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// A form of a search posts its text, and no address that the service writes has a phone number or an e-mail address.

let installation: Installation
let collector: Collector
let owner: Member
let console: string
const desk = `/desk/${mode}`

before(async () => {
  installation = await openInstallation()
  collector = await newCollector(installation)
  const { merchant_id } = collector.tenant
  console = `/console/${mode}/${merchant_id}`
  owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
})
after(() => installation[Symbol.asyncDispose]())

/** Submits the search of a page, and returns the address of its results. */
async function seek(person: Member, at: string, fields: Record<string, string>): Promise<string> {
  const { status, location, text } = await person.post(`${at}/sealed`, fields, at)
  assert.equal(status, 303, text)
  return location!
}
const idsAt = async (person: Member, path: string) =>
  ((await person.facts(path)).body.hits as { id: string }[]).map(({ id }) => id)

test('the address of a result shows the search to everybody who may open it, without the number', async () => {
  const to = newPayer()
  const { id } = await collector.collect(7_300, { to })
  const issa = await openMember(installation, 'Issa Cissé', { staff: ['finance'] })
  const kofi = await openMember(installation, 'Kofi Yao', { staff: ['support'] })
  const fields = { q: ` ${to} `, amount: '7 300', day: '', merchant: '' }
  for (const path of [`${desk}/search`, `${desk}/refunds/find`]) {
    const found = await seek(issa, path, fields)
    assert.match(found, /\?amount=7\+300&sealed=[\w-]+$/)
    assert.ok(!found.includes(to.slice(-8)), found)
    assert.deepEqual(await idsAt(issa, found), [id])
    const page = await issa.get(found)
    assert.ok(page.text.includes(`action="${path}/sealed"`) && page.text.includes(`value="${to}"`))
    assert.doesNotMatch(page.text, new RegExp(`(?:href|action)="[^"]*${to.slice(-8)}`))
    if (path.endsWith('search')) assert.deepEqual(await idsAt(kofi, found), [id], 'shared with a colleague')
  }
  const found = await seek(owner, `${console}/search`, { q: to })
  const { body } = await owner.facts(found)
  assert.deepEqual(
    (body.hits as { operation: { id: string } }[]).map(({ operation }) => operation.id),
    [id],
  )
  const home = await owner.get(console)
  assert.match(
    home.text,
    new RegExp(`<form method="post" class="find" role="search" action="${console}/search/sealed">`),
  )
})

test('a filter by a number stays in the links of its list, encrypted', async () => {
  const book = `${console}/beneficiaries`
  const msisdn = newPayer()
  await owner.post(book, { name: 'Yves Diaby', msisdn, operator: 'wave_ci' }, `${book}/new`)
  await owner.post(book, { name: 'Ama Yao', msisdn: newPayer(), operator: 'wave_ci' }, `${book}/new`)
  const found = await seek(owner, book, { text: msisdn, operator: 'wave_ci', state: '' })
  assert.match(found, /\?operator=wave_ci&sealed=[\w-]+$/)
  const { text } = await owner.get(found)
  assert.ok(text.includes('Yves Diaby') && !text.includes('Ama Yao'))
  const [, without] = /class="chips"><a href="([^"]+)"/.exec(text)!
  const wider = await owner.get(without!.replaceAll('&amp;', '&'))
  assert.match(without!, /\?sealed=[\w-]+$/)
  assert.ok(wider.text.includes('Yves Diaby') && !wider.text.includes('Ama Yao'))
  assert.doesNotMatch(text, new RegExp(`(?:href|action)="[^"]*${msisdn.slice(-8)}`))
})

test('a search for people and a filter of the audit log keep the e-mail address out of the address of every page', async () => {
  const root = await openMember(installation, 'Rose Adou', { staff: ['administrator'] })
  const awa = await openMember(installation, 'Awa Koné', {})
  const lines = Array.from({ length: 60 }, (_, n) => `line${n}`)
  await installation.db.sql.begin(async (tx) => {
    for (const subject of lines)
      recordAct(
        tx,
        { merchant_id: collector.tenant.merchant_id, livemode: null },
        { actor: actor(awa.email), act: 'caps.set', subject },
      )
  })
  const spoken = /(?:href|action)="[^"]*(?:@|%40)/

  const found = await seek(root, `${desk}/people`, { q: awa.email })
  assert.match(found, /\?sealed=[\w-]+$/)
  const people = await root.facts(found)
  assert.deepEqual(
    (people.body.people as { email: string }[]).map(({ email }) => email),
    [awa.email],
  )
  assert.doesNotMatch((await root.get(found)).text, spoken)

  const log = await seek(root, `${desk}/audit`, { person: awa.email, act: 'caps.set', merchant: '', on: '', until: '' })
  assert.match(log, /\?act=caps\.set&sealed=[\w-]+$/)
  const { text } = await root.get(log)
  assert.doesNotMatch(text, spoken)
  const [, older] = /href="([^"]+after=[^"]+)"/.exec(text)!
  const acts = (await root.facts(older!.replaceAll('&amp;', '&'))).body.acts as { actor: string }[]
  assert.deepEqual(new Set(acts.map(({ actor }) => actor)), new Set([awa.email]), 'the next page has the same filter')
  assert.equal(acts.length, 10)
})

test('an address that was changed, or that belongs to another place, shows no search and says so', async () => {
  const other = await newCollector(installation)
  const stranger = await openMember(installation, 'Awa Koné', {
    merchant_id: other.tenant.merchant_id,
    roles: ['owner'],
  })
  const found = await seek(owner, `${console}/search`, { q: newPayer() })
  const [, token] = found.split('sealed=')
  const elsewhere = `/console/${mode}/${other.tenant.merchant_id}/search?sealed=${token}`
  for (const [person, path] of [
    [stranger, elsewhere],
    [owner, `${console}/search?sealed=${token!.slice(0, -4)}AAAA`],
    [owner, `${console}/search?sealed=x`],
    [owner, `${console}/beneficiaries?sealed=${token}`],
  ] as const) {
    const { status, text } = await person.get(path)
    assert.equal(status, 200)
    assert.match(text, /Cette adresse d’une recherche n’est plus valable/, path)
  }
  assert.doesNotMatch((await owner.get(found)).text, /n’est plus valable/)
})

test('an address shows its search for an hour', () => {
  const clock = createClock()
  const keys = { kept_key: Buffer.alloc(32, 7), clock }
  const shownAfter = (minutes: number) => {
    const text = `${clock.now().getTime() - minutes * 60_000} ${'é'.repeat(255)}`
    const token = seal(keys.kept_key, text, 'search /desk/live/search').toString('base64url')
    const query = readQuery(`/desk/live/search?${SEALED}=${token}`, ['q', SEALED])
    return showHidden(keys, { hides: 'q' }, '/desk/live/search', query).get('q')
  }
  assert.equal(shownAfter(59), 'é'.repeat(255))
  assert.equal(shownAfter(61), null)
})
