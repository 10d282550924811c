import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setConnector } from '../../src/operators/contracts/set-connector.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { newId } from '../../src/values/ids.ts'
import { carried, type Page } from '../harness/console.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { perform } from '../harness/perform.ts'
import { type Member, openMember, seated } from '../harness/teams.ts'
import { surroundingsOf } from './stages/operators.ts'

// In live mode a source of proof takes two people: a new connector, another address or account of one, and a route to one that is younger than a day.

let twin: RunningTwin
let installation: Installation
let kofi: Member
let yao: Member
let settings: { base_url: string; api_token: string }
const list = '/desk/live/connectors'

before(async () => {
  twin = await startTwin()
  installation = await openInstallation({ own: 'sets connectors', env: { CONNECTOR_BALANCE_MINUTES: '0' } })
  settings = twin.connectors().pawapay!.settings as typeof settings
  kofi = await openMember(installation, 'Kofi Yao', { staff: ['operations'] })
  yao = await openMember(installation, 'Yao Aka', { staff: ['operations'] })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
})

/** Types settings, and answers the step-up as its page does: only with its hidden fields. */
async function typed(path: string, fields: Record<string, string>) {
  const ask = await kofi.post(path, { secret_form: 'whole', ...fields }, path)
  assert.equal(ask.status, 200, ask.text)
  return { ask, done: await kofi.post(path, { ...carried(ask), secret_code: await kofi.code() }, path) }
}

function proposalIn(location: string | null): string {
  const [, path] = /^(\/desk\/live\/proposals\/\w+\/prp_\w+)\?done=proposed$/.exec(location ?? '') ?? []
  assert.ok(path !== undefined, String(location))
  return path
}

/** Proposes a route, and commits when another person's proposal of one waits for this one. */
async function proposedFirst(name: string, other: () => Promise<Page>): Promise<Page> {
  const { sql } = installation.db
  const id = newId('prp', Date.now())
  await using first = await hold(
    sql,
    (tx) => tx`
    insert into act_proposals (merchant_id, livemode, id, act, subject, key, typed, content, proposed_by)
    values (0, true, ${id}, 'route.set', ${name}, ${name}, '{}', '{}', ${yao.email})`,
  )
  const answer = other()
  await untilWaiting(sql, { statement: 'act_proposals' })
  await first.letGo()
  return answer
}

const known = async () =>
  await installation.db.sql<{ name: string; generation: number; changed_by: string }[]>`
    select name, generation, changed_by from connectors order by name`

/** Whether any row has this text, as text or as bytes. */
async function isKept(secret: string): Promise<boolean> {
  const rows = await installation.db.sql`
    select from act_proposals r
     where strpos(r::text, ${secret}) > 0 or strpos(r::text, ${Buffer.from(secret).toString('hex')}) > 0`
  return rows.length > 0
}

test('a new connector waits with its settings sealed, and works once another person has confirmed it', async () => {
  const { base_url, api_token } = settings
  const { ask, done } = await typed('/desk/live/connect/pawapay', {
    ...{ name: 'main', set_base_url: base_url, secret_api_token: api_token },
  })
  assert.match(ask.text, /Une deuxième personne confirme d’abord/)
  const path = proposalIn(done.location)
  assert.deepEqual(await known(), [])
  assert.equal(await isKept(api_token), false)
  const mine = await kofi.get(path)
  assert.match(mine.text, /Vous l’avez proposé/)
  assert.equal((await kofi.confirm(`${path}/approve`, {}, path)).done.status, 409)
  const theirs = await yao.get(path)
  for (const words of [/main/, /api_token: \*+/]) assert.match(theirs.text, words)
  assert.ok(theirs.text.includes(base_url) && !theirs.text.includes(api_token))
  const { proposal } = (await yao.facts(path)).body as { proposal: object }
  assert.ok(!('sealed' in proposal), 'a program gets no sealed secrets')
  assert.match((await yao.get('/desk/live')).text, /Connecteur à confirmer/)
  const { ask: question, done: confirmed } = await yao.confirm(`${path}/approve`, {}, path)
  assert.ok(question.text.includes(base_url) && !question.text.includes(api_token))
  assert.equal(confirmed.location, `${list}/main?done=confirmed`)
  assert.deepEqual(await known(), [{ name: 'main', generation: 1, changed_by: kofi.email }])
  const [row] = await installation.db.sql<{ sealed: Buffer | null; outcome: string }[]>`
    select sealed, outcome from act_proposals where id = ${path.split('/').at(-1)!}`
  assert.deepEqual([row!.sealed, row!.outcome], [null, 'main'], 'the secrets are kept no longer')
  assert.match((await yao.post(`${list}/main/check`, {}, `${list}/main`)).text, /L’opérateur accepte ces réglages/)
})

