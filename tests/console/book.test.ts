import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inline, newNumber, newSender, type Sender } from '../contract/sender.ts'
import { type Browser, openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'

let installation: Installation
let sender: Sender
let base: string
let owner: Browser
before(async () => {
  installation = await openInstallation()
  sender = await newSender(installation, { funds: 100_000 })
  const { merchant_id, livemode } = sender.tenant
  base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  owner = await open(['owner'])
})
after(() => installation[Symbol.asyncDispose]())

function open(roles: readonly string[], merchant_id = sender.tenant.merchant_id): Promise<Browser> {
  return openBrowser(installation.db.sql, installation.services[0]!.address, { merchant_id, roles })
}

type Entry = { id: string; name: string; added_by: string; last_sent_at: string | null; number: string }
const entriesAt = async (query: string) => (await owner.facts(`${base}/beneficiaries${query}`)).body.entries as Entry[]

/** Adds an entry as a person does. Returns the address of its page. */
async function add(name: string, msisdn = newNumber(), operator = 'wave_ci') {
  const { location, text } = await owner.post(
    `${base}/beneficiaries`,
    { name, msisdn, operator },
    `${base}/beneficiaries/new`,
  )
  assert.ok(location !== null, text)
  const [, id, done] = /beneficiaries\/([0-9a-f-]{36})\?done=(\w+)$/.exec(location)!
  return { id: id!, done }
}

test('a person adds an entry, which names them; the same number again leads to the same entry', async () => {
  const msisdn = newNumber()
  const { id, done } = await add('Tissus Adjamé', msisdn)
  assert.equal(done, 'added')
  const page = await owner.get(`${base}/beneficiaries/${id}`)
  for (const words of ['Tissus Adjamé', 'Wave', 'Ajouté au carnet par', 'vous', msisdn.slice(-2)])
    assert.ok(page.text.includes(words), words)
  assert.ok(!page.text.includes(msisdn.slice(-9)), 'the number is masked')
  assert.deepEqual(await add('Un autre nom', msisdn), { id, done: 'in_book' })
  const [line] = await installation.db.sql`select actor, act from audit_log where subject = ${id}`
  assert.deepEqual(line, { actor: owner.email, act: 'beneficiary.add' })
})

test('an entry from a payout shows its API key and the time of the last payout', async () => {
  const answer = await sender.send({ amount: 1_000, beneficiary: { ...inline(), name: 'Yves Kouadio' } })
  assert.equal(answer.status, 201, answer.text)
  const [entry] = await entriesAt('?text=yves')
  assert.match(entry!.added_by, /^key:/)
  assert.notEqual(entry!.last_sent_at, null)
  assert.match((await owner.get(`${base}/beneficiaries`)).text, /Clé d’API/)
  const { text } = await owner.get(`${base}/beneficiaries/${entry!.id}`)
  assert.match(text, /1\u202f000/)
})

test('the list has filters by state, operator and text, and each can be removed', async () => {
  const msisdn = newNumber()
  const { id } = await add('Aminata Diaby', msisdn, 'orange_ci')
  const found = async (query: string) => (await entriesAt(query)).map((entry) => entry.id)
  for (const query of [
    '?text=DIABY',
    `?text=${msisdn}`,
    `?text=${msisdn.slice(-4)}`,
    '?operator=orange_ci&text=aminata',
  ])
    assert.ok((await found(query)).includes(id), query)
  for (const query of ['?text=personne', '?operator=wave_ci&text=diaby', '?state=archived&text=diaby'])
    assert.ok(!(await found(query)).includes(id), query)
  const page = await owner.get(`${base}/beneficiaries?text=diaby&operator=orange_ci`)
  assert.equal(page.text.match(/Retirer le filtre/g)?.length, 2)
  assert.match((await owner.get(`${base}/beneficiaries?text=personne`)).text, /Personne ne correspond/)
})

test('an entry is archived once, shows who archived it, and leaves the list', async () => {
  const { id } = await add('Koffi Yao')
  const archive = () => owner.post(`${base}/beneficiaries/${id}/archive`, {}, `${base}/beneficiaries/${id}`)
  assert.equal((await archive()).location, `${base}/beneficiaries/${id}?done=archived`)
  const [before] = await installation.db.sql`select archived_by, archived_at from beneficiaries where id = ${id}`
  const maker = await open(['maker'])
  await maker.post(`${base}/beneficiaries/${id}/archive`, {}, `${base}/beneficiaries/new`)
  const [after] = await installation.db.sql`select archived_by, archived_at from beneficiaries where id = ${id}`
  assert.deepEqual(after, before, 'a second tap changes nothing')
  assert.equal(before!.archived_by, owner.email)
  assert.match((await owner.get(`${base}/beneficiaries/${id}`)).text, /Archivé par/)
  assert.ok(!(await entriesAt('')).some((entry) => entry.id === id))
  assert.ok((await entriesAt('?state=archived')).some((entry) => entry.id === id))
})

test('a refused form keeps the typed text and shows each error', async () => {
  const typed = { name: 'A', msisdn: '12', operator: '' }
  const { status, text } = await owner.post(`${base}/beneficiaries`, typed, `${base}/beneficiaries/new`)
  assert.equal(status, 422)
  for (const words of [/2 à 200 lettres/, /ne se lit pas/, /Choisissez l’opérateur/, /value="12"/])
    assert.match(text, words)
})

test('the next page begins after the last entry, and no entry is shown twice', async () => {
  const other = await newSender(installation)
  const { merchant_id, livemode } = other.tenant
  const reader = await open(['viewer'], merchant_id)
  await installation.db.sql`
    insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4, created_at)
    select ${merchant_id}, ${livemode}, 'payout', 'Numéro ' || n, 'mtn_ci', '+22505000' || lpad(n::text, 5, '0'),
           lpad(n::text, 4, '0'), clock_now() + (n % 3) * interval '1 microsecond'
      from generate_series(1, 120) n`
  const list = `/console/${livemode ? 'live' : 'test'}/${merchant_id}/beneficiaries`
  const seen: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { body } = await reader.facts(`${list}?after=${after}`)
    seen.push(...(body.entries as Entry[]).map(({ id }) => id))
    after = body.after as string | null
  }
  assert.equal(seen.length, 120)
  assert.equal(new Set(seen).size, 120)
})

