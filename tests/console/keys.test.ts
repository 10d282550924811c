import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Actor } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { openBrowser } from '../harness/console.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { createKey } from '../harness/keys.ts'
import { newMerchant } from '../harness/merchant.ts'
import { startService } from '../harness/start-service.ts'
import { type Member, openMember, type Place } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

let db: TestDatabase
let service: Awaited<ReturnType<typeof startService>>
let place: Place
let owner: Member
let tenant: Tenant
let at: (path: string, mode?: string) => string

before(async () => {
  db = await openTestDatabase()
  service = await startService({ url: db.url })
  const { merchant_id } = await newMerchant(db.sql)
  tenant = { merchant_id, livemode: true }
  place = { db, services: [service], secret_key: service.secret_key }
  owner = await openMember(place, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  at = (path, mode = 'live') => `/console/${mode}/${merchant_id}${path}`
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

const by = (person: string): Actor => ({ person, door: 'console', from: null, step_up_id: null })

async function make(name: string, scope: 'collect' | 'payout', person = 'serge@example.ci') {
  const wanted = { key_prefix: 'bdm', scope, name, needs_confirmation: scope === 'payout' }
  return createKey(db.sql, tenant, wanted, by(person))
}

test('the list shows the scopes and the maker of each key, and never a key', async () => {
  const { key_id, key } = await make('Boutique en ligne', 'collect')
  const { text, status } = await owner.get(at('/keys'))
  assert.equal(status, 200)
  for (const words of ['Boutique en ligne', 'Encaisser', 'serge@example.ci', key_id, 'jamais'])
    assert.ok(text.includes(words), words)
  assert.ok(!text.includes(key.reveal().slice(26)), 'the secret is nowhere')
  assert.ok(!(await owner.get(at('/keys', 'test'))).text.includes(key_id), 'the other mode has its own')
  const { body } = await owner.facts(at('/keys'))
  assert.ok((body.keys as { key_id: string; status: string }[]).some((one) => one.key_id === key_id))
})

test('a refused form of a new key keeps the typed text and shows the errors', async () => {
  const typed = { name: '', scope: 'payout', addresses: '192.0.2.0/24\nnowhere' }
  const { status, text } = await owner.post(at('/keys'), typed, at('/keys/new'))
  assert.equal(status, 422)
  assert.match(text, /Donnez un nom/)
  assert.match(text, /«\u00a0nowhere\u00a0» ne se lit pas/)
  assert.match(text, /192\.0\.2\.0\/24\nnowhere/)
  assert.match(text, /value="payout" checked/)
})

test('invalid addresses are shown again at their key, and nothing changes', async () => {
  const { key_id } = await make('Caisse', 'collect')
  const { status, text } = await owner.post(
    at(`/keys/${key_id}/addresses`),
    { [`addresses_${key_id}`]: 'ici' },
    at('/keys'),
  )
  assert.equal(status, 422)
  assert.match(text, /aria-invalid="true"[^>]*>ici</)
})

test('the errors of a key of the second page are shown too', async () => {
  const { merchant_id } = await newMerchant(db.sql)
  const other = await openMember(place, 'Yao Konan', { merchant_id, roles: ['owner'] })
  const keys = `/console/live/${merchant_id}/keys`
  const ids: string[] = []
  for (let n = 0; n < 51; n += 1) {
    const wanted = { key_prefix: 'bdm', scope: 'collect' as const, name: `Serveur ${n}`, needs_confirmation: false }
    ids.push((await createKey(db.sql, { merchant_id, livemode: true }, wanted, by(other.email))).key_id)
  }
  const first = (await other.get(keys)).text
  const last = ids.find((key_id) => !first.includes(key_id))!
  const { text } = await other.post(`${keys}/${last}/addresses`, { [`addresses_${last}`]: 'ici' }, keys)
  assert.match(text, /aria-invalid="true"[^>]*>ici</)
})

test('a key’s form shows a single address as that address and a network as that network, in both families', async () => {
  const { key_id } = await make('Serveurs', 'collect')
  const typed = ['192.0.2.7', '192.0.2.0/24', '2001:db8::', '2001:db8::/32'].join('\n')
  const { done } = await owner.confirm(at(`/keys/${key_id}/addresses`), { [`addresses_${key_id}`]: typed }, at('/keys'))
  assert.equal(done.location, at('/keys?done=saved'))
  assert.ok((await owner.get(at('/keys'))).text.includes(`>${typed}</textarea>`))
})

test('the list names the people of a key, and the address of its last refused call', async () => {
  const { key_id, key } = await make('Bureau', 'collect', owner.email)
  await owner.confirm(at(`/keys/${key_id}/addresses`), { [`addresses_${key_id}`]: '192.0.2.7' }, at('/keys'))
  const use = () =>
    fetch(new URL('/x/balances', service.address), { headers: { authorization: `Bearer ${key.reveal()}` } })
  await waitFor(async () => (await use()).status === 401, { what: 'the restriction' })
  const listed = async () => (await owner.get(at('/keys'))).text.replaceAll('\u00a0', ' ')
  await waitFor(async () => (await listed()).includes('127.0.0.1 n’est pas une adresse permise.'), {
    what: 'the refused call',
  })
  await owner.confirm(at(`/keys/${key_id}/revoke`), {}, at('/keys'))
  assert.match(await listed(), /Bureau[\s\S]*Révoquée<\/dt><dd[^>]*>Aya Kouassi,/)
})

test('the maker of a key that sends money reads that another person confirms it', async () => {
  const { key_id } = await make('Paie', 'payout', owner.email)
  const { status, text } = await owner.post(at(`/keys/${key_id}/confirm`), {}, at('/keys'))
  assert.equal(status, 409)
  assert.match(text, /une autre personne la confirme/)
})

test('a key of the other mode or of another merchant is not found', async () => {
  const { key_id } = await make('Ailleurs', 'collect')
  const { merchant_id: other } = await newMerchant(db.sql)
  const stranger = await openBrowser(db.sql, service.address, { merchant_id: other, roles: ['owner'] })
  for (const act of ['confirm', 'revoke', 'addresses']) {
    assert.equal((await owner.post(at(`/keys/${key_id}/${act}`, 'test'), {}, at('/keys'))).status, 404, act)
    const theirs = `/console/live/${other}/keys`
    assert.equal((await stranger.post(`${theirs}/${key_id}/${act}`, {}, theirs)).status, 404, act)
  }
  assert.equal((await stranger.get(at('/keys'))).status, 404)
})

test('a person without the right reads which roles have it', async () => {
  const { merchant_id } = tenant
  const viewer = await openBrowser(db.sql, service.address, { merchant_id, roles: ['viewer'] })
  const { status, text } = await viewer.get(at('/keys'))
  assert.equal(status, 403)
  assert.match(text, /Développeur/)
})

test('one person makes a key that sends money, which is shown once, and it works once another has confirmed it, each with a fresh factor', async () => {
  const { merchant_id } = tenant
  const approver = await openMember(place, 'Fatou Bamba', { merchant_id, roles: ['approver'] })
  const fields = { name: 'Paie', scope: 'payout', addresses: '' }
  const { text } = (await owner.confirm(at('/keys'), fields, at('/keys/new'))).done
  const key = /bdm_sk_live_[0-9a-z]{71}/.exec(text)![0]
  const use = async () => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(new URL('/v1-settlements', service.address), { headers })).status
  }
  assert.equal(await use(), 401, 'nobody has confirmed it')
  const refusal = await fetch(new URL('/v1-settlements', service.address), {
    headers: { authorization: `Bearer ${key}` },
  })
  const { error } = (await refusal.json()) as { error: { code: string; message: string } }
  assert.equal(error.code, 'invalid_api_key')
  assert.match(error.message, /waits for its second person/)
  assert.ok(!(await owner.get(at('/keys'))).text.includes(key.slice(26)), 'it is never shown again')
  const key_id = key.slice(12, 25)
  const { done } = await approver.confirm(at(`/keys/${key_id}/confirm`), {}, at('/keys'))
  assert.equal(done.location, at('/keys?done=confirmed'))
  await waitFor(async () => (await use()) === 200, { what: 'the key to work' })
  const again = await approver.post(at(`/keys/${key_id}/confirm`), {}, at('/keys'))
  assert.equal(again.location, at('/keys?done=confirmed'), 'a second tap is the same decision')
  const acts =
    await db.sql`select act, actor, step_up_id is not null as proven from audit_log where subject = ${key_id} order by at`
  assert.deepEqual(acts, [
    { act: 'key.create', actor: owner.email, proven: true },
    { act: 'key.confirm', actor: approver.email, proven: true },
  ])
})
