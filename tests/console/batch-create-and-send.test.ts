import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { inline, newNumber } from '../contract/sender.ts'
import { stepUpIn } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { batchesOf, batchIdIn, confirmed, csv, draftOf, newShop, read, type Shop, tickIn } from './batch-shop.ts'

// Making and sending a batch as one confirmation.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const VERSION = { version: '1' }
const wages = () => csv(`Awa Koné;${newNumber()};;16000;A`, `Yao Brou;${newNumber('0002')};;15000;B`)

/** The francs and the number of the payouts of a merchant. */
async function sentBy({ sender }: Shop) {
  const [row] = await installation.db.sql<{ count: number; sum: number }[]>`
    select count(*)::integer, coalesce(sum(amount), 0)::bigint as sum
      from payouts
     where merchant_id = ${sender.tenant.merchant_id}`
  return { ...row! }
}

const actsOf = async (subject: string) =>
  (await installation.db.sql<{ act: string }[]>`select act from audit_log where subject = ${subject}`).map(
    ({ act }) => act,
  )

test('a draft under its cap is made and sent with one factor, and each line goes its own way', async () => {
  const shop = await newShop(installation)
  const draft = await draftOf(shop, wages())
  const page = await read(shop.mariam.get(draft))
  assert.match(page, /Créer et envoyer 31 000 F CFA/)
  assert.match(page, /Créer sans envoyer/)
  const question = await read(shop.mariam.post(`${draft}/send`, VERSION, draft))
  assert.match(question, /31 000/)
  assert.doesNotMatch(question, /Rien ne part encore|Une autre personne valide d’abord/)
  assert.equal((await sentBy(shop)).count, 0, 'a question sends nothing')
  const sent = await confirmed(shop.mariam, `${draft}/send`, VERSION, draft)
  const id = batchIdIn(sent)
  assert.equal(sent.location, `${shop.base}/batches/${id}?done=launched`)
  const ended = await shop.sender.untilBatch(id, 'termine_avec_erreurs')
  const { lines } = ended as unknown as { lines: { status: string }[] }
  assert.deepEqual(
    lines.map(({ status }) => status),
    ['succeeded', 'failed'],
  )
  assert.deepEqual(await actsOf(id), ['payout_batch.create_and_execute'])
  const [row] = await installation.db.sql`
    select made_by = executed_by as same from payout_batches where id = ${id}`
  assert.deepEqual({ ...row }, { same: true })
})

test('the same confirmation sent twice at once, and again later, sends each line once', async () => {
  const shop = await newShop(installation)
  const { mariam } = shop
  const draft = await draftOf(shop, wages())
  const step_up_id = stepUpIn(await mariam.post(`${draft}/send`, VERSION, draft))
  const fields = { ...VERSION, step_up_id, secret_code: await mariam.code() }
  const taps = await Promise.all([1, 2, 3].map(() => mariam.post(`${draft}/send`, fields, draft)))
  assert.ok(taps.some(({ location }) => location?.endsWith('?done=launched')))
  const again = await mariam.post(`${draft}/send`, fields, `${shop.base}/account`)
  const [batch, ...others] = await batchesOf(installation, shop)
  assert.deepEqual(others, [])
  assert.equal(again.location, `${shop.base}/batches/${batch!.id}`, 'and nothing says that it was sent now')
  const created = await confirmed(mariam, `${draft}/create`, VERSION, `${shop.base}/account`)
  assert.equal(batchIdIn(created), batch!.id)
  assert.deepEqual(await sentBy(shop), { count: 2, sum: 31_000 })
  await shop.sender.untilBatch(batch!.id, 'termine_avec_erreurs')
})

test('a batch made without sending is not sent by a late confirmation of both', async () => {
  const shop = await newShop(installation)
  const { mariam } = shop
  const draft = await draftOf(shop, wages())
  const { answer } = await mariam.ask(`${draft}/send`, VERSION, `${shop.base}/account`)
  const id = batchIdIn(await confirmed(mariam, `${draft}/create`, VERSION, draft))
  const late = await answer()
  assert.equal(late.location, `${shop.base}/batches/${id}`, late.text)
  assert.equal((await sentBy(shop)).count, 0)
  assert.equal(((await shop.sender.readBatch(id)).json() as { status: string }).status, 'brouillon')
})

