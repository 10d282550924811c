import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inline, newSender, payout, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// The reason of a person who refuses a payout or a batch, for its maker.

let installation: Installation
let sender: Sender
let aya: Member
let fatou: Member
let base: string

before(async () => {
  installation = await openInstallation()
  sender = await newSender(installation)
  const { merchant_id } = sender.tenant
  const approver = { merchant_id, roles: ['approver'] }
  aya = await openMember(installation, 'Aya Kouassi', approver)
  fatou = await openMember(installation, 'Fatou Bamba', approver)
  base = `/console/${mode}/${merchant_id}`
})
after(() => installation[Symbol.asyncDispose]())

/** Requests a payout above the cap of one operation. */
async function ask(): Promise<string> {
  const answer = await sender.send({ amount: 150_000, beneficiary: inline(), reference: 'Facture 318' })
  assert.equal(answer.status, 202, answer.text)
  return (answer.json() as { id: string }).id
}

/** Makes a batch above the cap of 24 hours. */
async function askBatch(): Promise<string> {
  const answer = await sender.prepare({ lines: [payout(500_000), payout(1_000)], reference: 'Salaires' })
  return (answer.json() as { id: string }).id
}

const at = (id: string, act = '') => `${base}/approvals/${id}${act}`
const decide = (act: '/reject' | '/approve', id: string, decline_reason: string) =>
  aya.confirm(at(id, act), { decline_reason }, at(id))

async function actOn(id: string) {
  const [line] = await installation.db.sql<{ after: { decline_reason?: string } }[]>`
    select after from audit_log where subject = ${id} and act like '%.reject'`
  return line!.after
}

test('the reason of a refusal is confirmed in the step-up, stored with the decision, and shown to the maker', async () => {
  const [id, silent, batch] = [await ask(), await ask(), await askBatch()]
  const why = 'Ce numéro n’est plus le sien : appelez-la <d’abord>.'
  assert.match((await aya.get(at(id))).text, /name="decline_reason"[^>]*form="decide"/)
  const { ask: question, done } = await decide('/reject', id, why)
  assert.ok(question.text.includes('appelez-la &lt;d’abord&gt;'))
  assert.equal(done.status, 303)
  const settled = await fatou.get(at(id))
  assert.match(settled.text, /Raison<\/dt><dd>Ce numéro n’est plus le sien[^<]*&lt;d’abord&gt;/)
  assert.equal((await actOn(id)).decline_reason, why)
  assert.ok(!('decline_reason' in ((await sender.read(id)).json() as object)), 'the interface stays as it is')

  assert.equal((await decide('/reject', silent, '')).done.status, 303)
  assert.doesNotMatch((await fatou.get(at(silent))).text, /Raison<\/dt>/)
  assert.ok(!('decline_reason' in (await actOn(silent))))

  assert.equal((await decide('/reject', batch, 'Hors budget')).done.status, 303)
  assert.match((await fatou.get(at(batch))).text, /Raison<\/dt><dd>Hors budget/)
  assert.match((await fatou.get(`${base}/batches/${batch}`)).text, /Hors budget/)
  assert.equal((await actOn(batch)).decline_reason, 'Hors budget')
})

test('a reason that is too long decides nothing and stays as typed; an approval has no reason', async () => {
  const id = await ask()
  const long = 'a'.repeat(501)
  const page = await aya.post(at(id, '/reject'), { decline_reason: long }, at(id))
  assert.equal(page.status, 409)
  assert.match(page.text, /La raison est trop longue/)
  assert.ok(page.text.includes(`value="${long}"`))
  assert.equal(((await sender.read(id)).json() as { status: string }).status, 'pending_approval')
  assert.equal((await decide('/approve', id, 'Non')).done.status, 303)
  assert.doesNotMatch((await aya.get(at(id))).text, /Raison<\/dt>/)
})

test('a command stores a reason like the screen does', async () => {
  const [id, batch] = [await ask(), await askBatch()]
  const words = ['--reason', 'Hors budget', '--as', 'awa@example.com']
  await installation.bandama('request', 'reject', '--id', id, ...words)
  await installation.bandama('batch', 'reject', '--id', batch, ...words)
  for (const one of [id, batch]) assert.match((await fatou.get(at(one))).text, /Raison<\/dt><dd>Hors budget/)
})
