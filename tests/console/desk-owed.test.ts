import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import { newSettler, type Settler } from '../contract/settler.ts'
import { depositToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode, otherMode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// The money of all merchants in one mode: owed to them, and held by operators and the bank.

let installation: Installation
let settlers: Settler[]
let support: Member

before(async () => {
  installation = await openInstallation({ own: 'adds up all merchants' })
  settlers = [
    await newSettler(installation, { available: 100_000 }),
    await newSettler(installation, { available: 40_000 }),
  ]
  support = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
})
after(() => installation[Symbol.asyncDispose]())

type Facts = {
  owed: Record<string, number>
  held: { holder: string; amount: number }[]
  earned: number
  charged: number
  own: number
}
const read = async (of: string) => (await support.facts(`/desk/${of}/owed`)).body as Facts
const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0)

test('the debts to merchants and the service’s own money equal the money that others hold, over all merchants of the mode', async () => {
  const { sql } = installation.db
  await depositToTransfer(sql, settlers[0]!.tenant, 25_000, createClock(), { reference: 'VIR-1' })
  await settlers[1]!.request(15_000)
  const { owed, held, earned, charged, own } = await read(mode)
  const balances = await Promise.all(settlers.map((settler) => settler.balances()))
  for (const account of ['available', 'transfer', 'payouts_in_flight', 'settlements_in_flight'] as const) {
    assert.equal(owed[account], sum(balances.map((of) => of[account])), account)
  }
  assert.deepEqual([owed.transfer, owed.settlements_in_flight], [25_000, 15_000])
  assert.equal(held.find(({ holder }) => holder === 'bank')!.amount, 25_000)
  assert.equal(sum(held.map(({ amount }) => amount)), sum(Object.values(owed)) + earned - charged + own)
  const { text } = await support.get(`/desk/${mode}/owed`)
  assert.match(text, /15\u202f000/)
})

test('the other mode shows none of it, and compliance does not read it', async () => {
  const { owed, held } = await read(otherMode)
  assert.deepEqual([sum(Object.values(owed)), sum(held.map(({ amount }) => amount))], [0, 0])
  const compliance = await openMember(installation, 'Awa Bamba', { staff: ['compliance'] })
  assert.equal((await compliance.get(`/desk/${mode}/owed`)).status, 403)
})