test('above the cap of 24 hours the batch waits, and only a person who has read that agrees to it', async () => {
  const shop = await newShop(installation, 2_000_000)
  const { mariam, sender } = shop
  const setCaps = (francs: string) =>
    installation.bandama('caps', 'set', ...sender.words, '--day', francs, '--operation', francs)
  const draft = await draftOf(shop, wages())
  const { answer } = await mariam.ask(`${draft}/send`, VERSION, `${shop.base}/account`)
  await setCaps('20000')
  const anew = await answer()
  assert.equal(anew.status, 422)
  assert.match(await read(anew), /Une autre personne valide d’abord.*20 000 F CFA/s)
  assert.deepEqual(await batchesOf(installation, shop), [])
  // The page proposes no sending that would not happen.
  assert.doesNotMatch(await read(mariam.get(draft)), /Créer et envoyer/)
  const waits = await confirmed(mariam, `${draft}/send`, VERSION, `${shop.base}/account`)
  const id = batchIdIn(waits)
  assert.equal(waits.location, `${shop.base}/batches/${id}?done=batch_waits`)
  assert.equal(((await sender.readBatch(id)).json() as { status: string }).status, 'en_attente_validation')
  assert.equal((await sentBy(shop)).count, 0)
  const approval = `${shop.base}/approvals/${id}`
  assert.match((await confirmed(mariam, `${approval}/approve`, {}, `${shop.base}/account`)).text, /vient de vous/)
})

test('repeated lines need their tick, and lines that the balance does not cover fail alone', async () => {
  const shop = await newShop(installation, 20_000)
  const { mariam, sender } = shop
  const number = newNumber()
  const paid = await sender.send({ amount: 3_000, beneficiary: { ...inline(), msisdn: number } })
  assert.equal(paid.status, 201)
  const draft = await draftOf(shop, csv(`Awa Koné;${number};;3000;`, `Yao Brou;${newNumber()};;19000;`))
  const page = await mariam.get(draft)
  assert.equal((await confirmed(mariam, `${draft}/send`, VERSION, draft)).status, 409)
  const sent = await confirmed(mariam, `${draft}/send`, { ...VERSION, ...tickIn(page) }, draft)
  assert.match(sent.location ?? sent.text, /done=launched/)
  const ended = await sender.untilBatch(batchIdIn(sent), 'termine_avec_erreurs')
  const { lines } = ended as unknown as { lines: { status: string; failure_code: string | null }[] }
  assert.deepEqual(
    lines.map(({ status, failure_code }) => [status, failure_code]),
    [
      ['succeeded', null],
      ['failed', 'insufficient_funds'],
    ],
  )
})

test('a process that dies in the act leaves neither batch nor payout, and the repeated act sends once', async () => {
  const shop = await newShop(installation)
  const { merchant_id, livemode } = shop.sender.tenant
  const draft = await draftOf(shop, wages())
  const run = (crash: NodeJS.ProcessEnv) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: installation.db.url, LIVEMODE: String(livemode), ...crash }
    const program = join(import.meta.dirname, 'batch-send-and-die.ts')
    return promisify(execFile)(process.execPath, [program, String(merchant_id), draft.split('/').at(-1)!], { env })
  }
  await assert.rejects(run({ CRASH_POINTS: 'on', CRASH_AT: 'during_act' }), { signal: 'SIGKILL' })
  assert.deepEqual(await batchesOf(installation, shop), [])
  assert.equal((await sentBy(shop)).count, 0)
  assert.equal((await run({})).stdout, 'done')
  assert.equal((await run({})).stdout, 'done')
  const [batch, ...others] = await batchesOf(installation, shop)
  assert.deepEqual(others, [])
  assert.deepEqual(await sentBy(shop), { count: 2, sum: 31_000 })
  await shop.sender.untilBatch(batch!.id, 'termine_avec_erreurs')
})
