import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { createLapseProposals } from '../../src/app/lapse-proposals.ts'
import { invitePerson } from '../../src/people/invite-person.ts'
import { STAFF } from '../../src/people/person.ts'
import { openSession } from '../../src/people/sessions/open-session.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { checkRequest } from '../contract/payout-answers.ts'
import { newSender, PATIENCE, payout, type Sender } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import { actor } from '../harness/actor.ts'
import { proposeAdjustment } from '../harness/adjustments.ts'
import { type Browser, openBrowser } from '../harness/console.ts'
import { proposeDestination } from '../harness/destinations.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { browserAt, HOST, newPerson, peopleDeps } from '../harness/people.ts'
import { confirmRole } from '../harness/people-acts.ts'
import { openSmtpServer, type SmtpServer, type TakenMail } from '../harness/smtp-server.ts'
import { waitFor } from '../harness/wait-for.ts'

// A worker notifies people by mail, after the transaction of the event.

const LOGIN = { user: 'bandama', pass: 'a: secret/of mail' }
let smtp: SmtpServer
let installation: Installation
before(async () => {
  smtp = await openSmtpServer(LOGIN)
  const MAIL_URL = `smtp://${LOGIN.user}:${encodeURIComponent(LOGIN.pass)}@127.0.0.1:${smtp.port}`
  installation = await openInstallation({ env: { MAIL_URL, MAIL_FROM: 'bandama@example.com' } })
})
beforeEach(async () => {
  smtp.behave = 'take'
  await quiet()
  smtp.mails.length = 0
  smtp.arrived = 0
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await smtp.close()
})

type Shop = {
  sender: Sender
  /** Its console. */
  base: string
  member(roles: string[], language?: 'fr' | 'en'): Promise<Browser>
  /** Requests a payout above a cap. Returns the id of the request. */
  held(): Promise<string>
}

/** Makes a merchant for one test. */
async function newShop(of = installation): Promise<Shop> {
  const sender = await newSender(of, { funds: 1_000_000 })
  const { merchant_id } = sender.tenant
  return {
    sender,
    base: `/console/${mode}/${merchant_id}`,
    member: (roles, language = 'fr') =>
      openBrowser(of.db.sql, of.services[0]!.address, { merchant_id, roles, language }),
    held: async () => checkRequest(await sender.send(payout(100_001)), 202).id,
  }
}

const ended = (count: number) =>
  waitFor(
    async () => {
      const rows = await installation.db.sql<{ outcome: string; email: string }[]>`
        select n.outcome, p.email
          from notice_mails n
          join persons p using (person_id)
         where n.ended_at is not null
         order by n.ended_at`
      return rows.length >= count && rows.map(({ outcome, email }) => ({ outcome, email }))
    },
    { ...PATIENCE, what: `${count} mails to end` },
  )
const mailsTo = (email: string, count = 1): Promise<TakenMail[]> =>
  waitFor(
    () => {
      const mails = smtp.mails.filter(({ to }) => to.includes(email))
      return mails.length >= count && mails
    },
    { ...PATIENCE, what: `${count} mails to ${email}` },
  )
/** Waits until no work is under way. */
const quiet = () =>
  waitFor(
    async () => {
      const [row] = await installation.db.sql<{ jobs: number }[]>`
        select count(*)::integer as jobs from jobs where kind in ('address-notice', 'send-mail')`
      return row!.jobs === 0
    },
    { ...PATIENCE, what: 'no job of mail' },
  )

test('a person of the staff is told that their proposal has lapsed, with a link that finds it', async () => {
  const { sender } = await newShop()
  const { sql } = installation.db
  const aya = await openBrowser(sql, installation.services[0]!.address, { staff: ['support'] })
  const usual = { direction: 'credit', amount: 100, counterpart: 'fees', reason: 'A gesture' } as const
  const proposed_by = actor(aya.email)
  const made = await proposeAdjustment({ sql, clock: createClock() }, { ...sender.tenant, ...usual, proposed_by })
  assert.ok(made.kind === 'proposed')
  const { id } = made.adjustment
  await sql`update adjustments set proposed_at = proposed_at - interval '15 days' where id = ${id}`
  const log = createLog('silent', 'test')
  await createLapseProposals({ sql, clock: createClock(), log, config: { proposal_days: 14 } })()
  const [mail] = await mailsTo(aya.email)
  assert.match(mail!.headers.subject!, /votre proposition s’est éteinte$/)
  assert.match(mail!.text, /Ajustement proposé\s: personne n’a décidé en 14 jours/)
  assert.match(mail!.text, new RegExp(`/desk/${mode}/search\\?q=${id}\\r?\\n`))
})

