import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { carryOutAlone } from '../../src/payouts/alone/carry-out-alone.ts'
import { expireRequests } from '../../src/payouts/decide-request.ts'
import { PATIENCE } from '../contract/sender.ts'
import { actor } from '../harness/actor.ts'
import { stopAlone } from '../harness/alone.ts'
import { approveRequest, rejectRequest } from '../harness/approvals.ts'
import { openBrowser } from '../harness/console.ts'
import { archiveBeneficiary } from '../harness/destinations.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { revokeKey } from '../harness/keys.ts'
import { endSinglePerson } from '../harness/single-person.ts'
import { openSmtpServer, type SmtpServer } from '../harness/smtp-server.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  type AloneShop,
  aloneDeps,
  backToThePresent,
  DAY,
  newAloneShop,
  outcomeOf,
  untilOutcome,
} from './alone-shop.ts'

// Every end of an approval by one person has a line in the audit log, and the person reads it in a mail and on the screen.

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

const sweep = () => carryOutAlone(aloneDeps(installation))
const kofi = actor('kofi@example.com')

type Case = {
  outcome: string
  /** The author of the end in the audit log. */
  by: string
  /** The sentence of the mail and of the page. */
  says: RegExp
  /** Whether this end comes only after the 24 hours. The worker, or the test's own sweep, whichever is first, then makes it. */
  after_a_day?: true
  /** Brings the end about, before the 24 hours are over. */
  end(shop: AloneShop, id: string): Promise<unknown>
}

const cases: readonly Case[] = [
  {
    outcome: 'expired',
    by: 'schedule',
    says: /la demande a expiré/,
    async end(_, id) {
      await installation.db.sql`update payout_requests set expires_at = clock_now() where id = ${id}`
      await expireRequests(aloneDeps(installation))
    },
  },
  {
    outcome: 'rejected',
    by: kofi.person,
    says: /une autre personne a refusé/,
    end: (_, id) => rejectRequest(aloneDeps(installation), id, kofi),
  },
  {
    outcome: 'decided',
    by: kofi.person,
    says: /une autre personne a approuvé/,
    end: (_, id) => approveRequest(aloneDeps(installation), id, kofi),
  },
  {
    outcome: 'leave_ended',
    by: kofi.person,
    says: /ne laisse plus décider seul/,
    end: ({ merchant_id }) => endSinglePerson(installation.db.sql, merchant_id, kofi),
  },
  {
    outcome: 'not_alone',
    by: 'schedule',
    says: /une deuxième personne peut approuver maintenant/,
    async end({ merchant_id }) {
      const { db, services } = installation
      await openBrowser(db.sql, services[0]!.address, { merchant_id, roles: ['approver'] })
      await sweep()
    },
  },
  {
    outcome: 'right_lost',
    by: 'schedule',
    says: /n’a plus ce droit/,
    async end({ aya }) {
      const { sql } = installation.db
      await sql`update persons set activated_at = clock_now() where person_id = ${aya.person_id}`
      await sweep()
    },
  },
  {
    outcome: 'stopped',
    by: kofi.person,
    says: /une personne l’a arrêté/,
    end: ({ sender }, subject_id) => stopAlone(installation.db.sql, { ...sender.tenant, subject_id }, kofi),
  },
  {
    outcome: 'refused',
    by: 'schedule',
    says: /ne pouvait plus être exécuté/,
    after_a_day: true,
    async end(_, id) {
      const { sql } = installation.db
      const [entry] = await sql<{ beneficiary_id: string }[]>`
        select beneficiary_id from payout_requests where id = ${id}`
      await archiveBeneficiary(sql, entry!.beneficiary_id)
    },
  },
  { outcome: 'carried_out', by: 'schedule', says: /a pris effet/, after_a_day: true, end: async () => {} },
]

const lastAct = async (subject: string) => {
  const lines = await installation.db.sql<{ act: string; actor: string; outcome: string | null }[]>`
    select act, actor, after->>'outcome' as outcome
      from audit_log
     where subject = ${subject} and act like '%\\_alone' and act not like '%.approve_alone'`
  return lines.map(({ act, actor, outcome }) => ({ act, actor, outcome }))
}

const mailOf = (shop: AloneShop, says: RegExp) =>
  waitFor(() => smtp.mails.find(({ to, text }) => to.includes(shop.aya.email) && says.test(text)) ?? false, {
    ...PATIENCE,
    what: `a mail that says ${says}`,
  })

test('every end of an approval by one person is in the audit log, in a mail to the person and on the page', async () => {
  for (const { outcome, by, says, after_a_day = false, end } of cases) {
    const shop = await newAloneShop(installation)
    await shop.allow()
    const id = await shop.held()
    assert.match((await shop.approve(id)).location ?? '', /approved_alone/)
    await end(shop, id)
    if (after_a_day) {
      await installation.db.moveClock(DAY)
      await sweep()
    }
    await untilOutcome(installation, id, outcome)
    if (after_a_day) await backToThePresent(installation)
    assert.deepEqual(await outcomeOf(installation, id), { outcome, ended_by: by })
    const verb = outcome === 'stopped' ? 'stop' : outcome === 'carried_out' ? 'carry_out' : 'end'
    assert.deepEqual(await lastAct(id), [{ act: `payout_request.${verb}_alone`, actor: by, outcome }])
    const mail = await mailOf(shop, says)
    assert.match(mail.text, new RegExp(`/approvals/${id}\\s`))
    assert.doesNotMatch(mail.text, /100.?001|(?:\+225|\b)\s?07(?:[\s.]?\d{2}){4}\b/)
    assert.match((await shop.aya.get(`${shop.base}/approvals/${id}`)).text, says, outcome)
  }
})

test('an approval of a key that was revoked since ends, and its person is notified', async () => {
  const shop = await newAloneShop(installation)
  await shop.allow()
  const key_id = await shop.newKey()
  await shop.approveKey(key_id)
  await revokeKey(installation.db.sql, key_id, kofi)
  await sweep()
  await untilOutcome(installation, key_id, 'revoked')
  assert.deepEqual(await outcomeOf(installation, key_id), { outcome: 'revoked', ended_by: 'schedule' })
  assert.deepEqual(await lastAct(key_id), [{ act: 'key.end_alone', actor: 'schedule', outcome: 'revoked' }])
  assert.match((await mailOf(shop, /la clé a été révoquée/)).text, /\/keys\s/)
})

test('an approval without sufficient funds notifies the person once with the reason, and is carried out once there are funds', async () => {
  const shop = await newAloneShop(installation, { funds: 1_000 })
  await shop.allow()
  const id = await shop.held()
  await shop.approve(id)
  await installation.db.moveClock(DAY)
  await sweep()
  await sweep()
  await backToThePresent(installation)
  assert.deepEqual(await lastAct(id), [{ act: 'payout_request.hold_alone', actor: 'schedule', outcome: null }])
  assert.match((await mailOf(shop, /n’a pas pris effet\s: le solde d’envoi ne suffit pas/)).text, /essaie de nouveau/)
  const page = await shop.aya.get(`${shop.base}/approvals/${id}`)
  assert.match(page.text, /le solde d’envoi ne suffit pas\. Le service essaie de nouveau/)
  assert.match(page.text, /stop-alone/)
  await shop.sender.deposit(1_000_000)
  await installation.db.moveClock(DAY)
  await sweep()
  await untilOutcome(installation, id, 'carried_out')
  await backToThePresent(installation)
  assert.equal(
    smtp.mails.filter(({ to, text }) => to.includes(shop.aya.email) && /pas pris effet/.test(text)).length,
    1,
  )
})