test('another address of a connector takes two people, and its other settings one', async () => {
  const change = `${list}/main/settings`
  const { done: one } = await typed(change, { set_customer_message: 'Maquis' })
  assert.equal(one.location, `${list}/main?done=connector_set`)
  const elsewhere = { set_base_url: 'https://elsewhere.example', secret_api_token: 'a-new-token' }
  const path = proposalIn((await typed(change, elsewhere)).done.location)
  assert.equal((await known())[0]!.generation, 2)
  const again = await typed(change, { ...elsewhere, secret_api_token: 'another-token' }).catch((error) => error)
  assert.match(String(again), /attend déjà une deuxième personne/)
  assert.equal((await yao.post(`${path}/refuse`, {}, path)).location, `${path}?done=declined`)
  assert.equal((await known())[0]!.generation, 2)
  const second = proposalIn((await typed(change, elsewhere)).done.location)
  // Somebody changes the connector meanwhile: what was proposed for its settings before is not set.
  await typed(change, { set_customer_message: 'Garba' })
  const late = await yao.confirm(`${second}/approve`, {}, second)
  assert.equal(late.done.status, 409)
  assert.match(late.done.text, /ont changé entre-temps/)
  assert.equal((await yao.post(`${second}/refuse`, {}, second)).location, `${second}?done=declined`)
})

test('another account behind the same address takes two people', async () => {
  const path = proposalIn((await typed(`${list}/main/settings`, { secret_api_token: 'another-account' })).done.location)
  assert.match((await yao.get(path)).text, /api_token: \*+ → \*+/)
  assert.equal((await yao.post(`${path}/refuse`, {}, path)).location, `${path}?done=declined`)
})

test('a file of settings that waits brings back no secret that somebody replaced meanwhile', async () => {
  const { sql } = installation.db
  const settings = Buffer.from(JSON.stringify({ base_url: 'https://elsewhere.example', api_token: 'an-old-token' }))
  const deps = { sql, clock: createClock(), surroundings: surroundingsOf({ installation }), settings, digest: null }
  const values = { name: 'main', type: 'pawapay', mode: 'live' }
  const made = await perform(setConnector, deps, { values }, seated(kofi.email))
  assert.ok(made.kind === 'done' && 'proposal_id' in made.result, JSON.stringify(made))
  const path = `/desk/live/proposals/connectors/${made.result.proposal_id}`
  await typed(`${list}/main/settings`, { set_customer_message: 'Alloco' })
  const { done } = await yao.confirm(`${path}/approve`, {}, path)
  assert.equal(done.status, 409)
  assert.match(done.text, /ont changé depuis la demande/)
  assert.equal((await yao.post(`${path}/refuse`, {}, path)).location, `${path}?done=declined`)
})

test('settings that SECRET_KEY no longer opens cannot be confirmed, and can be refused', async () => {
  const elsewhere = { set_base_url: 'https://elsewhere.example', secret_api_token: 'a-new-token' }
  const path = proposalIn((await typed(`${list}/main/settings`, elsewhere)).done.location)
  await installation.db.sql`update act_proposals set sealed = '\\x00' where status = 'proposed'`
  const { done } = await yao.confirm(`${path}/approve`, {}, path)
  assert.equal(done.status, 409)
  assert.match(done.text, /ne s’ouvrent pas/)
  assert.equal((await yao.post(`${path}/refuse`, {}, path)).location, `${path}?done=declined`)
})

test('a route to a connector younger than a day takes two people, and later one', async () => {
  const route = { operator: 'mtn_ci', direction: 'collect', through: 'main', merchant: '', min: '', max: '' }
  const set = () => kofi.confirm(`${list}/routes`, route, list)
  const path = proposalIn((await set()).done.location)
  assert.equal(proposalIn((await set()).done.location), path, 'the same route is the one that waits')
  const { done: other } = await kofi.confirm(`${list}/routes`, { ...route, max: '5000' }, list)
  assert.equal(other.status, 422)
  assert.match(other.text, /attend déjà une deuxième personne/)
  const routes = async () => (await installation.db.sql`select changed_by from routes`).map((row) => ({ ...row }))
  assert.deepEqual(await routes(), [])
  const { ask, done } = await yao.confirm(`${path}/approve`, {}, path)
  assert.match(ask.text, /MTN[\s\S]*main/)
  assert.equal(done.location, `${list}?done=confirmed`)
  assert.deepEqual(await routes(), [{ changed_by: kofi.email }])
  // Somebody proposes another such route at the same time, and commits first.
  const payout = await kofi.ask(`${list}/routes`, { ...route, direction: 'payout' }, list)
  const answer = await proposedFirst('mtn_ci/payout', payout.answer)
  assert.equal(answer.status, 422)
  assert.match(answer.text, /attend déjà une deuxième personne/)
  await installation.db.sql`update connectors set created_at = clock_now() - interval '25 hours'`
  const { done: alone } = await kofi.confirm(`${list}/routes`, { ...route, max: '6000' }, list)
  assert.equal(alone.location, `${list}?done=saved`)
})