test('people who may approve a request get one mail in their language, without its amount and number', async () => {
  const { sender, base, member, held } = await newShop()
  const aya = await member(['approver'])
  const kofi = await member(['owner'], 'en')
  await member(['viewer'])
  await installation.db.sql`update api_keys set created_by = ${kofi.email} where key_id = ${sender.key_id}`
  const name = 'Boutique Awa\r\nBcc: all@example.com\u2028'
  await installation.db.sql`update merchants set name = ${name} where merchant_id = ${sender.tenant.merchant_id}`
  const id = await held()
  const [mail] = await mailsTo(aya.email)
  await quiet()
  assert.deepEqual(
    smtp.mails.map(({ to }) => to),
    [[aya.email]],
    'neither the maker of the key nor a viewer',
  )
  assert.deepEqual([mail!.from, mail!.headers.to], ['bandama@example.com', aya.email])
  assert.equal(mail!.headers.bcc, undefined)
  assert.match(mail!.headers.subject!, /Bandama\u00a0: un envoi attend votre accord$/)
  assert.equal(mail!.headers.subject!.startsWith('TEST'), !livemode)
  assert.match(mail!.text, /Chez Boutique Awa Bcc: all@example\.com, un envoi dépasse/)
  const link = new RegExp(`\\nhttp://(localhost|127\\.0\\.0\\.1):\\d+${base}/approvals/${id}\\r?\\n`)
  assert.match(mail!.text, link)
  assert.equal(mail!.text.match(/https?:/g)!.length, 1)
  assert.doesNotMatch(mail!.raw + mail!.text, /100.?001|(?:\+225|\b)\s?07(?:[\s.]?\d{2}){4}\b/)
  assert.match((await aya.get(`${base}/approvals/${id}`)).text, /100\u202f001/)

  await installation.db.sql`update api_keys set created_by = ${aya.email} where key_id = ${sender.key_id}`
  await held()
  const [english] = await mailsTo(kofi.email)
  assert.match(english!.headers.subject!, /Bandama: a payout waits for your approval/)
  assert.match(english!.text, /At Boutique Awa/)
})

test('the worker tries again after an unavailable mail server or a temporary refusal, but not when the server may have the mail', async () => {
  const { member, held } = await newShop()
  const aya = await member(['approver'])
  const before = (await ended(0)).length
  smtp.behave = 'refuse_now'
  const held_at = performance.now()
  await held()
  assert.ok(performance.now() - held_at < 10_000)
  await waitFor(() => smtp.arrived >= 2, { ...PATIENCE, what: 'a second try' })
  smtp.behave = 'take'
  await mailsTo(aya.email)
  await quiet()
  assert.equal(smtp.mails.length, 1)

  smtp.behave = 'break_off'
  smtp.arrived = 0
  await held()
  await ended(before + 2)
  smtp.behave = 'take'
  await quiet()
  assert.equal(smtp.arrived, 1, 'it may have been taken, and is not sent again')

  smtp.behave = 'refuse_for_ever'
  await held()
  const outcomes = (await ended(before + 3)).slice(-3).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['sent', 'unclear', 'refused'])
  const { output } = installation.services[0]!
  const said = output()
  assert.match(said, /"code":"EMESSAGE 550"/)
  const secrets = [LOGIN.pass, encodeURIComponent(LOGIN.pass), aya.email, 'room for your secrets', 'nobody is here']
  for (const secret of secrets) assert.ok(!said.includes(secret), secret)
})

