import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { createTellOfPayments } from '../../src/payments/told/tell-of-payments.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readTakings } from '../../src/screens/home/takings.ts'
import { newCollector } from '../contract/collector.ts'
import { checkRequest } from '../contract/payout-answers.ts'
import { newSender, PATIENCE, payout } from '../contract/sender.ts'
import { type Browser, openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, mode } from '../harness/mode.ts'
import { openPushBrowser } from '../harness/push-browser.ts'
import { openSmtpServer, type SmtpServer, type TakenMail } from '../harness/smtp-server.ts'
import { waitFor } from '../harness/wait-for.ts'

// The choices on the page of notifications, by the mails that come.

let smtp: SmtpServer
let installation: Installation
before(async () => {
  const login = { user: 'bandama', pass: 'secret' }
  smtp = await openSmtpServer(login)
  const MAIL_URL = `smtp://${login.user}:${login.pass}@127.0.0.1:${smtp.port}`
  installation = await openInstallation({
    // Pushes are live calls, and the push service of this test is on this machine.
    env: { MAIL_URL, MAIL_FROM: 'bandama@example.com', EGRESS_LOOPBACK_HTTP: 'on' },
  })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await smtp.close()
})

const member = (merchant_id: number, roles: string[], language: 'fr' | 'en' = 'fr') =>
  openBrowser(installation.db.sql, installation.services[0]!.address, { merchant_id, roles, language })
const mailsTo = ({ email }: Browser): TakenMail[] => smtp.mails.filter(({ to }) => to.includes(email))
const untilMails = (browser: Browser, count: number) =>
  waitFor(() => mailsTo(browser).length >= count && mailsTo(browser), { ...PATIENCE, what: `${count} mails` })
/** Waits until no work of mails is under way. Those that wait for the end of quiet hours are none. */
const quiet = () =>
  waitFor(
    async () => {
      const [row] = await installation.db.sql<{ jobs: number }[]>`
        select count(*)::integer as jobs
          from jobs
         where kind in ('address-notice', 'send-mail') and run_at < now() + interval '1 minute'`
      return row!.jobs === 0
    },
    { ...PATIENCE, what: 'no job of mail' },
  )

/** Tells of payments again and again until something has come, without waiting for the rounds of the worker. */
async function telling<Come>(coming: Promise<Come>): Promise<Come> {
  const { sql } = installation.db
  const takingsOf: Parameters<typeof createTellOfPayments>[0]['takingsOf'] = (of, day) => readTakings(sql, of, day)
  const tell = createTellOfPayments({ sql, clock: createClock(), log: pino({ level: 'silent' }), takingsOf })
  const end = { is_come: false }
  const come = coming.finally(() => {
    end.is_come = true
  })
  const round = async () => {
    await tell()
    return end.is_come
  }
  const [found] = await Promise.all([come, waitFor(round, { ...PATIENCE, what: 'notices of payments' })])
  return found
}
const untilBegun = (merchant_id: number) =>
  telling(
    waitFor(
      async () => {
        const rows = await installation.db.sql`select id from told_payments where merchant_id = ${merchant_id}`
        return rows.length === 2
      },
      { ...PATIENCE, what: 'the beginning of the payments to tell' },
    ),
  )

