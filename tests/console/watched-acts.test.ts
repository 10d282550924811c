import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordAct, WHOLE_SERVICE } from '../../src/audit-log/record-act.ts'
import { actor } from '../harness/actor.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { openSmtpServer, type SmtpServer } from '../harness/smtp-server.ts'
import { type Member, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

// Money that enters on one person's word, and a source of proof that one person changes: finance and the desk hear of each.

let smtp: SmtpServer
let installation: Installation
let finance: Member
let support: Member
before(async () => {
  smtp = await openSmtpServer()
  const env = { MAIL_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'bandama@example.com' }
  installation = await openInstallation({ env })
  finance = await openMember(installation, 'Fanta', { staff: ['finance'] })
  support = await openMember(installation, 'Sali', { staff: ['support'] })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await smtp.close()
})

/** The acts on the first page of the desk, by their subjects. */
const shownTo = async (person: Member, of: 'live' | 'test') =>
  ((await person.facts(`/desk/${of}`)).body.watched as { subject: string }[]).map(({ subject }) => subject)

test('a deposit is on the desk for everybody and in a mail to finance, without its amount', async () => {
  const { merchant_id } = await installation.newMerchant()
  const words = [
    '--merchant',
    String(merchant_id),
    '--mode',
    mode,
    '--reference',
    'VIR-4711',
    '--as',
    'ama@example.com',
  ]
  const { deposit_id } = await installation.bandama('deposit', ...words, '--amount', '50000000')
  for (const person of [finance, support]) assert.ok((await shownTo(person, mode)).includes(String(deposit_id)))
  assert.match((await support.get(`/desk/${mode}`)).text, /Dépôt enregistré/)
  const mail = await waitFor(
    () => smtp.mails.find(({ to, text }) => to.includes(finance.email) && /Dépôt/.test(text)),
    {
      deadline_ms: 30_000,
      what: 'a mail to finance',
    },
  )
  assert.match(mail.text, new RegExp(`marchand ${merchant_id}, par ama@example.com`))
  assert.doesNotMatch(mail.text, /50.?000.?000/)
  assert.ok(!smtp.mails.some(({ to }) => to.includes(support.email)))
})

test('many small acts hide no large one: the largest are shown, and the panel counts what it leaves out', async () => {
  const { sql } = installation.db
  const { merchant_id } = await installation.newMerchant()
  const record = (act: 'balance.deposit' | 'refund.create', subject: string, amount: number) =>
    sql.begin(async (tx) =>
      recordAct(
        tx,
        { merchant_id, livemode: false },
        { actor: actor('ama@example.com'), act, subject, after: { amount } },
      ),
    )
  await record('balance.deposit', 'large', 50_000_000)
  await sql.begin(async (tx) => {
    for (let nth = 0; nth < 300; nth += 1) {
      const small = { actor: actor('ama@example.com'), act: 'refund.create', subject: `small-${nth}` } as const
      recordAct(tx, { merchant_id, livemode: false }, { ...small, after: { amount: 100_000 } })
    }
  })
  assert.ok((await shownTo(finance, 'test')).includes('large'))
  for (let nth = 0; nth < 25; nth += 1) await record('balance.deposit', `deposit-${nth}`, 1)
  assert.ok((await shownTo(finance, 'test')).includes('large'))
  const { text } = await finance.get('/desk/test')
  const [, more] = /<b>(\d+) autres dans ces 7 jours<\/b>/.exec(text) ?? []
  assert.ok(Number(more) >= 16, text)
})

const https = (host: string) => ({ settings: { base_url: `https://${host}/api`, api_token: '••••' } })
const cases: [
  act: Parameters<typeof recordAct>[2]['act'],
  before: object | null,
  after: object | null,
  livemode: boolean,
  watched: boolean,
][] = [
  ['refund.create', null, { amount: 100_000 }, true, false],
  ['refund.create', null, { amount: 100_001 }, true, true],
  ['connector.set', null, https('a.example'), true, true],
  ['connector.set', null, { settings: {} }, true, true],
  ['connector.set', https('a.example'), https('a.example'), true, false],
  ['connector.set', https('a.example'), { settings: { ...https('a.example').settings, api_token: '•' } }, true, false],
  ['connector.set', https('a.example'), https('b.example'), true, true],
  ['connector.set', null, https('a.example'), false, false],
  ['route.set', null, { connectors: ['a'] }, true, true],
  ['route.remove', { connectors: ['a'] }, null, true, true],
  ['route.set', null, { connectors: ['a'] }, false, false],
  ['connector.remove', https('a.example'), null, true, false],
  ['key.create', null, { scope: 'payout' }, true, false],
]

for (const [index, [act, former, next, livemode, watched]] of cases.entries()) {
  test(`${act} ${JSON.stringify(next)} after ${JSON.stringify(former)}, ${livemode ? 'live' : 'test'}: ${watched ? 'told' : 'not told'}`, async () => {
    const subject = `watched-${index}`
    const about = { merchant_id: WHOLE_SERVICE, livemode }
    await installation.db.sql.begin(async (tx) =>
      recordAct(tx, about, { actor: actor('kofi@example.com'), act, subject, before: former, after: next }),
    )
    assert.equal((await shownTo(finance, livemode ? 'live' : 'test')).includes(subject), watched)
  })
}