test('a repeated job sends no second mail, and a program with many requests fills no mailbox', async () => {
  const { sender, member, held } = await newShop()
  const aya = await member(['approver'])
  const { sql } = installation.db
  const notice_id = randomUUID()
  const notice = { notice_id, name: 'request_waits', about: sender.tenant, subject: 'por_1' }
  const add = (payload: object) => sql`
    insert into jobs (queue, partition_key, owner, weight, kind, payload, run_at)
    values ('upkeep', 'mail', '', 1, 'address-notice', ${sql.json(payload)}, now())`
  await add(notice)
  await add(notice)
  await mailsTo(aya.email)
  await quiet()
  await add(notice)
  await quiet()
  assert.equal(smtp.mails.length, 1)
  await sql`
    insert into notice_mails (notice_id, person_id, kind, notice, begun_at, ended_at, outcome)
    select gen_random_uuid(), ${aya.person_id}, 'approval', '{}', clock_now(), clock_now(), 'sent'
      from generate_series(1, 29)`
  await held()
  await quiet()
  assert.equal(smtp.mails.length, 1, 'thirty in this hour')
})

test('people who may request settlements get the mails about them, and people who confirm destinations, except the proposer, those about proposals', async () => {
  const { sender, base, member } = await newShop()
  const settler = await newSettler(installation, { of: sender.merchant })
  const accountant = await member(['accountant'])
  const owner = await member(['owner'])
  const { id } = (await settler.request(6_000)).json() as { id: string }
  await installation.bandama('settlement', 'validate', '--id', id, '--as', 'ama@example.com')
  await installation.bandama('settlement', 'pay', '--id', id, '--as', 'kofi@example.com', '--bank-reference', 'VIR 9')
  const [paid] = await mailsTo(accountant.email)
  assert.match(paid!.headers.subject!, /un reversement est payé/)
  assert.match(paid!.text, new RegExp(`${base}/settlements/${id}\\b`))
  await mailsTo(owner.email)
  const rejected = (await settler.request(5_500)).json() as { id: string }
  await installation.bandama('settlement', 'reject', '--id', rejected.id, '--reason', 'no', '--as', 'ama@example.com')
  await mailsTo(accountant.email, 2)
  await mailsTo(owner.email, 2)
  await quiet()
  smtp.mails.length = 0

  const wallet = await settler.newWallet('0700001234')
  const proposer = { person: accountant.email, door: 'console', from: null, step_up_id: null } as const
  const proposed = await proposeDestination(installation.db.sql, settler.tenant, wallet, proposer)
  assert.equal(proposed.kind, 'done')
  const [mail] = await mailsTo(owner.email)
  assert.match(mail!.text, /Quelqu’un propose/)
  await quiet()
  assert.equal(smtp.mails.length, 1)
})

test('a person gets a mail about a new device, a recovery code, a changed role and the end of their account', async () => {
  const { sender, member } = await newShop()
  const { address, secret_key } = installation.services[0]!
  const { sql } = installation.db
  const clock = createClock()
  const deps = peopleDeps(sql, { origin: address, secret_key, clock })
  const merchant_id = sender.tenant.merchant_id
  const { address: from, user_agent } = browserAt()
  const own = { address: from, user_agent, mark: 'a mark of Firefox' }
  const person = await newPerson(deps, { merchant_id, roles: ['viewer'], browser: own })
  const signIn = (
    browser: { address: string; user_agent: string; mark?: string },
    factor: 'totp' | 'recovery_code' = 'totp',
  ) => sql.begin((tx) => openSession(tx, clock, { ...person, factor, ...browser }))
  await signIn(own)
  await quiet()
  assert.deepEqual(smtp.mails, [], 'the same browser as before')
  await signIn({
    address: '198.51.100.7',
    user_agent: 'Mozilla/5.0 (Android) Chrome/1 http://evil.example',
    mark: 'a mark of Chrome',
  })
  const [device] = await mailsTo(person.email)
  assert.match(device!.text, /ne connaissions pas \(Chrome · Android, adresse 198\.51\.100\.7\)/)
  assert.doesNotMatch(device!.text, /evil/)
  assert.match(device!.text, new RegExp(`/console/live/${merchant_id}/account`))

  // A thief's browser describes itself like the person's, but has no mark.
  await signIn({ address: from, user_agent })
  await mailsTo(person.email, 2)
  await signIn(own, 'recovery_code')
  await mailsTo(person.email, 3)

  const wanted = { email: person.email, merchant_id, roles: ['approver'] } as const
  const owner = await member(['owner'])
  const by = { person: owner.email, door: 'console', from: null, step_up_id: null } as const
  const invited = await invitePerson(deps, wanted, by)
  assert.equal(invited.kind, 'invited')
  const key = { person_id: person.person_id, merchant_id, role: 'approver' }
  await confirmRole(deps, key, { ...by, person: (await member(['owner'])).email })
  const subjects = (await mailsTo(person.email, 5)).map(({ headers }) => headers.subject).join('\n')
  assert.match(subjects, /vous avez un nouveau rôle/)
  assert.match(subjects, /votre rôle est confirmé/)
  await installation.bandama('person', 'disable', '--id', person.person_id, '--as', actor('root').person)
  const last = (await mailsTo(person.email, 6)).at(-1)!
  assert.match(last.headers.subject!, /votre compte est désactivé/)
  assert.doesNotMatch(last.text, /https?:/)
})

