import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FactorDeps } from '../../src/people/factors/factor-deps.ts'
import { invitePerson } from '../../src/people/invite-person.ts'
import { STAFF } from '../../src/people/person.ts'
import { acceptInvitation, openInvitation } from '../../src/people/sign-in/accept-invitation.ts'
import { createClock } from '../../src/platform/clock.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { browserAt, HOST, PASSWORD, peopleDeps, telephone } from '../harness/people.ts'
import { openSmtpServer, type SmtpServer } from '../harness/smtp-server.ts'
import { type Member, newAddress, openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'

// With a mail server, whoever uses a link proves the address of the account by a code that was sent there. Its maker cannot.

let smtp: SmtpServer
let installation: Installation
let owner: Member
let merchant_id: number
let deps: FactorDeps
before(async () => {
  smtp = await openSmtpServer()
  const env = { MAIL_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'bandama@example.com' }
  installation = await openInstallation({ env })
  merchant_id = (await newMerchant(installation.db.sql, { name: 'Boutique Awa' })).merchant_id
  owner = await openMember(installation, 'Aya Kouassi', { merchant_id, roles: ['owner'] })
  const { secret_key, address: origin } = installation.services[0]!
  deps = { ...peopleDeps(installation.db.sql, { origin, secret_key, clock: createClock() }), mails: true }
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await smtp.close()
})

/** Has the owner invite an address. Returns the token of the link. */
async function invite(email: string): Promise<string> {
  const path = `/console/live/${merchant_id}/team/invite`
  const { done } = await owner.confirm(path, { email, roles: 'viewer' }, path)
  return /\/console\/invitation\/([\w-]{43})/.exec(done.text)![1]!
}

const page = (token: string, fields?: Record<string, string>) =>
  fetch(new URL(`/console/invitation/${token}`, installation.services[0]!.address), {
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  }).then((answer) => answer.text())

/** The code of the newest mail to somebody. */
const codeTo = (email: string, count = 1) =>
  waitFor(
    () => {
      const mails = smtp.mails.filter(({ to, text }) => to.includes(email) && /\d{8}/.test(text))
      return mails.length >= count && /\d{8}/.exec(mails.at(-1)!.text)![0]
    },
    { deadline_ms: 30_000, what: `a code to ${email}` },
  )

/** Sets factors by a link, with this code. Returns the kind of the answer, or the reason of the refusal. */
async function accept(token: string, mail_code?: string): Promise<string> {
  const opened = await openInvitation(deps, { token })
  assert.ok(opened.kind === 'open', JSON.stringify(opened))
  const code = telephone(opened.telephone.secret_text, deps.clock).code()
  const { sealed } = opened.telephone
  const factors = { kind: 'password', password: PASSWORD, sealed, code } as const
  const more = mail_code === undefined ? {} : { mail_code }
  const wanted = { token, name: 'Aicha', language: 'fr', factors, browser: browserAt(), ...more } as const
  const done = await acceptInvitation(deps, wanted)
  return done.kind === 'refused' ? done.code : done.kind
}

const provenOf = async (email: string) => {
  const [row] = await installation.db.sql<{ proven: boolean }[]>`
    select mail_proven_at is not null as proven from persons where email = ${email}`
  return row!.proven
}

test('a link opens an account only with the code that was sent to its address, which the maker of the link does not read', async () => {
  const email = newAddress('aicha')
  const token = await invite(email)
  const first = await page(token)
  assert.match(first, /Nous envoyons un code/)
  assert.doesNotMatch(first, /secret_password/, 'the factors come after the code')
  assert.equal(await accept(token), 'mail_code_missing')
  assert.match(await page(token, { act: 'send_code' }), /name="mail_code"[\s\S]*secret_password/)
  const code = await codeTo(email)
  assert.equal(await accept(token), 'mail_code_wrong')
  assert.equal(await accept(token, String((Number(code) + 1) % 100_000_000).padStart(8, '0')), 'mail_code_wrong')
  assert.equal(await accept(token, ` ${code} `), 'accepted')
  assert.equal(await provenOf(email), true)
  const staff = await invitePerson(
    deps,
    { email, merchant_id: STAFF, roles: ['finance'] },
    { person: await administrator(), door: 'console', from: null, step_up_id: null },
  )
  assert.equal(staff.kind, 'invited', 'a proven address may be of the staff, with a second person and the code')
})

const administrator = async () => (await openMember(installation, 'Rose Adou', { staff: ['administrator'] })).email

test('ten wrong codes end a code, another one is sent after a minute, and a link sends five', async () => {
  const email = newAddress('aicha')
  const token = await invite(email)
  await page(token, { act: 'send_code' })
  await page(token, { act: 'send_code' })
  const code = await codeTo(email)
  for (let tried = 0; tried < 10; tried++) assert.equal(await accept(token, '1'), 'mail_code_wrong')
  assert.equal(await accept(token, code), 'mail_code_over')
  const aMinuteLater = () => installation.db.sql`
    update invitations set code_sent_at = code_sent_at - interval '61 seconds' where used_at is null and codes_sent > 0`
  for (let sent = 2; sent <= 7; sent++) {
    await aMinuteLater()
    await page(token, { act: 'send_code' })
  }
  const [row] = await installation.db.sql`
    select codes_sent from invitations i join persons p using (person_id) where p.email = ${email}`
  assert.equal(row!.codes_sent, 5)
  const last = await codeTo(email, 2)
  assert.notEqual(last, code)
})

test('an offer to an account asks for the same code before it says that there is one', async () => {
  const known = await openMember(installation, 'Fatou', { staff: ['support'] })
  const token = await invite(known.email)
  assert.match(await page(token), /Nous envoyons un code/)
  assert.equal(await accept(token), 'mail_code_missing')
  await page(token, { act: 'send_code' })
  assert.equal(await accept(token, await codeTo(known.email)), 'has_account')
})

test('an address that gets no mail, and the people of the demo, sign in without a code', async () => {
  const invited = await invitePerson(deps, { email: 'a@localhost', merchant_id, roles: ['viewer'] }, HOST)
  assert.ok(invited.kind === 'invited')
  assert.equal(await accept(invited.link!.token.reveal()), 'accepted')
  assert.equal(await provenOf('a@localhost'), false)
})
