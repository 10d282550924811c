import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'

// Connectors on the desk, in live mode on the operators' twin: settings, test, routes and balances.

let twin: RunningTwin
let installation: Installation
let folder: string
let kofi: Member
let ama: Member
let support: Member
const list = '/desk/live/connectors'

before(async () => {
  twin = await startTwin()
  twin.setWallet('pawapay/CIV', 5_000_000)
  folder = await mkdtemp(join(tmpdir(), 'desk-connectors-'))
  // Otherwise the worker checks the settings and reads the balance in the middle of a test.
  installation = await openInstallation({ env: { CONNECTOR_BALANCE_MINUTES: '0' } })
  await connect('main', twin.connectors().pawapay!.settings)
  // A route to a younger one takes a second person (proposed-connectors.test.ts).
  await installation.db.sql`update connectors set created_at = clock_now() - interval '2 days'`
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['operations'] })
  ama = await openMember(installation, 'Ama Koné', { staff: ['finance'] })
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

async function connect(name: string, settings: object): Promise<void> {
  const path = join(folder, `${name}.json`)
  await writeFile(path, JSON.stringify(settings))
  const words = ['--name', name, '--type', 'pawapay', '--mode', 'live', '--settings', path]
  await installation.bandama('connector', 'set', ...words, '--as', 'awa@example.com')
}
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')
const route = { operator: 'mtn_ci', direction: 'collect', through: 'main', merchant: '', min: '', max: '' }
const routes = async () =>
  ((await support.facts(list)).body as { routes: { operator: string; direction: string; connectors: string[] }[] })
    .routes

test('a connector shows its settings with masked secrets, to people with the right', async () => {
  const { api_token } = twin.connectors().pawapay!.settings as { api_token: string }
  assert.match((await support.get(list)).text, /connectors\/main/)
  for (const person of [support, kofi]) {
    const { text } = await person.get(`${list}/main`)
    assert.ok(/Jeton d’accès <span[^>]*>api_token</.test(text) && !text.includes(api_token), 'the token is masked')
  }
  const reader = await openMember(installation, 'Ann Lee', { staff: ['support'], language: 'en' })
  assert.match((await reader.get(`${list}/main`)).text, /Access token <span[^>]*>api_token</)
  assert.match(
    (await kofi.get(`${list}/main/settings`)).text,
    /<label for="set_base_url">Adresse de l’API <span[^>]*>base_url</,
  )
  const { body } = await support.facts(`${list}/main`)
  assert.ok(!JSON.stringify(body).includes(api_token))
  assert.equal((body.shown as { callback_url: string | null }).callback_url, null)
  assert.equal((await support.get('/desk/test/connectors/main')).status, 404)
  assert.equal((await support.get(`${list}/nobody`)).status, 404)
  const compliance = await openMember(installation, 'Awa Bamba', { staff: ['compliance'] })
  assert.equal((await compliance.get(list)).status, 403)
})

test('without a connector there is no form of a route, but the way to the first connector', async () => {
  const { text } = await kofi.get('/desk/test/connectors')
  assert.doesNotMatch(text, /action="[^"]*\/connectors\/routes"/)
  assert.match(text, /Reliez d’abord un opérateur[\s\S]*href="\/desk\/test\/connect"/)
  assert.match((await kofi.get(list)).text, /action="[^"]*\/connectors\/routes"/)
})

test('a button tests the settings and shows the result', async () => {
  assert.equal((await support.post(`${list}/main/check`, {}, list)).status, 403)
  const works = await kofi.post(`${list}/main/check`, {}, `${list}/main`)
  assert.equal(works.status, 200)
  assert.match(works.text, /L’opérateur accepte ces réglages/)
  const { settings } = twin.connectors().pawapay!
  await connect('wrong', { ...settings, base_url: 'http://127.0.0.1:9', api_token: 'a-token-of-nobody' })
  const fails = await kofi.post(`${list}/wrong/check`, {}, `${list}/wrong`)
  assert.equal(fails.status, 409)
  assert.match(fails.text, /role="alert"/)
  assert.match(fails.text, /base_url n’est pas joignable \(ECONNREFUSED\)\. La machine refuse la connexion/)
  assert.doesNotMatch(fails.text, /cannot be reached|anglais/)
  assert.ok(!fails.text.includes('a-token-of-nobody'))
})