test('administrators get a mail about a role that waits for one of them, except those who gave or hold it', async () => {
  const { sql } = installation.db
  const { address, secret_key } = installation.services[0]!
  const deps = peopleDeps(sql, { origin: address, secret_key, clock: createClock() })
  const administrator = (language: 'fr' | 'en' = 'fr') =>
    openBrowser(sql, address, { staff: ['administrator'], language })
  const [rose, yves, ann] = [await administrator(), await administrator(), await administrator('en')]
  const by = { person: rose.email, door: 'console', from: null, step_up_id: null } as const
  const person = await openBrowser(sql, address, { staff: ['support'] })
  await invitePerson(deps, { email: person.email, merchant_id: STAFF, roles: ['finance'] }, by)
  const [mail] = await mailsTo(yves.email)
  assert.match(mail!.headers.subject!, /un rôle attend votre accord/)
  assert.match(mail!.text, /Un rôle \(Finance\) ne compte qu’avec l’accord d’un deuxième administrateur/)
  assert.match(mail!.text, new RegExp(`/desk/live/people/${person.person_id}\\r?\\n`))
  assert.ok(!(mail!.raw + mail!.text).includes(person.email), 'not the address of the holder')
  assert.match((await mailsTo(ann.email))[0]!.text, /A role \(Finance\) takes effect once a second administrator/)
  await mailsTo(person.email)
  await quiet()
  assert.equal(smtp.mails.length, 3, 'not the person who gave it, and the holder only of the new role')
  const noticed = /Un rôle attend un deuxième administrateur/
  assert.match((await yves.get('/desk/live/settings')).text, noticed)
  assert.doesNotMatch((await person.get('/desk/live/settings')).text, noticed)

  smtp.mails.length = 0
  await invitePerson(deps, { email: person.email, merchant_id: STAFF, roles: ['operations'] }, HOST)
  await mailsTo(person.email)
  await quiet()
  assert.equal(smtp.mails.length, 1, 'a role that a command on the host gives does not wait')
})

test('a silent mail server delays nobody, and without a mail server no mail is written', async () => {
  const { base, member, held } = await newShop()
  const aya = await member(['approver'])
  smtp.behave = 'silent'
  const { connections } = smtp
  const began = performance.now()
  const id = await held()
  assert.ok(performance.now() - began < 5_000)
  await waitFor(() => smtp.connections > connections, { ...PATIENCE, what: 'a try' })
  assert.match((await aya.get(`${base}/approvals/${id}`)).text, /100\u202f001/)
  smtp.behave = 'take'
  await mailsTo(aya.email)

  await using without = await openInstallation()
  const other = await newShop(without)
  const kofi = await other.member(['approver'])
  await other.held()
  await waitFor(
    async () => (await without.db.sql`select 1 from jobs where kind = 'address-notice'`).length === 0,
    PATIENCE,
  )
  assert.equal((await without.db.sql`select 1 from notice_mails`).length, 0)
  assert.equal((await kofi.facts(`${other.base}/notices`)).body.mail, false)
  assert.match((await kofi.get(`${other.base}/notices`)).text, /Heures calmes/)
})