test('each person chooses their mails, but nobody can switch off the mails about their account', async () => {
  const sender = await newSender(installation, { funds: 1_000_000 })
  const { merchant_id } = sender.tenant
  const page = `/console/${mode}/${merchant_id}/notices`
  const held = async () => checkRequest(await sender.send(payout(100_001)), 202).id
  const aya = await member(merchant_id, ['approver'])
  const { body } = await aya.facts(page)
  assert.deepEqual([body.kinds, body.by_mail], [['approval', 'payment', 'takings'], ['approval']])
  assert.match((await aya.get(page)).text, /Toujours, pour votre sécurité/)
  // A forged form changes no other kind.
  const chosen = await aya.post(page, { by_mail: 'security' }, page)
  assert.equal(chosen.location, `${page}?done=saved`)
  await aya.post(page, { by_mail: 'security' }, page)
  const lines = await installation.db.sql`
    select before -> 'without' as before, after -> 'without' as after from audit_log where actor = ${aya.email}`
  assert.deepEqual([...lines], [{ before: [], after: ['approval'] }], 'the same choice again is no act')
  await held()
  await quiet()
  assert.deepEqual(mailsTo(aya), [])

  for (const [wrong, field] of [
    [{ payment_min: '12,50' }, 'payment_min'],
    [{ payment_min: '-1' }, 'payment_min'],
    [{ quiet_from: '21:00', quiet_to: '' }, 'quiet_from'],
    [{ quiet_from: '24:00', quiet_to: '06:00' }, 'quiet_from'],
    [{ quiet_from: '06:00', quiet_to: '06:00' }, 'quiet_from'],
  ] as const) {
    const refused = await aya.post(page, { by_mail: 'approval', ...wrong }, page)
    assert.equal(refused.status, 422)
    assert.match(refused.text, new RegExp(`<a href="#${field}">`), JSON.stringify(wrong))
  }
  assert.deepEqual((await aya.facts(page)).body.by_mail, [], 'a refused form changes nothing')

  // Quiet from a minute ago, for an hour.
  const around = (minutes: number) =>
    new Date(createClock().milliseconds() + minutes * 60_000).toISOString().slice(11, 16)
  const hours = { quiet_from: around(-1), quiet_to: around(60) }
  await aya.post(page, { by_mail: 'approval', ...hours }, page)
  await held()
  await quiet()
  assert.deepEqual(mailsTo(aya), [], 'it waits for the end of the quiet hours')
  const waiting = installation.db.sql`
    select kind from jobs where kind = 'send-mail' and run_at between now() + interval '50 minutes' and now() + interval '71 minutes'`
  assert.equal((await waiting).length, 1)
  await aya.post(page, { by_mail: 'approval' }, page)
  await held()
  await untilMails(aya, 1)
})

test('people who asked for it are told of payments and of the sum of the day, once each, and nobody else is', async () => {
  const { sql } = installation.db
  const shop = await newCollector(installation, { bearer: 'payer' })
  const { merchant_id } = shop.tenant
  const page = `/console/${mode}/${merchant_id}/notices`
  const [aya, kofi, bob] = [
    await member(merchant_id, ['owner']),
    await member(merchant_id, ['viewer'], 'en'),
    await member(merchant_id, ['owner']),
  ]
  await aya.post(
    page,
    [
      ['by_mail', 'payment'],
      ['by_mail', 'takings'],
    ],
    page,
  )
  await kofi.post(page, { by_mail: 'payment', payment_min: '20 000 F' }, page)
  await untilBegun(merchant_id)
  await shop.collect(12_500, { simulate: true })
  const [small] = await telling(untilMails(aya, 1))
  assert.match(small!.headers.subject!, /un paiement est arrivé/)
  assert.match(small!.text, /\+12\u202f500\u00a0F\u00a0CFA à \d\d:\d\d\./)
  assert.match(small!.text, new RegExp(`/console/${mode}/${merchant_id}/payments/txn_\\w+`))
  await shop.collect(20_000, { simulate: true })
  assert.match((await telling(untilMails(kofi, 1)))[0]!.text, /\+20\u202f000\u00a0F\u00a0CFA at/)
  await untilMails(aya, 2)

  const now = createClock().now()
  const today = now.toISOString().slice(0, 10)
  const tenant = { merchant_id, livemode }
  await waitFor(async () => (await readTakings(sql, tenant, today)).count === 2, { ...PATIENCE, what: 'the takings' })
  const evening = new Date(`${today}T20:20:00.000Z`)
  const tell = createTellOfPayments({
    ...{ sql, clock: { ...createClock(), now: () => evening }, log: pino({ level: 'silent' }) },
    takingsOf: (of, day) => readTakings(sql, of, day),
  })
  // As when the day has not been told yet, also in a test after 20:00.
  await sql`update told_payments set day = null where merchant_id = ${merchant_id}`
  const days = async () => {
    await tell()
    return (await sql`select id from told_payments where merchant_id = ${merchant_id} and day is null`).length === 0
  }
  await waitFor(days, { ...PATIENCE, what: 'the sum of the day to be told' })
  await quiet()
  assert.match(
    (await untilMails(aya, 3))[2]!.text,
    /32\u202f500\u00a0F\u00a0CFA encaissés le [^.]+ jusqu’à \d\d:\d\d\. Nombre de paiements\u00a0?: 2/,
  )
  assert.deepEqual([mailsTo(aya).length, mailsTo(kofi).length, mailsTo(bob).length], [3, 1, 0])
})