test('a route is set with a fresh factor, and a wrong one is refused with the typed text', async () => {
  assert.equal((await ama.post(`${list}/routes`, route, list)).status, 403)
  const { ask, done } = await kofi.confirm(`${list}/routes`, { ...route, max: '1 000' }, list)
  assert.match(ask.text, /Aujourd’hui.*aucune route/)
  assert.equal(done.location, `${list}?done=saved`)
  assert.deepEqual(
    (await routes()).map(({ operator, direction, connectors }) => [operator, direction, connectors]),
    [['mtn_ci', 'collect', ['main']]],
  )
  for (const [fields, words] of [
    [{ through: 'main, main' }, /noms différents/],
    [{ merchant: '999999' }, /Aucun marchand/],
    [{ direction: 'constructor' }, /Choisissez ce que fait la route/],
    [{ min: '500', max: '100' }, /«\s?Au plus\s?» ne peut pas être inférieur/],
  ] as const) {
    const refused = await kofi.post(`${list}/routes`, { ...route, ...fields }, list)
    assert.equal(refused.status, 422)
    assert.match(refused.text, words)
  }
  const { done: unknown } = await kofi.confirm(`${list}/routes`, { ...route, through: 'nobody' }, list)
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /value="nobody"/)
  const { done: kept } = await kofi.confirm(`${list}/main/remove`, {}, `${list}/main`)
  assert.equal(kept.status, 409)
  assert.match(kept.text, /Une route mène encore à lui/)
  const { done: away } = await kofi.confirm(`${list}/routes`, { ...route, through: '' }, list)
  assert.equal(away.location, `${list}?done=saved`)
  assert.deepEqual(await routes(), [])
})

test('finance reads a balance and accepts exactly the one that the page showed', async () => {
  assert.equal((await kofi.post(`${list}/main/balance`, {}, `${list}/main`)).status, 403)
  const asked = await ama.post(`${list}/main/balance`, {}, `${list}/main`)
  assert.equal(asked.location, `${list}/main?done=saved`)
  assert.match(plain((await ama.get(`${list}/main`)).text), /5 000 000 F CFA/)
  const [, asked_at = ''] = /name="asked_at" value="([^"]+)"/.exec((await ama.get(`${list}/main`)).text) ?? []
  // A newer balance, read between the look at the page and the confirmation, is not the one that is accepted.
  await installation.db.sql`
    insert into connector_balances (connector, asked_at, answered_at, amount, in_flight, held, outflow_of_a_day, warnings)
    select connector, asked_at + interval '1 second', answered_at + interval '1 second', 1, 0, 0, 0, '{}' from connector_balances`
  await installation.db.sql`update connectors set check_fails = true where name = 'main'`
  for (const path of [list, `${list}/main`])
    assert.match(plain((await ama.get(path)).text), /La vérification des réglages échoue/, path)
  const { ask, done } = await ama.confirm(`${list}/main/accept`, { asked_at }, `${list}/main`)
  assert.match(plain(ask.text), /5 000 000/)
  assert.equal(done.location, `${list}/main?done=confirmed`)
  const { body } = await ama.facts(`${list}/main`)
  assert.equal((body.accepted as { amount: number }).amount, 5_000_000)
  // A repeated submission is the same decision.
  assert.equal((await ama.post(`${list}/main/accept`, { asked_at }, `${list}/main`)).location, `${list}/main`)
})

test('a connector that no route needs is removed', async () => {
  const { done } = await kofi.confirm(`${list}/wrong/remove`, {}, `${list}/wrong`)
  assert.equal(done.location, `${list}?done=removed`)
  assert.ok(!(await support.get(list)).text.includes('connectors/wrong'))
  assert.equal((await kofi.post(`${list}/wrong/remove`, {}, list)).location, `${list}?done=removed`)
})
