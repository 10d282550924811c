import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { openStaffMember, type StaffMember } from './staff-member.ts'

// The list for going live on the desk: the facts of the command.

let installation: Installation
let support: StaffMember

before(async () => {
  installation = await openInstallation()
  support = await openStaffMember(installation, 'Issa Cissé', ['support'])
})
after(() => installation[Symbol.asyncDispose]())

test('the page tells what the command tells, first what is missing', async () => {
  const merchant = await installation.newMerchant()
  const { body } = await support.facts('/desk/live/live')
  const { ready, checks } = body as { ready: boolean; checks: { subject: string; status: string; message: string }[] }
  assert.equal(ready, false)
  const missing = checks.filter(({ status }) => status === 'missing').map(({ subject }) => subject)
  const told = await installation.bandama('live', 'check').catch(({ stdout }: { stdout: string }) => JSON.parse(stdout))
  const ofCommand = (told as { checks: typeof checks }).checks.filter(({ status }) => status === 'missing')
  assert.deepEqual(
    missing,
    ofCommand.map(({ subject }) => subject),
  )
  assert.ok(missing.includes('live connectors') && missing.includes('fees'))
  const { text } = await support.get('/desk/live/live')
  assert.ok(text.indexOf('Il manque</h2>') < text.indexOf('En ordre</h2>'))
  assert.match(text, new RegExp(`Nothing is charged to merchant ${merchant.merchant_id}`))
  const compliance = await openStaffMember(installation, 'Awa Bamba', ['compliance'])
  assert.equal((await compliance.get('/desk/live/live')).status, 403)
})
