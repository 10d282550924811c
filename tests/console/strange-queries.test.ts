import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { screens } from '../../src/app/screens.ts'
import type { Screen } from '../../src/console/screen.ts'
import { merchantRoles, staffRoles } from '../../src/values/rights.ts'
import { addLink } from '../contract/payer.ts'
import { newNumber, payout } from '../contract/sender.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { logLines } from '../harness/start-service.ts'
import { csv, draftOf, newShop } from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** Texts that a person may type into an address, as they are in it. */
const strange = [
  '%00',
  'a%00b',
  '%0D%0A',
  '%ED%A0%80',
  '%FF',
  'a'.repeat(10_000),
  '%F0%9F%98%80'.repeat(1_000),
  '%25_%5C%27',
  '-1',
  '1e309',
  '999999999999999',
  '9223372036854775808',
  '9'.repeat(40),
  '9999-99-99',
  '9999-12-31',
  '0001-01-01',
  '9999-12',
  '2026-11-26T10:00:00.000Z',
  'txn_%00',
  `txn_${'z'.repeat(64)}`,
  '999999999999999.zzz',
  'zzzzzzzzzzzzzzzzzzzzzzzzzz',
  // Every object of JavaScript has these names.
  'constructor',
  '__proto__',
]

/** Yields each value in a field, and a repeated field. */
function queriesOf(name: string): string[] {
  return [...strange.map((value) => `${name}=${value}`), `${name}=1&${name}=%00`, `${name}[]=1&${name}[a]=2`]
}

/** Makes a merchant with resources for its screens, and returns their ids by the parameters of paths. */
async function newWalk() {
  const shop = await newShop(installation)
  const { sender } = shop
  const { merchant_id } = sender.tenant
  const lines = [{ amount: 100, beneficiary: { msisdn: newNumber(), operator: 'orange_ci', name: 'Awa Koné' } }]
  const batch = ((await sender.prepare({ lines })).json() as { id: string }).id
  const held = ((await sender.send(payout(100_001))).json() as { id: string }).id
  const draft = /pbd_\w+/.exec(await draftOf(shop, csv('Awa Koné;0701020304;orange_ci;100;a')))![0]
  const { link_id } = await addLink(installation, merchant_id, { kind: 'fixed', amount: 1_500 })
  const ids: Readonly<Record<string, string>> = { batch, draft, link: link_id, format: 'csv' }
  const idOf = ({ door, path }: Screen, name: string) => {
    if (path.startsWith('/approvals/')) return held
    if (door === 'desk' && path.startsWith('/merchants/')) return String(merchant_id)
    return ids[name] ?? 'txn_01k5v0e9t8fq3a7mzd4n2xw6rb'
  }
  return { shop, idOf }
}

test('a screen answers without a fault to any text in its address', async () => {
  const { shop, idOf } = await newWalk()
  const { merchant_id } = shop.sender.tenant
  const { address } = installation.services[0]!
  const { sql } = installation.db
  const member = await openBrowser(sql, address, { merchant_id, roles: merchantRoles })
  const staff = await openBrowser(sql, address, { staff: staffRoles })
  const wrong: string[] = []
  const walk = async (door: Screen['door']) => {
    const person = door === 'console' ? member : staff
    const ask = async (path: string) => {
      const { status } = await person.get(path)
      if (status >= 500) wrong.push(`${path.slice(0, 200)}: ${status}`)
    }
    const at = door === 'console' ? shop.base : `/desk/${mode}`
    const own = (screens as readonly Screen[]).filter((screen) => screen.door === door && screen.method === 'GET')
    for (const screen of own) {
      const path = `${at}${screen.path.replace(/:(\w+)/g, (_, name: string) => idOf(screen, name))}`
      for (const name of screen.query ?? []) for (const query of queriesOf(name)) await ask(`${path}?${query}`)
      if (screen.path.includes(':'))
        for (const value of strange) await ask(`${at}${screen.path.replace(/:\w+/g, value)}`)
    }
    // One place reads the fields that every screen has.
    for (const name of ['lang', 'done']) for (const query of queriesOf(name)) await ask(`${at}?${query}`)
  }
  await Promise.all([walk('console'), walk('desk')])
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    logLines(installation.services[0]!.output()).filter((line) => /"level":"(?:error|fatal)"/.test(line)),
    [],
  )
})
