import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { newMerchant } from '../../../tests/harness/merchant.ts'
import { sampleSurroundings, sampleType } from '../../../tests/harness/sample-connector.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { Msisdn } from '../../values/msisdn.ts'
import type { Connector, NameMatch } from '../port.ts'
import { createCheckRecipient } from './check-recipient.ts'
import { dropOldChecks } from './drop-old-checks.ts'

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { merchant_id } = await newMerchant(db.sql)
const tenant = { merchant_id, livemode: true }

const surroundings = sampleSurroundings()
const sample = sampleType.create(
  { base_url: 'https://api.example.com', api_token: 'a-token-of-sample' },
  {
    name: 'main',
    livemode: true,
    http: surroundings.openHttp({}),
    callback_url: '',
    return_url: '',
    now: surroundings.now,
  },
)

/** Makes a check through an operator with this answer. */
function checks(answer: () => Promise<NameMatch>, { open = true, deadline_ms = 5_000, clock = createClock() } = {}) {
  const connector: Connector = { ...sample, checkRecipient: answer }
  return createCheckRecipient({
    sql: db.sql,
    registry: { connectorFor: () => connector, admits: () => open },
    clock,
    log: createLog('silent', 'test'),
    key: Buffer.alloc(32, 7),
    per_number: 3,
    deadline_ms,
  })
}

let numbers = 0
/** Makes a recipient whose number no other test uses. */
function newRecipient() {
  numbers += 1
  return { operator: 'mtn_ci', msisdn: Msisdn.parse(`05${String(numbers).padStart(8, '0')}`)!, name: 'Awa Koné' }
}

test('an operator that fails, or does not answer in time, leaves the match unknown', async () => {
  const failing = checks(() => Promise.reject(new Error('Koné Awa')))
  assert.equal(await failing(tenant, newRecipient()), 'unknown')
  const silent = checks(() => new Promise(() => {}), { deadline_ms: 20 })
  assert.equal(await silent(tenant, newRecipient()), 'unknown')
})

test('without an operator or a name, or while the circuit is open, no operator is asked and no check is counted', async () => {
  let asked = 0
  const answer = async (): Promise<NameMatch> => {
    asked += 1
    return 'match'
  }
  const recipient = newRecipient()
  const closed = checks(answer, { open: false })
  for (let time = 0; time < 5; time += 1) assert.equal(await closed(tenant, recipient), 'unknown')
  const open = checks(answer)
  assert.equal(await open(tenant, { ...recipient, operator: null }), 'unknown')
  assert.equal(await open(tenant, { ...recipient, name: null }), 'unknown')
  assert.equal(asked, 0)
  assert.equal(await open(tenant, recipient), 'match')
})

test('the limit of checks of one number in a day is exact for each merchant and mode, also when all ask at once', async () => {
  const clock = createClock()
  const check = checks(async () => 'no_match', { clock })
  const recipient = newRecipient()
  const words = await Promise.all(Array.from({ length: 12 }, () => check(tenant, recipient)))
  assert.equal(words.filter((word) => word === 'no_match').length, 3)
  assert.equal(words.filter((word) => word === 'too_often').length, 9)
  assert.equal(await check({ ...tenant, livemode: false }, recipient), 'no_match')
  assert.equal(await check({ ...tenant, merchant_id: (await newMerchant(db.sql)).merchant_id }, recipient), 'no_match')
  assert.equal(await check(tenant, newRecipient()), 'no_match')

  await db.sql`update recipient_checks set began_at = began_at - interval '24 hours'`
  assert.equal(await check(tenant, recipient), 'no_match', 'a new window')
  await db.sql`update recipient_checks set began_at = began_at - interval '25 hours'`
  assert.ok((await dropOldChecks(db.sql)) > 0)
  assert.deepEqual([...(await db.sql`select checks from recipient_checks`)], [])
})

test('one operator gets sixteen checks at once, and the others wait for their turn', async () => {
  let underWay = 0
  let most = 0
  const ends: (() => void)[] = []
  const check = checks(async () => {
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise<void>((resolve) => void ends.push(resolve))
    underWay -= 1
    return 'match'
  })
  const words = Promise.all(Array.from({ length: 40 }, () => check(tenant, newRecipient())))
  for (let ended = 0; ended < 40; ended += 1) {
    await waitFor(() => ends.length === Math.min(16, 40 - ended), { what: 'as many as may be' })
    ends.shift()!()
  }
  assert.deepEqual(new Set(await words), new Set(['match']))
  assert.equal(most, 16)
})