test('a device gets encrypted pushes without number or name, is left in peace when it is gone, and serves one person', async () => {
  const { sql } = installation.db
  const shop = await newCollector(installation)
  const { merchant_id } = shop.tenant
  await sql`update merchants set name = 'Chez Aya – Pagnes' where merchant_id = ${merchant_id}`
  await using phone = await openPushBrowser()
  const page = `/console/${mode}/${merchant_id}/notices`
  const [aya, kofi] = [await member(merchant_id, ['owner']), await member(merchant_id, ['viewer'], 'en')]
  const add = (browser: Browser, subscription: object) =>
    browser.post(`${page}/devices`, { subscription: JSON.stringify(subscription) }, page)
  const { endpoint, keys } = phone.subscription
  const point = Buffer.from(keys.p256dh, 'base64url')
  point[64]! ^= 1
  for (const wrong of [
    { endpoint: 'https://127.0.0.1/push', keys },
    { endpoint, keys: { ...keys, p256dh: point.toString('base64url') } },
    { endpoint: 'http://192.168.1.1/push', keys },
    { endpoint: 'https://localhost/push', keys },
    { endpoint, keys: { ...keys, p256dh: 'AAAA' } },
    { endpoint, keys: { ...keys, auth: '' } },
    { keys },
  ]) {
    const refused = await add(aya, wrong)
    assert.match(refused.text, /Ce navigateur n’a pas pu être ajouté/, JSON.stringify(wrong))
  }
  assert.equal((await add(aya, phone.subscription)).location, `${page}?done=saved`)
  const stored = await sql<
    { text: string }[]
  >`select d::text as text from push_devices d where person_id = ${aya.person_id}`
  assert.ok(!stored[0]!.text.includes(endpoint) && !stored[0]!.text.includes(keys.auth))
  const [key] = await sql<{ public_key: string; text: string }[]>`select public_key, k::text as text from push_key k`
  assert.match((await aya.get(page)).text, new RegExp(`data-push="${key!.public_key}"`))

  await untilBegun(merchant_id)
  const [added] = await phone.untilPushes(1)
  assert.equal(added!.told.body, 'Un appareil reçoit vos avis.')
  phone.answer((_request, rank) => ({ status: rank === 1 ? 503 : 201 }))
  await shop.collect(12_500, { simulate: true, to: '0700001234' })
  const [, first, again] = await telling(phone.untilPushes(3))
  assert.deepEqual(first!.told, again!.told, 'the push service was busy once')
  const { title, body, url, tag } = again!.told
  assert.match(title, livemode ? /^Chez Aya – Pagnes$/ : /^TEST – Chez Aya – Pagnes$/)
  assert.match(body, /^\+12\u202f500\u00a0F\u00a0CFA à \d\d:\d\d$/)
  assert.match(url, new RegExp(`^http://[^/]+/console/${mode}/${merchant_id}/payments/txn_\\w+$`))
  assert.match(tag, /^[\w-]+$/)
  assert.deepEqual([again!.audience, again!.key], [phone.origin, key!.public_key])

  // The same browser of another person, who hides amounts.
  await add(kofi, phone.subscription)
  await phone.untilPushes(4)
  await kofi.post(page, { by_push: 'payment', hides_amount: 'on' }, page)
  await shop.collect(700, { simulate: true })
  const fifth = (await telling(phone.untilPushes(5)))[4]
  assert.equal(fifth!.told.body, 'A payment has arrived.')

  phone.answer({ status: 403 })
  await shop.collect(800, { simulate: true })
  assert.equal((await telling(phone.untilPushes(6))).length, 6)
  await waitFor(async () => (await sql`select id from push_devices where person_id = ${kofi.person_id}`).length === 0, {
    ...PATIENCE,
    what: 'the dead device to be deleted',
  })
  const { output } = installation.services[0]!
  assert.ok(!output().includes(endpoint) && !output().includes(keys.auth))

  phone.answer({ status: 201 })
  await add(aya, phone.subscription)
  const [device] = (await aya.facts(page)).body.devices as { id: string }[]
  await kofi.post(`${page}/devices/${device!.id}/end`, {}, page)
  assert.equal(((await aya.facts(page)).body.devices as object[]).length, 1, 'another person ends nothing')
  await aya.post(`${page}/devices/${device!.id}/end`, {}, page)
  assert.deepEqual((await aya.facts(page)).body.devices, [])
  const worker = await aya.get('/console/push-worker.js')
  assert.match(worker.headers.get('content-type')!, /^text\/javascript/)
  assert.match(worker.headers.get('content-security-policy')!, /script-src 'self'/)
})
