import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { actor } from '../../tests/harness/actor.ts'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { perform } from '../../tests/harness/perform.ts'
import { teamsOn } from '../../tests/harness/teams.ts'
import type { NoticeJob } from '../people/notices/notify.ts'
import { createSendNotices } from '../people/notices/send-notices.ts'
import { createClock } from '../platform/clock.ts'
import { decideCheck, proposeCheck } from './check-merchant.ts'

const clock = createClock()
let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const { member } = teamsOn(() => db.sql)

test('only a confirmed check is told, and only to the owners', async () => {
  const { sql } = db
  const merchant_id = await createMerchant(sql, 'Maquis')
  await sql`update merchants set is_checked = false where merchant_id = ${merchant_id}`
  const owner = await member('awa', ['owner'], merchant_id)
  await member('issa', ['approver'], merchant_id)
  const [ama, kofi] = [actor('ama@example.com'), actor('kofi@example.com')]
  const decided = async (act: (typeof decideCheck)['approve' | 'refuse']) => {
    const made = await perform(proposeCheck, { sql, clock }, { merchant_id }, ama)
    assert.ok(made.kind === 'done')
    const done = await perform(act, { sql, clock }, { id: made.result.proposal_id }, kofi)
    assert.equal(done.kind, 'done')
    return sql<
      { payload: NoticeJob }[]
    >`select payload from jobs where kind = 'address-notice' and payload ->> 'name' = 'merchant_checked'`
  }
  assert.equal((await decided(decideCheck.refuse)).length, 0)
  const [job, ...others] = await decided(decideCheck.approve)
  assert.deepEqual(others, [])

  // A service without a mail server writes no mail.
  const post = { send: async () => ({ kind: 'taken' }) as const }
  const notices = createSendNotices({
    ...{ sql, clock, log: pino({ level: 'silent' }), mailer: post },
    write: ({ notice }) => ({ subject: notice.name, text: notice.name }),
    makerOfKey: async () => null,
  })
  await notices.address(job!.payload)
  const mails = await sql<{ person_id: string }[]>`select person_id from notice_mails`
  assert.deepEqual(
    mails.map(({ person_id }) => person_id),
    [owner.person_id],
  )
  await notices.send({ notice_id: job!.payload.notice_id, person_id: owner.person_id })
  assert.deepEqual([...(await sql`select outcome from notice_mails`)], [{ outcome: 'sent' }])
})
