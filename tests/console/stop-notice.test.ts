import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newLink } from '../contract/payer.ts'
import { newSender, PATIENCE, payout } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { openSmtpServer, type SmtpServer } from '../harness/smtp-server.ts'
import { waitFor } from '../harness/wait-for.ts'

// A stop of payouts is told by mail to the merchants that it concerns, and a telephone of a till to its owners.

let smtp: SmtpServer
let installation: Installation
before(async () => {
  smtp = await openSmtpServer({ user: 'bandama', pass: 'secret' })
  const MAIL_URL = `smtp://bandama:secret@127.0.0.1:${smtp.port}`
  installation = await openInstallation({ env: { MAIL_URL, MAIL_FROM: 'bandama@example.com' } })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await smtp.close()
})

async function newShop() {
  const sender = await newSender(installation, { funds: 1_000_000 })
  const { merchant_id } = sender.tenant
  const { address } = installation.services[0]!
  const member = (roles: string[]) => openBrowser(installation.db.sql, address, { merchant_id, roles, language: 'fr' })
  return { sender, merchant_id, maker: await member(['maker']), viewer: await member(['viewer']) }
}

/** Waits until all that is to be told has been mailed, and returns the recipients. */
async function mailed(): Promise<string[]> {
  const none = async () => {
    const [row] = await installation.db.sql<{ jobs: number }[]>`
      select count(*)::integer as jobs from jobs where kind in ('tell-of-stop', 'address-notice', 'send-mail')`
    return row!.jobs === 0
  }
  await waitFor(none, { ...PATIENCE, what: 'no job of mail' })
  return smtp.mails.flatMap(({ to }) => to)
}

test('a stop is told once to those who make payouts at the merchants that it concerns', async () => {
  const [one, other] = [await newShop(), await newShop()]
  const { sql } = installation.db
  const ofOne = { scope: 'merchant', merchant_id: one.merchant_id } as const
  await stopPayouts(sql, ofOne, actor('ama@example.com'))
  assert.deepEqual(await mailed(), [one.maker.email], 'neither a viewer nor another merchant')
  const [{ text }] = smtp.mails as [(typeof smtp.mails)[number]]
  assert.match(text, /Rien n’est perdu/)
  assert.ok(text.includes(`/console/live/${one.merchant_id}/payouts`), text)

  const payload = { scope: 'merchant', value: String(one.merchant_id) }
  await sql`
    insert into jobs (queue, partition_key, owner, weight, kind, payload, run_at)
    values ('upkeep', '', '', 1, 'tell-of-stop', ${sql.json(payload)}, now())`
  assert.deepEqual(await mailed(), [one.maker.email], 'a repeated job tells nobody again')
  await resumeByTwo(sql, ofOne)

  // An operator's stop concerns the merchants that send through it.
  smtp.mails.length = 0
  const { beneficiary, ...body } = payout(1_000)
  const sent = await other.sender.send({ ...body, beneficiary: { ...beneficiary, operator: 'moov_ci' } })
  assert.equal(sent.status, 201, sent.text)
  const moov = { scope: 'operator', operator: 'moov_ci' } as const
  await stopPayouts(sql, moov, actor('ama@example.com'))
  assert.deepEqual(await mailed(), [other.maker.email])
  await resumeByTwo(sql, moov)
})

test('the owners alone are told of a telephone that is paired with a till', async () => {
  const { merchant_id } = await newShop()
  smtp.mails.length = 0
  const owner = await openBrowser(installation.db.sql, installation.services[0]!.address, {
    ...{ merchant_id, roles: ['owner'], language: 'fr' },
  })
  const link = await newLink(installation, merchant_id, '--min', '100', '--max', '5000', '--reusable')
  const { url } = await installation.bandama('till', 'invite', '--id', link.link_id, '--name', 'Awa')
  const { pathname: path } = new URL(String(url))
  const paired = await installation.ask({ method: 'POST', path, headers: { Accept: 'application/json' }, body: {} })
  assert.equal(paired.status, 303, paired.text)
  assert.deepEqual(await mailed(), [owner.email])
  assert.ok(smtp.mails[0]!.text.includes(`/links/${link.link_id}`), smtp.mails[0]!.text)
})
