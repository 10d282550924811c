import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { createMerchant } from '../../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { teamsOn } from '../../../tests/harness/teams.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createClock } from '../../platform/clock.ts'
import { firstIdAt } from '../../values/ids.ts'
import { emitEvents } from '../../webhooks/emit.ts'
import { createTellOfPayments } from './tell-of-payments.ts'

// Payments are told as they come. The round runs here by hand; the sum of the day is 1 000 francs.

const clock = createClock()
let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const { member } = teamsOn(() => db.sql)
const at = (time: string) => ({ ...clock, now: () => new Date(time) })
const tellAt = (now = clock) =>
  createTellOfPayments({
    ...{ sql: db.sql, clock: now, log: pino({ level: 'silent' }) },
    takingsOf: async () => ({ count: 1, amount: 1_000 }),
  })()

type Told = { name: string; subject: string | null; to: string[]; facts: Record<string, string> }
const told = (merchant_id: number) =>
  db.sql<Told[]>`
    select payload ->> 'name' as name, payload ->> 'subject' as subject, payload -> 'to' as to, payload -> 'facts' as facts
      from jobs
     where kind = 'address-notice' and payload -> 'about' ->> 'merchant_id' = ${String(merchant_id)}
     order by id`

async function follow(merchant_id: number, quiet_from: number | null) {
  const { email, person_id } = await member('person', ['viewer'], merchant_id)
  await db.sql`
    insert into notice_settings (person_id, mails_asked, quiet_from, quiet_to)
    values (${person_id}, '{payment,takings}', ${quiet_from}, ${quiet_from && (quiet_from + 60) % 1_440})`
  return email
}

/** Writes the event of a payment that succeeded so long ago. */
const pay = (merchant_id: number, id: string, minutes_ago: number) => {
  const moment = new Date(clock.milliseconds() - minutes_ago * 60_000)
  const data = { id, amount: 500, succeeded_at: moment.toISOString() }
  const event = { merchant_id, livemode: false, type: 'payment.succeeded', subject_id: id, data } as const
  const given = firstIdAt('evt', moment.getTime())
  return db.sql.begin((tx) => emitEvents(tx, [{ ...event, id: given }], moment))
}

test('payments of the last hour are told to those who are not quiet, and older ones to nobody', async () => {
  const merchant_id = await createMerchant(db.sql, 'Maquis')
  const minute = clock.now().getUTCHours() * 60 + clock.now().getUTCMinutes()
  const awake = await follow(merchant_id, null)
  await follow(merchant_id, (minute + 1_430) % 1_440 || 1)
  await tellAt()
  for (const [id, minutes_ago] of [
    ['txn_1', 4_000],
    ['txn_2', 3_000],
    ['txn_3', 200],
    ['txn_4', 70],
    ['txn_5', 3],
    ['txn_6', 2],
  ] as const) {
    await pay(merchant_id, id, minutes_ago)
  }
  const found = await waitFor(
    async () => {
      await tellAt()
      const notices = (await told(merchant_id)).filter(({ name }) => name.startsWith('payment'))
      return notices.length > 0 && notices
    },
    { what: 'the payments to be told' },
  )
  assert.deepEqual(found.map(({ subject, to }) => [subject, ...to]).sort(), [
    ['txn_5', awake],
    ['txn_6', awake],
  ])
})

test('the sums of a day are told by and by, once each, with their day and time', async () => {
  const merchant_id = await createMerchant(db.sql, 'Maquis')
  const offset = merchant_id % 15
  const email = await follow(merchant_id, null)
  await tellAt(at('2026-11-20T12:00:00Z'))
  const time = (minutes: number) => `20:${String(minutes).padStart(2, '0')}`
  const before = new Date(Date.parse(`2026-11-20T${time(offset)}:00Z`) - 60_000).toISOString()
  await tellAt(at(before))
  assert.deepEqual(await told(merchant_id), [])
  const due = at(`2026-11-20T${time(offset)}:30Z`)
  await Promise.all([tellAt(due), tellAt(due)])
  await tellAt(due)
  const facts = { count: '1', amount: '1000', day: '2026-11-20', at: time(offset) }
  const one = { name: 'day_taken', subject: '2026-11-20', to: [email], facts }
  assert.deepEqual(
    (await told(merchant_id)).map((row) => ({ ...row })),
    [one, one],
    'once for each mode',
  )
})
