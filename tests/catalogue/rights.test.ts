import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { STAFF } from '../../src/people/person.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import {
  allRights,
  decisionsOfTwo,
  halves,
  merchantRoles,
  type Right,
  rolesToConfirm,
  staffRoles,
} from '../../src/values/rights.ts'
import { openTestDatabase, type TestDatabase } from '../harness/database.ts'
import { newAddress, teamsOn } from '../harness/teams.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

/** The acts that one person does alone, and why a second one is not asked. */
const alone: Partial<Record<Right, string>> = {
  'beneficiaries.manage': 'an entry of the book receives nothing without a payout',
  'links.manage': 'a link only collects',
  'links.close': 'stops a link from collecting',
  'refunds.ask': 'asks; the company decides',
  'exports.take': 'only reads',
  'webhooks.manage': 'tells of money and moves none',
  'caps.limit_payments': 'lowers a limit',
  'payouts.stop': 'stops money, which cannot wait',
  'merchants.look': 'reads, with a reason that the merchant sees',
  'fees.manage': 'changes what the company earns',
  'payouts.fund': 'moves a merchant’s own money from one of its balances to the other',
  'accounts.manage': 'says where money is booked and which days banks work, and moves none',
  'statements.import': 'brings what operators and banks say, and moves no money by it',
  'float.manage': 'notes a balance that the operator stated',
  'listings.rebuild': 'writes again what the records say',
}

test('each right that acts is one half of a decision of two people, or one person is known to suffice', () => {
  for (const right of allRights) {
    const reads = right.endsWith('.read')
    const places = [reads, halves.has(right), right in alone].filter(Boolean)
    assert.equal(places.length, 1, `${right}: enter it in decisionsOfTwo, or here with a reason`)
  }
})

test('each check of two people in the database belongs to a decision of the table, and each decision has its own', async () => {
  const rows = await db.sql<{ name: string }[]>`
    select conname as name from pg_constraint where conname ~ '_two_people|_makers_side|_independent$'
     union
    select tgname from pg_trigger where not tgisinternal and tgname ~ '_two_people|_makers_side|_independent$|_of_others$'`
  const held = Object.values(decisionsOfTwo).flatMap(({ checks }): readonly string[] => checks)
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), held.toSorted())
})

test('a role waits for a second person exactly if it has one half of a decision', () => {
  const alwaysAlone = [...merchantRoles, ...staffRoles].filter((role) => !rolesToConfirm.has(role))
  assert.deepEqual(alwaysAlone, ['viewer', 'cashier', 'support'])
})

const { invite } = teamsOn(() => db.sql)

for (const role of [...merchantRoles, ...staffRoles]) {
  test(`the database has the same list: ${role}`, async () => {
    const { person_id } = await invite(newAddress('new'), ['support'])
    const merchant_id = (staffRoles as readonly string[]).includes(role) ? STAFF : 1
    await db.sql`delete from person_roles where person_id = ${person_id}`
    const insert = db.sql`
      insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation)
      values (${person_id}, ${merchant_id}, ${role}, 'ama@example.com', false)`
    if (!rolesToConfirm.has(role)) return void (await insert)
    await assert.rejects(Promise.resolve(insert), (error) => violatedConstraint(error) === 'person_roles_confirmed')
  })
}
