import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readDeciders } from '../../src/beneficiaries/destination-deciders.ts'
import { readOwnersToTell } from '../../src/beneficiaries/first-destination.ts'
import { checkRefusal } from '../contract/answers.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { withoutTriggers } from '../harness/without-triggers.ts'

// A shop of one person gets its money: its owner proves a number of their own with 100 francs, and chooses it alone.

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'writes rows past the service' })
})
after(() => installation[Symbol.asyncDispose]())

type Shop = { settler: Settler; base: string; aya: Member }

/** A shop with money, one owner, and no destination before. */
async function newShop(): Promise<Shop> {
  const settler = await newSettler(installation, { available: 20_000 })
  const { merchant_id } = settler.tenant
  await installation.db.sql`delete from beneficiaries where merchant_id = ${merchant_id}`
  const aya = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  return { settler, base: `/console/${mode}/${merchant_id}`, aya }
}

type Proof = { proof: { session_id: string }; sale: { state: string; url: string }; chosen: boolean }
const proofAt = async ({ base, aya }: Shop, id: string) =>
  (await aya.facts(`${base}/destination/own/${id}`)).body as unknown as Proof

/** Sends the card of the page, and returns the answer. */
async function prove({ base, aya }: Shop, number: string) {
  const form = /name="form" value="([^"]+)"/.exec((await aya.get(`${base}/destination`)).text)?.[1] ?? ''
  return aya.post(`${base}/destination/own`, { form, number }, `${base}/destination`)
}

/** Proves a number and waits for its payment. Returns the id of the proof. */
async function proven(shop: Shop, number = newPayer(), state = 'paid'): Promise<string> {
  const { location, text } = await prove(shop, number)
  assert.ok(location?.startsWith(`${shop.base}/destination/own/`), text)
  const id = location!.split('/').at(-1)!
  await waitFor(async () => (await proofAt(shop, id)).sale.state === state, { what: `the proof to be ${state}` })
  return id
}

