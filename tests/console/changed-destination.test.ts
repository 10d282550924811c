import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newNumber } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import { hold, untilWaiting } from '../harness/hold.ts'
import { settlementList as list, openSettlementDesk, type SettlementDesk } from './settlement-desk.ts'

// The merchant changes its destination after a settlement was validated: the transfer leaves only after a person has seen it.

let desk: SettlementDesk
before(async () => {
  desk = await openSettlementDesk()
})
after(() => desk.installation[Symbol.asyncDispose]())

const takeFile = async (fields: Record<string, string> = {}) =>
  desk.kofi.post(`${list}/bank-file`, { taken_at: '', ...fields }, `${list}?status=validated`)

test('a file for the bank leaves out a transfer to a destination that has changed, and the desk names it', async () => {
  const { settler, kofi, validated } = desk
  const [first, second] = [await validated(5_000), await validated(6_000)]
  await settler.designate(await settler.newWallet(newNumber()), '2026-02-01T00:00:00.000Z')

  const page = await kofi.get(`${list}?status=validated`)
  assert.match(page.text, /Hors du fichier\s: la destination a changé \(2\)/)
  assert.ok(page.text.includes(`href="${list}/${first}"`))
  assert.doesNotMatch(page.text, /Fichier pour la banque/)
  const none = await takeFile()
  assert.equal(none.status, 409)
  assert.match(none.text, /Aucun virement nouveau/)

  // One of the staff asks the merchant, and takes the one transfer that it still wants.
  const shown = await kofi.get(`${list}/${first}`)
  assert.match(shown.text, /Une autre est désignée[\s\S]*Ce virement n’est pas dans le fichier des autres/)
  const alone = await takeFile({ settlement: first })
  assert.equal(alone.status, 200)
  assert.ok(alone.text.includes(first) && !alone.text.includes(second))
  assert.doesNotMatch((await kofi.get(`${list}/${first}`)).text, /Fichier de ce seul virement/)
  assert.match((await kofi.get(`${list}?status=validated`)).text, /la destination a changé \(1\)/)
  assert.equal((await takeFile({ settlement: first })).status, 409, 'a second file with the same transfer')
})

test('a lost file is taken again whole, also after its destination has changed', async () => {
  const settler = await newSettler(desk.installation)
  const id = await desk.validated(8_000, settler)
  assert.ok((await takeFile()).text.includes(id))
  const [taken] = await desk.installation.db.sql<{ account_taken_at: Date }[]>`
    select account_taken_at from settlements where id = ${id}`
  await settler.designate(await settler.newWallet(newNumber()), '2026-02-01T00:00:00.000Z')
  const again = await takeFile({ taken_at: taken!.account_taken_at.toISOString() })
  assert.ok(again.text.includes(id), 'its transfer may have been ordered from the lost file')
})

test('a file for the bank waits for a change of the destination, and leaves the transfer out', async () => {
  const { sql } = desk.installation.db
  const id = await desk.validated(7_000, await newSettler(desk.installation))
  const changing = await hold(
    sql,
    (tx) => tx`
      update beneficiaries
         set designated_at = null
       where (merchant_id, livemode, id) = (select merchant_id, livemode, beneficiary_id from settlements where id = ${id})`,
  )
  const taken = takeFile()
  await untilWaiting(sql, { statement: 'for share' })
  await changing.letGo()
  const file = await taken
  assert.equal(file.status, 409)
  assert.match(file.text, /Aucun virement nouveau/)
  const [settlement] = await sql`select account_taken_at from settlements where id = ${id}`
  assert.deepEqual(settlement, { account_taken_at: null })
})
