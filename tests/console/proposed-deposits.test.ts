import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readBalances } from '../../src/ledger/balances.ts'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'

// In live mode a person books deposits alone up to a sum, in one act and in a day over all merchants. Above it a second person decides.

let installation: Installation
let ama: Member
let kofi: Member
let support: Member
before(async () => {
  installation = await openInstallation()
  kofi = await openMember(installation, 'Kofi', { staff: ['finance'] })
  support = await openMember(installation, 'Sali', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

/** A merchant, and a person of finance who has booked nothing yet. */
async function newMerchant(mode: 'live' | 'test' = 'live') {
  const { merchant_id } = await installation.newMerchant()
  ama = await openMember(installation, 'Ama', { staff: ['finance'] })
  const tenant = { merchant_id, livemode: mode === 'live' }
  const page = `/desk/${mode}/merchants/${merchant_id}`
  const deposit = (deposited: string, reference: string, by = ama) =>
    by.confirm(`${page}/deposit`, { deposited, reference }, `${page}/money`)
  return {
    ...{ merchant_id, page, deposit },
    transfer: async () => (await readBalances(installation.db.sql, tenant))!.transfer,
    words: ['--merchant', String(merchant_id), '--mode', mode],
  }
}

/** The address of the proposal to which an act led. */
function proposalIn(location: string | null): string {
  const [, path] = /^(\/desk\/live\/proposals\/deposits\/prp_\w+)\?done=proposed$/.exec(location ?? '') ?? []
  assert.ok(path !== undefined, String(location))
  return path
}

const linesAbout = (merchant_id: number) => installation.db.sql<{ act: string; actor: string; proven: boolean }[]>`
  select act, actor, step_up_id is not null as proven
    from audit_log where merchant_id = ${merchant_id} and act like '%deposit%' order by at, id`

test('a deposit above the limit waits on the first page until another person confirms it, and is booked once', async () => {
  const { deposit, transfer, merchant_id } = await newMerchant()
  const { ask, done } = await deposit('100 001', 'VIR-1')
  assert.match(ask.text, /Une deuxième personne confirme d’abord/)
  const path = proposalIn(done.location)
  assert.equal(await transfer(), 0)
  const { cases } = (await kofi.facts('/desk/live')).body as { cases: { id: string; held: number }[] }
  assert.equal(cases.find(({ id }) => path.endsWith(id))?.held, 100_001)
  assert.match((await kofi.get('/desk/live')).text, /Dépôt à inscrire/)

  const mine = await ama.get(path)
  assert.match(mine.text, /Vous l’avez proposé/)
  assert.ok(!mine.text.includes(`${path}/approve`))
  assert.equal((await ama.confirm(`${path}/approve`, {}, path)).done.status, 409)
  assert.match((await support.get(path)).text, /La finance décide/)
  const theirs = await kofi.get(path)
  assert.match(theirs.text.replaceAll('\u202f', ' '), /100 001[\s\S]*VIR-1/)
  const { done: confirmed } = await kofi.confirm(`${path}/approve`, {}, path)
  assert.equal(confirmed.location, `${path}?done=confirmed`)
  assert.equal(await transfer(), 100_001)
  assert.equal((await kofi.confirm(`${path}/approve`, {}, path)).done.status, 409)
  assert.equal(await transfer(), 100_001)
  assert.deepEqual(await linesAbout(merchant_id), [
    { act: 'deposit.propose', actor: ama.email, proven: true },
    { act: 'deposit.approve', actor: kofi.email, proven: true },
  ])
})

test('the first person takes a deposit back, nobody else does, and its reference is free again', async () => {
  const { deposit, transfer, merchant_id } = await newMerchant()
  const path = proposalIn((await deposit('100 001', 'VIR-9')).done.location)
  const id = path.split('/').at(-1)!
  assert.ok(!(await kofi.get(path)).text.includes(`${path}/withdraw`))
  assert.equal((await kofi.post(`${path}/withdraw`, {}, path)).status, 409)
  assert.match((await ama.get(path)).text, new RegExp(`action="${path}/withdraw"`))
  const { sql } = installation.db
  await assert.rejects(
    sql`update act_proposals set status = 'withdrawn', decided_by = ${kofi.email}, decided_at = clock_now() where id = ${id}`,
    { code: '23514' },
  )
  assert.equal((await ama.post(`${path}/withdraw`, {}, path)).location, `${path}?done=withdrawn`)
  assert.match((await ama.get(path)).text, /Retiré/)
  assert.equal((await ama.post(`${path}/withdraw`, {}, path)).status, 409)
  assert.equal((await kofi.confirm(`${path}/approve`, {}, path)).done.status, 409)
  assert.equal(await transfer(), 0)
  const again = proposalIn((await deposit('100 001', 'VIR-9')).done.location)
  assert.notEqual(again, path)
  assert.equal((await kofi.get(`/desk/live/search?q=${id}`)).location, path)
  assert.equal((await kofi.get(`/desk/test/search?q=${id}`)).status, 200)
  assert.deepEqual(
    (await linesAbout(merchant_id)).map(({ act, actor }) => [act, actor]),
    [
      ['deposit.propose', ama.email],
      ['deposit.withdraw', ama.email],
      ['deposit.propose', ama.email],
    ],
  )
})

test('the sums of one day count together over all merchants, also of two acts at once', async () => {
  const [one, other] = [await newMerchant(), await newMerchant()]
  const both = await Promise.all(
    [one, other].map(({ page }, at) =>
      ama.ask(`${page}/deposit`, { deposited: '60000', reference: `VIR-${at}` }, `${page}/money`),
    ),
  )
  const [first, second] = both
  const answers = [await first!.answer(), await second!.answer()].map(({ location }) => location ?? '')
  assert.equal(answers.filter((location) => location.includes('done=deposited')).length, 1, answers.join())
  assert.equal(answers.filter((location) => location.includes('/proposals/deposits/')).length, 1, answers.join())
  assert.equal((await one.transfer()) + (await other.transfer()), 60_000)
  // The limit itself takes one person.
  const { done } = await other.deposit('40000', 'VIR-9')
  assert.match(done.location!, /done=deposited/)
  proposalIn((await one.deposit('1', 'VIR-10')).done.location)
  // Another person has a sum of their own.
  assert.match(
    (await one.deposit('100000', 'VIR-11', await openMember(installation, 'Awa', { staff: ['finance'] }))).done
      .location!,
    /done=deposited/,
  )
})

test('one reference waits once: the same deposit leads to the proposal that waits, and another sum is refused', async () => {
  const { deposit, transfer, words } = await newMerchant()
  const path = proposalIn((await deposit('200000', 'VIR-2')).done.location)
  assert.equal((await deposit('200000', 'VIR-2', kofi)).done.location, `${path}?done=proposed`)
  const { done } = await deposit('300000', 'VIR-2')
  assert.equal(done.status, 422)
  assert.match(done.text, /attend déjà sous cette référence/)
  // Somebody on the host books it meanwhile: the proposal books nothing more.
  await installation.bandama('deposit', ...words, '--amount', '200000', '--reference', 'VIR-2')
  const { done: late } = await kofi.confirm(`${path}/approve`, {}, path)
  assert.equal(late.status, 409)
  assert.match(late.text, /déjà inscrit sous cette référence/)
  assert.equal(await transfer(), 200_000)
  assert.equal((await kofi.post(`${path}/refuse`, {}, path)).location, `${path}?done=declined`)
  assert.match((await ama.get(path)).text, /Décidé par Kofi/)
})

test('in test mode, and for a command on the host, one person is enough', async () => {
  const test_mode = await newMerchant('test')
  assert.match((await test_mode.deposit('5000000', 'VIR-3')).done.location!, /done=deposited/)
  const { words, transfer } = await newMerchant()
  const made = await installation.bandama('deposit', ...words, '--amount', '5000000', '--as', 'ama@example.com')
  assert.match(String(made.deposit_id), /^dep_/)
  assert.equal(await transfer(), 5_000_000)
})

test('the commands decide as the desk does, and their answers have the proposal', async () => {
  const { deposit, transfer, words } = await newMerchant()
  const id = proposalIn((await deposit('150000', 'VIR-4')).done.location)
    .split('/')
    .at(-1)!
  const decide = (verb: string, as: string) => installation.bandama('deposit', verb, '--id', id, '--as', as)
  await assert.rejects(decide('approve', ama.email), /The proposer cannot decide/)
  const approved = await decide('approve', kofi.email)
  assert.deepEqual(
    [approved.proposal_id, approved.status, approved.amount, approved.proposed_by, approved.decided_by],
    [id, 'approved', 150_000, ama.email, kofi.email],
  )
  assert.match(String(approved.outcome), /^dep_/)
  assert.equal(await transfer(), 150_000)
  await assert.rejects(decide('refuse', kofi.email), /already decided/)
  // Nothing is left of it: the same reference is booked.
  await assert.rejects(
    installation.bandama('deposit', ...words, '--amount', '7', '--reference', 'VIR-4'),
    /was booked at/,
  )
})

test('the database itself refuses one person, a second decision and another sum', async () => {
  const { deposit } = await newMerchant()
  const id = proposalIn((await deposit('150000', 'VIR-5')).done.location)
    .split('/')
    .at(-1)!
  const { sql } = installation.db
  const write = async (by: string, tx: Sql | Tx = sql) => {
    const { count } = await tx`
      update act_proposals set status = 'approved', decided_by = ${by}, decided_at = clock_now() where id = ${id}`
    return count
  }
  await assert.rejects(write(ama.email.toUpperCase()), { code: '23514' })
  await assert.rejects(sql`update act_proposals set amount = 1 where id = ${id}`, { code: '23514' })
  let decided = 0
  // The second decision takes the first with it: the books have no deposit for it.
  const twice = sql.begin(async (tx) => {
    decided = await write(kofi.email, tx)
    await write(kofi.email, tx)
  })
  await assert.rejects(twice, { code: '23514' })
  assert.equal(decided, 1)
  await assert.rejects(sql`delete from act_proposals where id = ${id}`)
})