/** A page with plain spaces. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

const choose = ({ base }: Shop, who: Member, id: string) =>
  who.confirm(`${base}/destination/own/${id}/choose`, {}, `${base}/destination`)

const designated = async ({ settler: { tenant } }: Shop) => {
  const [row] = await installation.db.sql<{ id: string; msisdn: string; name: string }[]>`
    select id, msisdn, name from beneficiaries
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and designated_at is not null`
  return row ?? null
}

test('an owner who is alone pays 100 francs from their number, chooses it with a factor, and it serves a day later', async () => {
  const shop = await newShop()
  const { base, aya, settler } = shop
  const { available } = await settler.balances()
  const number = newPayer()
  const id = await proven(shop, number)
  assert.ok((await settler.balances()).available > available, 'the shop has the money')
  const { ask, done } = await choose(shop, aya, id)
  assert.ok(plain(ask.text).includes(number.replace(/\d\d\B/g, '$& ')), 'the whole number is agreed to')
  assert.match(plain(ask.text), /Aya Kouassi[\s\S]*100[\s\S]*24 h plus tard/)
  assert.equal(done.location, `${base}/destination?done=own_chosen`)
  const to = (await designated(shop))!
  assert.deepEqual([to.msisdn, to.name], [`+225${number}`, 'Aya Kouassi'])
  checkRefusal(
    await settler.request(5_000, { body: { amount: 5_000, beneficiary: to.id } }),
    422,
    'destination_trop_recente',
  )
  const { text } = await aya.get(`${base}/destination`)
  assert.match(text, /Encore (?:23 h|1 j)/)
  assert.match(text, /prouvé par un paiement et choisi par/)
  assert.equal((await choose(shop, aya, id)).done.location, done.location, 'a second tap changes nothing')
  const lines = await installation.db.sql`
    select act, step_up_id is not null as proven from audit_log
     where merchant_id = ${settler.tenant.merchant_id} and act like 'destination.%' order by at, id`
  assert.deepEqual(lines.map(({ act, proven: isProven }) => `${act} ${isProven}`).toSorted(), [
    'destination.choose_own true',
    'destination.create true',
    'destination.prove false',
  ])
})

test('all owners are told, the one who chose among them, and one who was shut out; one tap stops it', async () => {
  const shop = await newShop()
  const { base, aya, settler } = shop
  const { sql } = installation.db
  const { merchant_id } = settler.tenant
  const out = `out-${merchant_id}@example.ci`
  await sql`
    insert into audit_log (merchant_id, actor, door, act, before, after)
    values (0, 'admin@example.ci', 'console', 'person.disable', ${sql.json({ roles: [{ merchant_id, role: 'owner' }] })}, ${sql.json({ email: out })})`
  const told = await readOwnersToTell(sql, merchant_id, await readDeciders(sql, merchant_id))
  assert.deepEqual(told.toSorted(), [aya.email, out].toSorted())
  await choose(shop, aya, await proven(shop))
  const destination = (await designated(shop))!.id
  const stopped = await aya.post(`${base}/destination/stop`, { destination }, `${base}/destination`)
  assert.equal(stopped.location, `${base}/destination?done=stopped`, 'no factor is asked')
  assert.equal(await designated(shop), null)
  // After a stop nobody chooses alone again, whoever holds the telephone.
  const again = await aya.get(`${base}/destination`)
  assert.ok(!again.text.includes(`action="${base}/destination/own"`))
})

test('only the payment of this person, of this number, in this shop proves it', async () => {
  const shop = await newShop()
  const { base, aya, settler } = shop
  const { sql } = installation.db
  const { merchant_id, livemode } = settler.tenant
  const id = await proven(shop)
  const refused = async (words: RegExp) => {
    const { done } = await choose(shop, aya, id)
    assert.equal(done.status, 409)
    assert.match(done.text, words)
    assert.equal(await designated(shop), null)
  }
  const [row] = await sql<{ id: string; msisdn: string }[]>`
    select id, msisdn from payments
     where merchant_id = ${merchant_id} and livemode = ${livemode} and checkout_session_id = ${id}`
  type Row = { msisdn: string; succeeded_at: Date; status: string; amount_refunded: number }
  const change = ({ msisdn = row!.msisdn, succeeded_at = new Date(), status = 'succeeded', ...of }: Partial<Row>) =>
    sql.begin(async (tx) => {
      await withoutTriggers(tx)
      await tx`
        update payments
           set msisdn = ${msisdn}, succeeded_at = ${succeeded_at}, status = ${status}, amount_refunded = ${of.amount_refunded ?? 0}
         where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${row!.id}`
    })
  await change({ msisdn: '+2250700009999' })
  await refused(/Un autre numéro a payé/)
  await change({ succeeded_at: new Date(Date.now() - 25 * 3_600_000) })
  await refused(/plus d’un jour/)
  await change({ status: 'refunded', amount_refunded: 100 })
  await refused(/est rendu/)
  await change({})
  // Another owner has a second person, and the proof of the first.
  const awa = await openMember(installation, 'Awa Diallo', { merchant_id, roles: ['owner'] })
  assert.equal((await awa.get(`${base}/destination/own/${id}`)).status, 404)
  const taken = await awa.post(`${base}/destination/own/${id}/choose`, {}, `${base}/destination`)
  assert.equal(taken.status, 404, 'the proof of another person is not theirs')
  await refused(/Vous êtes plusieurs/)
  const other = await newShop()
  const theirs = await other.aya.post(`${other.base}/destination/own/${id}/choose`, {}, `${other.base}/destination`)
  assert.equal(theirs.status, 404)
  const elsewhere = `/console/${otherMode}/${merchant_id}/destination/own/${id}`
  assert.equal((await aya.get(elsewhere)).status, 404)
})

test('a number in another name, a payer who declines and a form sent twice change nothing', async () => {
  const shop = await newShop()
  const { base, aya } = shop
  const stranger = await prove(shop, `${newPayer().slice(0, 6)}0022`)
  assert.equal(stranger.status, 422)
  assert.match(plain(stranger.text), /sous un autre nom que « Aya Kouassi »/)
  assert.match((await prove(shop, '12')).text, /Il manque des chiffres/)
  const declined = await proven(shop, `${newPayer().slice(0, 6)}0002`, 'failed')
  assert.match((await aya.get(`${base}/destination/own/${declined}`)).text, /Rien n’a été pris[\s\S]*Recommencer/)
  const early = await choose(shop, aya, declined)
  assert.equal(early.done.status, 409)
  assert.match(early.done.text, /pas encore payés/)
  const form = /name="form" value="([^"]+)"/.exec((await aya.get(`${base}/destination`)).text)![1]!
  const typed = { form, number: newPayer() }
  const send = () => aya.post(`${base}/destination/own`, typed, `${base}/destination`)
  const [one, two] = await Promise.all([send(), send()])
  assert.equal(one.location, two.location)
  const [count] = await installation.db.sql`
    select count(*)::integer as n from payments where merchant_id = ${shop.settler.tenant.merchant_id} and msisdn = ${`+225${typed.number}`}`
  assert.equal(count!.n, 1)
})

test('another destination with the same four digits is not the number that was proven', async () => {
  const shop = await newShop()
  const { merchant_id, livemode } = shop.settler.tenant
  const number = newPayer()
  const id = await proven(shop, number)
  const iban = `CI93CI000000000000000000${number.slice(-4)}`
  await installation.db.sql`
    insert into beneficiaries (merchant_id, livemode, kind, name, iban, last4, designated_at)
    values (${merchant_id}, ${livemode}, 'settlement', 'Boutique', ${iban}, ${number.slice(-4)}, '2026-01-01T00:00:00Z')`
  assert.equal((await proofAt(shop, id)).chosen, false)
})

test('two windows of one person that choose at once designate once', async () => {
  const shop = await newShop()
  const { base, aya } = shop
  const [one, two] = [await proven(shop), await proven(shop)]
  const asked = await Promise.all(
    [one, two].map((id) => aya.ask(`${base}/destination/own/${id}/choose`, {}, `${base}/destination`)),
  )
  const answers = [await asked[0]!.answer(), await asked[1]!.answer()]
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 409])
  const rows = await installation.db.sql`
    select from destination_proposals where merchant_id = ${shop.settler.tenant.merchant_id} and proof_session_id is not null`
  assert.equal(rows.length, 1)
})
