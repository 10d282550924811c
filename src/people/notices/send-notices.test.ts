import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { createMerchant } from '../../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { HOST } from '../../../tests/harness/people.ts'
import { confirmRole, disablePerson, removeRole, resetPerson } from '../../../tests/harness/people-acts.ts'
import { newAddress, seated, teamsOn } from '../../../tests/harness/teams.ts'
import { createClock } from '../../platform/clock.ts'
import type { Actor } from '../../values/actor.ts'
import type { MerchantRole } from '../../values/rights.ts'
import { STAFF } from '../person.ts'
import type { Browser } from '../sessions/browser.ts'
import { openSession } from '../sessions/open-session.ts'
import type { Session } from '../sessions/session.ts'
import { chooseNotices } from './choose-notices.ts'
import type { Notice } from './notice.ts'
import { createSendNotices } from './send-notices.ts'

// Mails are written to the right people, and go in turn. The jobs run here by hand, with a post office in place of a mail server.

const clock = createClock()
const sent: string[] = []
let db: TestDatabase
let notices: ReturnType<typeof createSendNotices>
let merchant_id: number
before(async () => {
  db = await openTestDatabase()
  merchant_id = await createMerchant(db.sql, 'Maquis')
  notices = createSendNotices({
    ...{ sql: db.sql, clock, log: pino({ level: 'silent' }) },
    mailer: {
      async send({ to }) {
        sent.push(to)
        return { kind: 'taken' }
      },
    },
    write: ({ notice }) => ({ subject: notice.name, text: notice.name }),
    makerOfKey: async () => null,
  })
})
after(() => db[Symbol.asyncDispose]())

const { invite, member } = teamsOn(() => db.sql)

async function newPerson(status: 'invited' | 'active', roles: readonly MerchantRole[], by: Actor = HOST) {
  if (status === 'active') return member('person', roles, merchant_id, by)
  const email = newAddress('person')
  const { person_id } = await invite(email, roles, merchant_id, by)
  return { email, person_id, as: seated(email) }
}

/** Addresses a notice. Returns the persons to whom a mail was written. */
async function address(notice: Notice): Promise<{ notice_id: string; person_ids: string[] }> {
  const notice_id = randomUUID()
  await notices.address({ ...notice, notice_id })
  const mails = await db.sql<{ person_id: string }[]>`select person_id from notice_mails where notice_id = ${notice_id}`
  return { notice_id, person_ids: mails.map(({ person_id }) => person_id) }
}

/** The names of the notices that await a person at this address. */
const told = async (email: string) => {
  const jobs = await db.sql<{ name: string }[]>`
    select payload ->> 'name' as name from jobs
     where kind = 'address-notice' and payload -> 'to' ->> 0 = ${email}`
  return jobs.map(({ name }) => name).sort()
}

const about = () => ({ merchant_id, livemode: false })

test('no mail about the end of a batch goes to a person who no longer has its right, even while the mail waits', async () => {
  const stays = await newPerson('active', ['maker', 'viewer'])
  const left = await newPerson('active', ['maker', 'viewer'])
  const notYet = await newPerson('invited', ['maker'])
  const remove = (person_id: string) => removeRole({ sql: db.sql }, { person_id, merchant_id, role: 'maker' }, HOST)
  await remove(left.person_id)
  const to = [stays.email, left.email, notYet.email]
  const notice: Notice = { name: 'batch_done', about: about(), subject: 'bat_1', to }
  const first = await address(notice)
  assert.deepEqual(first.person_ids, [stays.person_id])
  const waiting = await address(notice)
  await notices.send({ notice_id: first.notice_id, person_id: stays.person_id })
  await remove(stays.person_id)
  await notices.send({ notice_id: waiting.notice_id, person_id: stays.person_id })
  const outcomes = await db.sql`
    select outcome from notice_mails where person_id = ${stays.person_id} order by ended_at`
  assert.deepEqual([...outcomes], [{ outcome: 'sent' }, { outcome: 'left' }])
  assert.deepEqual(sent, [stays.email])
  const own = await address({ name: 'role_removed', about: about(), to: [stays.email], facts: { role: 'maker' } })
  assert.deepEqual(own.person_ids, [stays.person_id], 'of their own account they are told')
})

test('each kind that others can repeat has its own bound in an hour, and none silences another', async () => {
  const { email, person_id } = await newPerson('active', ['owner'])
  const fill = (kind: string, count: number) => db.sql`
    insert into notice_mails (notice_id, person_id, kind, notice)
    select gen_random_uuid(), ${person_id}, ${kind}, '{}' from generate_series(1, ${count}::integer)`
  const isTold = async (notice: Notice) => (await address(notice)).person_ids.includes(person_id)
  const role: Notice = { name: 'role_given', about: about(), to: [email], facts: { role: 'viewer' } }
  const destination: Notice = { name: 'destination_proposed', about: about(), subject: 'ben_1' }
  const approval: Notice = { name: 'request_waits', about: about(), subject: 'por_1' }
  const device: Notice = { name: 'new_device', to: [email], facts: { address: '192.0.2.1', device: '?' } }
  await fill('security', 40)
  await fill('role', 9)
  await fill('destination', 9)
  await fill('approval', 29)
  for (const notice of [role, destination, approval]) {
    assert.equal(await isTold(notice), true, notice.name)
    assert.equal(await isTold(notice), false, notice.name)
  }
  assert.equal(await isTold(device), true)
})

