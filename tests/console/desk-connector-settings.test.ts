import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { dropLapsedConnectorDrafts } from '../../src/operators/contracts/drop-lapsed-drafts.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import type { Page } from '../harness/console.ts'
import { carried } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'

// The settings of a contract typed on the desk, in test mode on the operators' twin. No page, log or row shows a secret.

let twin: RunningTwin
let installation: Installation
let kofi: Member
let support: Member
let settings: { base_url: string; api_token: string }
const list = '/desk/test/connectors'
const create = '/desk/test/connect/pawapay'
const change = `${list}/main/settings`
const whole = { secret_form: 'whole' }

before(async () => {
  twin = await startTwin()
  installation = await openInstallation({ own: 'sets connectors' })
  settings = twin.connectors().pawapay!.settings as typeof settings
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['operations'] })
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

/** Types settings, and answers the step-up as its page does: only with its hidden fields. */
async function typed(path: string, fields: Record<string, string>): Promise<{ ask: Page; done: Page }> {
  const ask = await kofi.post(path, { ...whole, ...fields }, path)
  assert.equal(ask.status, 200, ask.text)
  const done = await kofi.post(path, { ...carried(ask), secret_code: await kofi.code() }, path)
  return { ask, done }
}

/** Finds the tables that contain a text anywhere in a row, as text or as bytes. */
async function tablesWith(secret: string): Promise<string[]> {
  const { sql } = installation.db
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const found: string[] = []
  const bytes = Buffer.from(secret).toString('hex')
  for (const { name } of tables) {
    const rows = await sql`select from ${sql(name)} r 
       where strpos(r::text, ${secret}) > 0 or strpos(r::text, ${bytes}) > 0 limit 1`
    if (rows.length > 0) found.push(name)
  }
  return found
}

const generation = async () => ((await kofi.facts(`${list}/main`)).body.shown as { generation: number }).generation
const drafts = async () => (await installation.db.sql`select from connector_drafts`).length

test('a new contract is typed once: no page, no log and no row has its secrets', async () => {
  assert.equal((await support.get('/desk/test/connect')).status, 403)
  assert.match((await kofi.get('/desk/test/connect')).text, /connect\/pawapay/)
  assert.match((await kofi.get(create)).text, /name="secret_api_token" type="password"/)
  const { base_url, api_token } = settings
  const { ask, done } = await typed(create, { name: 'main', set_base_url: base_url, secret_api_token: api_token })
  assert.deepEqual(Object.keys(carried(ask)).toSorted(), ['draft', 'step_up_id'])
  assert.match(ask.text, /nouveau secret/)
  assert.equal(done.location, `${list}/main?done=connector_set`)
  const page = await kofi.get(done.location!)
  assert.match(page.text, /Vérifiez-les maintenant/)
  for (const { text } of [ask, done, page]) assert.ok(!text.includes(api_token))
  assert.deepEqual(await tablesWith(api_token), [])
  assert.ok(!installation.services.some((service) => service.output().includes(api_token)), 'the log')
  assert.equal(await drafts(), 0, 'the draft has done its work')
  const checked = await kofi.post(`${list}/main/check`, {}, `${list}/main`)
  assert.match(checked.text, /L’opérateur accepte ces réglages/)
  const [act] = await installation.db.sql<{ actor: string; proof: string | null; after: object }[]>`
    select actor, step_up_id as proof, after from audit_log where act = 'connector.set' and subject = 'main'`
  assert.equal(act!.actor, kofi.email)
  assert.equal(act!.proof, carried(ask).step_up_id)
  assert.deepEqual(act!.after, {
    ...{ type: 'pawapay', generation: 1 },
    settings: { base_url, api_token: '********' },
  })
})

test('an empty field keeps its setting, and the replaced secret still verifies calls', async () => {
  const { ask, done } = await typed(change, { set_customer_message: 'Maquis', 'set_charges.collect.fixed': '1 000' })
  assert.match(ask.text, /vérifient encore 24\u00a0h/)
  assert.equal(done.location, `${list}/main?done=connector_set`)
  const { body } = await kofi.facts(`${list}/main`)
  const shown = body.shown as { settings: object; also_verifying: number[] }
  assert.deepEqual(shown.settings, {
    ...{ base_url: settings.base_url, api_token: '********', customer_message: 'Maquis' },
    'charges.collect.fixed': 1_000,
  })
  assert.deepEqual(shown.also_verifying, [1])
  assert.match((await kofi.post(`${list}/main/check`, {}, `${list}/main`)).text, /L’opérateur accepte ces réglages/)
  const { done: taken } = await typed(change, { drop: 'customer_message' })
  assert.equal(taken.status, 303)
  const after = (await kofi.facts(`${list}/main`)).body.shown as { settings: object }
  assert.ok(!('customer_message' in after.settings) && 'api_token' in after.settings)
})

