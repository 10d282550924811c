import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Member, openMember } from '../harness/teams.ts'

// The checklist of live mode on the desk, with the facts of the command.

let installation: Installation
let support: Member

before(async () => {
  installation = await openInstallation({ own: 'reads what live mode needs' })
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

type Told = { subject: string; status: string; message: string; mend?: string | null }

test('the page has the findings of the command, in the reader’s language, missing ones first', async () => {
  const merchant = await installation.newMerchant()
  const { body } = await support.facts('/desk/live/live')
  const { ready, checks } = body as { ready: boolean; checks: Told[] }
  assert.equal(ready, false)
  const told = await installation.bandama('live', 'check').catch(({ stdout }: { stdout: string }) => JSON.parse(stdout))
  const without = (some: readonly Told[]) => some.map(({ subject, status, message }) => ({ subject, status, message }))
  // The two processes read their clocks at two moments.
  const steady = (some: readonly Told[]) => without(some).filter(({ subject }) => subject !== 'clock')
  assert.deepEqual(steady(checks), steady((told as { checks: Told[] }).checks))
  const missing = checks.filter(({ status }) => status === 'missing').map(({ subject }) => subject)
  assert.ok(missing.includes('live connectors') && missing.includes('fees'))
  const { text } = await support.get('/desk/live/live')
  assert.ok(text.indexOf('Il manque</h2>') < text.indexOf('En ordre</h2>'))
  assert.match(text, new RegExp(`Rien n’est prélevé au marchand ${merchant.merchant_id}`))
  assert.ok(!text.includes('Nothing is charged'))
  const english = await support.get('/desk/live/live?lang=en')
  assert.match(english.text, new RegExp(`Nothing is charged to merchant ${merchant.merchant_id}`))
  assert.ok(!english.text.includes('Rien n’est prélevé'))
  const compliance = await openMember(installation, 'Awa Bamba', { staff: ['compliance'] })
  assert.equal((await compliance.get('/desk/live/live')).status, 403)
})

test('a finding that is not in order links to the page that fixes it, in live mode', async () => {
  const merchant = await installation.newMerchant()
  await installation.db.sql`update merchants set active = false where merchant_id <> ${merchant.merchant_id}`
  const { text } = await support.get('/desk/test/live')
  const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
  const links = [...main.matchAll(/<a class="button second" href="([^"]+)"/g)].map(([, to]) => to!)
  for (const wanted of ['/desk/live/connectors', `/desk/live/merchants/${merchant.merchant_id}`])
    assert.ok(links.includes(wanted), wanted)
  for (const to of new Set(links)) assert.equal((await support.get(to)).status, 200, to)
})