test('a device has a bound for each kind, apart from the notices of its own account, and its jobs the place of its push service', async () => {
  const { email, person_id } = await newPerson('active', ['owner'])
  await db.sql`
    insert into push_devices (id, person_id, address_hash, sealed, name, session_id, service, told_hour, told_counts)
    values (${randomUUID()}, ${person_id}, sha256(${person_id}::text::bytea), '', '?', 'ses_1', 'other',
            date_trunc('hour', clock_now()), '{"payment": 119, "approval": 30, "security": 500}')`
  const places = async (notice: Notice) => {
    const { notice_id } = await address(notice)
    const jobs = await db.sql<{ partition_key: string }[]>`
      select partition_key from jobs where kind = 'send-push' and payload ->> 'notice_id' = ${notice_id}`
    return jobs.map(({ partition_key }) => partition_key)
  }
  const payment: Notice = { name: 'payment_received', about: about(), subject: 'txn_1', to: [email] }
  const settlement: Notice = { name: 'settlement_paid', about: about(), subject: 'stl_1', to: [email] }
  const device: Notice = { name: 'new_device', to: [email], facts: { address: '192.0.2.1', device: '?' } }
  assert.deepEqual(await places(payment), ['push-other'])
  assert.deepEqual(await places(payment), [])
  assert.deepEqual(await places({ name: 'request_waits', about: about(), subject: 'por_1', to: [email] }), [])
  assert.deepEqual(await places(settlement), ['push-other'])
  assert.deepEqual(await places(device), ['push-other-security'])
})

test('a person who chooses where payments are not offered keeps their least payment', async () => {
  const { email, person_id } = await newPerson('active', ['owner'])
  await db.sql`insert into notice_settings (person_id, payment_min) values (${person_id}, 20000)`
  const chosen = { choosable: ['approval'], by_mail: null, by_push: [], payment_min: 0, quiet: null } as const
  const session = { person: { person_id, email } } as Session
  await chooseNotices({ sql: db.sql }, session, { ...chosen, hides_amount: true }, { address: '192.0.2.1' })
  const rows = await db.sql`select payment_min, hides_amount from notice_settings where person_id = ${person_id}`
  assert.deepEqual([...rows], [{ payment_min: 20_000, hides_amount: true }])
})

test('no mail goes to an unproven address, whatever happens to its account', async () => {
  const owner = await newPerson('active', ['owner'])
  const second = await newPerson('active', ['owner'])
  for (const status of ['invited', 'active'] as const) {
    const { email, person_id } = await newPerson(status, ['maker', 'viewer'], owner.as)
    const key = { person_id, merchant_id, role: 'maker' }
    assert.equal((await confirmRole({ sql: db.sql }, key, second.as)).kind, 'confirmed')
    assert.equal((await removeRole({ sql: db.sql }, key, owner.as)).kind, 'removed')
    assert.equal((await resetPerson({ sql: db.sql, clock }, person_id, STAFF, HOST)).kind, 'reset')
    assert.equal((await disablePerson({ sql: db.sql }, person_id, HOST)).kind, 'disabled')
    const names = ['account_reset', 'role_confirmed', 'role_removed']
    assert.deepEqual(await told(email), status === 'active' ? names : [])
  }
  const { email, person_id } = await newPerson('active', ['viewer'])
  await disablePerson({ sql: db.sql }, person_id, HOST)
  assert.deepEqual(await told(email), ['account_disabled'])
})

test('mails take turns by merchant, and those about an account by a place of their own', async () => {
  const { email, person_id } = await newPerson('active', ['approver'])
  const place = async (notice: Notice) => {
    const { notice_id } = await address(notice)
    const [job] = await db.sql`
      select partition_key, owner from jobs
       where kind = 'send-mail' and payload ->> 'notice_id' = ${notice_id} and payload ->> 'person_id' = ${person_id}`
    return job
  }
  const device: Notice = { name: 'new_device', to: [email], facts: { address: '192.0.2.1', device: '?' } }
  assert.deepEqual(await place(device), { partition_key: 'mail-security', owner: email })
  const approval: Notice = { name: 'request_waits', about: about(), subject: 'por_2' }
  assert.deepEqual(await place(approval), { partition_key: 'mail', owner: String(merchant_id) })
  await disablePerson({ sql: db.sql }, person_id, HOST)
  const [job] = await db.sql`
    select partition_key, owner from jobs
     where kind = 'address-notice' and payload ->> 'name' = 'account_disabled' and payload -> 'to' ->> 0 = ${email}`
  assert.deepEqual(job, { partition_key: 'notices-security', owner: email })
})

test('a browser without a known mark is a new device, whatever it says of itself; a command line is known by its words', async () => {
  const { email, person_id } = await newPerson('active', ['viewer'])
  const user_agent = 'Firefox on a test'
  const signIn = (more: Partial<Browser>) =>
    db.sql.begin((tx) =>
      openSession(tx, clock, { person_id, email, factor: 'totp', address: '192.0.2.1', user_agent, ...more }),
    )
  await signIn({ mark: 'the mark of a telephone' })
  await signIn({ mark: 'the mark of a telephone' })
  assert.deepEqual(await told(email), [])
  await signIn({})
  await signIn({})
  assert.equal((await told(email)).length, 2, 'a thief who knows the name of the browser')
  await signIn({ door: 'command_line' })
  assert.equal((await told(email)).length, 3)
  await signIn({ door: 'command_line' })
  assert.equal((await told(email)).length, 3)
})