test('a wrong value is refused at its field, and all typed text stays except secrets', async () => {
  const token = 'a token with spaces'
  for (const [fields, field, words] of [
    [{ set_base_url: 'http://a.example' }, 'set_base_url', /base_url doit commencer par https/],
    [
      { secret_api_token: token },
      'secret_api_token',
      /api_token doit avoir 8 à 4096 caractères, sans espaces ni accents/,
    ],
    [{ set_float_hours: 'beaucoup' }, 'set_float_hours', /float_hours doit être un nombre entier/],
    [{ secret_signing_private_key: 'no key', set_signing_key_id: 'k1' }, 'secret_signing_private_key', /PEM/],
    [{ set_signing_key_id: 'k1' }, 'set_signing_key_id', /vont ensemble\u00a0: donnez les deux/],
  ] as const) {
    const refused = await kofi.post(change, { ...whole, ...fields }, change)
    assert.equal(refused.status, 422)
    assert.match(refused.text, new RegExp(`id="${field}-e"`))
    assert.match(refused.text, words)
    assert.ok(!refused.text.includes(token))
    for (const [name, value] of Object.entries(fields))
      assert.equal(refused.text.includes(`value="${value}"`), !name.startsWith('secret_'))
  }
  const nothing = await kofi.post(change, whole, change)
  assert.match(nothing.text, /Rien n’est tapé/)
  const named = await kofi.post(create, { ...whole, name: 'Main' }, create)
  assert.match(named.text, /id="name-e"/)
  const used = { ...whole, name: 'main', set_base_url: 'https://other.example', secret_api_token: 'token-two' }
  assert.match((await kofi.post(create, used, create)).text, /id="name-e"/)
  const same = await kofi.post(
    create,
    { ...whole, name: 'second', set_base_url: settings.base_url, secret_api_token: settings.api_token },
    create,
  )
  assert.match(same.text, /atteint déjà ce compte/)
  assert.equal(await drafts(), 0, 'nothing is kept of what is refused')
})

test('a PEM key is read from a field of one line', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const fields = { set_signing_key_id: 'k1', secret_signing_private_key: pem.replaceAll('\n', '') }
  const { done } = await typed(change, fields)
  assert.equal(done.status, 303, done.text)
  assert.deepEqual(await tablesWith(pem.split('\n')[1]!), [])
})

test('after a wrong code the page asks again for the same draft, which its session carries out once', async () => {
  const before = await generation()
  const ask = await kofi.post(change, { ...whole, set_customer_message: 'Encore un' }, change)
  const wrong = await kofi.post(change, { ...carried(ask), secret_code: '000000' }, change)
  assert.equal(wrong.status, 422)
  assert.equal(carried(wrong).draft, carried(ask).draft)
  const yao = await openMember(installation, 'Yao Kofi', { staff: ['operations'] })
  const stolen = await yao.post(change, { draft: carried(ask).draft!, secret_code: await yao.code() }, change)
  assert.equal(stolen.status, 422)
  assert.match(stolen.text, /la page a trop attendu/)
  const answer = { ...carried(wrong), secret_code: await kofi.code() }
  assert.equal((await kofi.post(change, answer, change)).status, 303)
  assert.equal(await generation(), before + 1)
  assert.match((await kofi.post(change, answer, change)).text, /la page a trop attendu/)
  assert.equal(await generation(), before + 1)
})

test('a change of settings is refused when another person changed them meanwhile', async () => {
  const ask = await kofi.post(change, { ...whole, set_customer_message: 'La mienne' }, change)
  const before = await generation()
  const ama = await openMember(installation, 'Ama Yao', { staff: ['operations'] })
  const theirs = await ama.post(change, { ...whole, set_customer_message: 'La leur' }, change)
  assert.equal((await ama.post(change, { ...carried(theirs), secret_code: await ama.code() }, change)).status, 303)
  const refused = await kofi.post(change, { ...carried(ask), secret_code: await kofi.code() }, change)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /ont changé entre-temps/)
  assert.match(refused.text, /value="La mienne"/)
  assert.equal(await generation(), before + 1)
})

test('a form that lost its secrets to a new sign-in changes nothing', async () => {
  const before = await generation()
  const refused = await kofi.post(change, { set_customer_message: 'Sans secret' }, change)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /les secrets ne sont pas gardés/)
  assert.equal(await generation(), before)
})

test('a draft that waited too long is dropped', async () => {
  const ask = await kofi.post(change, { ...whole, set_customer_message: 'Trop tard' }, change)
  await installation.db.sql`update connector_drafts set expires_at = clock_now() - interval '1 second'`
  const late = await kofi.post(change, { ...carried(ask), secret_code: await kofi.code() }, change)
  assert.equal(late.status, 422)
  assert.match(late.text, /la page a trop attendu/)
  assert.ok((await dropLapsedConnectorDrafts(installation.db.sql)) > 0)
  assert.equal(await drafts(), 0)
})

test('a removed contract can be restored from its own page', async () => {
  const { done } = await kofi.confirm(`${list}/main/remove`, {}, `${list}/main`)
  assert.equal(done.location, `${list}?done=removed`)
  assert.match((await kofi.get(`${list}/main`)).text, /Remettre en service/)
  const { done: back } = await typed(change, {})
  assert.equal(back.location, `${list}/main?done=connector_set`)
  assert.match((await support.get(list)).text, /connectors\/main/)
  assert.equal((await support.get(change)).status, 403)
  assert.equal((await kofi.get('/desk/live/connectors/main/settings')).status, 404)
  assert.equal((await kofi.get('/desk/test/connect/nothing')).status, 404)
})
