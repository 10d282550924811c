import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkRefusal } from './answers.ts'
import { holdClock, newNumber } from './sender.ts'
import { checkSettlement, newSettler, type Settler } from './settler.ts'

// The end of a destination's cooling-off, to the second, by the database's clock.

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
})
after(() => installation[Symbol.asyncDispose]())

const to = (beneficiary: string) => ({ body: { amount: 5_000, beneficiary } })
const TOO_RECENT = [422, 'destination_trop_recente'] as const

/** Reads the moment that the refusal names. */
async function namedMoment(settler: Settler, wallet: string): Promise<Date> {
  const message = checkRefusal(await settler.request(0, to(wallet)), ...TOO_RECENT)
  const [, day, time] = /from (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC on\.$/.exec(message) ?? []
  assert.ok(day !== undefined, message)
  return new Date(`${day}T${time}Z`)
}

test('a destination can be used 24 hours after its designation, and the refusal names the time', async () => {
  const settler = await newSettler(installation)
  const wallet = await settler.newWallet(newNumber())
  const { designated_at } = (await settler.designate(wallet)) as { designated_at: string }
  const moment = await namedMoment(settler, wallet)
  const late = moment.getTime() - (Date.parse(designated_at) + 24 * 3_600_000)
  // A whole second if the designation is in the first millisecond of one, because the answer drops the fraction.
  assert.ok(late >= 0 && late <= 1_000, `${designated_at} and ${moment.toISOString()}: never named too early`)

  await holdClock(installation, new Date(moment.getTime() - 1_000))
  assert.deepEqual(await namedMoment(settler, wallet), moment)
  await holdClock(installation, moment)
  const { id } = checkSettlement(await settler.request(0, to(wallet)), 202)
  await installation.db.moveClock('0')
  // Designated again, it keeps its time, and accepted settlements stay accepted.
  await settler.designate(wallet)
  checkSettlement(await settler.read(id), 200, { status: 'pending_validation' })
})

test('the time that the refusal names is late enough, even if the second had just begun', async () => {
  const settler = await newSettler(installation)
  const wallet = await settler.newWallet(newNumber())
  await settler.designate(wallet)
  const { sql } = installation.db
  const [row] = await sql<{ begun: string }[]>`
    select (date_trunc('second', designated_at) + interval '400 microseconds')::text as begun from beneficiaries where id = ${wallet}`
  await sql`update beneficiaries set designated_at = ${row!.begun}::timestamptz where id = ${wallet}`
  await holdClock(installation, await namedMoment(settler, wallet))
  checkSettlement(await settler.request(0, to(wallet)), 202)
  await installation.db.moveClock('0')
})

test('a designation in the past counts from its own time, and one in the future not before its time', async () => {
  const settler = await newSettler(installation)
  const wallet = await settler.newWallet(newNumber())
  const hoursAgo = async (hours: number) => {
    const [row] = await installation.db.sql<{ at: Date }[]>`select clock_now() - make_interval(hours => ${hours}) as at`
    return row!.at.toISOString()
  }
  await settler.designate(wallet, await hoursAgo(23))
  checkRefusal(await settler.request(0, to(wallet)), ...TOO_RECENT)
  const later = await hoursAgo(-48)
  await settler.designate(wallet, later)
  assert.equal(
    (await namedMoment(settler, wallet)).getTime(),
    Math.ceil(Date.parse(later) / 1_000) * 1_000 + 24 * 3_600_000,
  )
  await settler.designate(wallet, await hoursAgo(25))
  checkSettlement(await settler.request(0, to(wallet)), 202)
})

test('the hours and the floor are settings', async () => {
  await using open = await openInstallation({ env: { SETTLEMENT_MIN: '1', DESTINATION_COOLING_HOURS: '0' } })
  const settler = await newSettler(open)
  const wallet = await settler.newWallet(newNumber())
  await settler.designate(wallet)
  checkSettlement(await settler.request(0, { body: { amount: 1, beneficiary: wallet } }), 202)
})