test('a person without the right adds nothing; another merchant and the other mode have books of their own', async () => {
  const { id } = await add('Mariam Traoré')
  const viewer = await open(['viewer'])
  assert.equal((await viewer.get(`${base}/beneficiaries/new`)).status, 403)
  assert.ok(!(await viewer.get(`${base}/beneficiaries/${id}`)).text.includes('/archive'))
  for (const path of ['/beneficiaries', `/beneficiaries/${id}/archive`])
    assert.equal((await viewer.post(`${base}${path}`, {}, `${base}/account`)).status, 403, path)
  const elsewhere = `/console/${otherMode}/${sender.tenant.merchant_id}`
  assert.equal((await owner.get(`${elsewhere}/beneficiaries/${id}`)).status, 404)
  const other = await newSender(installation)
  const stranger = await open(['owner'], other.tenant.merchant_id)
  const theirs = base.replace(/\d+$/, String(other.tenant.merchant_id))
  assert.equal((await stranger.get(`${theirs}/beneficiaries/${id}`)).status, 404)
  assert.equal((await stranger.post(`${theirs}/beneficiaries/${id}/archive`, {}, `${theirs}/account`)).status, 404)
  assert.equal((await stranger.get(`${base}/beneficiaries`)).status, 404)
})

test('this book does not show settlement destinations', async () => {
  const { merchant_id, livemode } = sender.tenant
  const [row] = await installation.db.sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4)
    values (${merchant_id}, ${livemode}, 'settlement', 'Caisse', 'wave_ci', '+2250700000099', '0099')
    returning id`
  assert.equal((await owner.get(`${base}/beneficiaries/${row!.id}`)).status, 404)
  assert.equal(
    (await owner.post(`${base}/beneficiaries/${row!.id}/archive`, {}, `${base}/beneficiaries/new`)).status,
    404,
  )
  assert.ok(!(await entriesAt('')).some(({ id }) => id === row!.id))
})
