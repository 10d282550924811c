import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import { newSender, PATIENCE, type Sender } from './sender.ts'

// A contract may be given the keys of another account while an order is in doubt. The other account has never heard of it, and carrying it
// out there would pay a second time.

const AWA = ['--as', 'awa@example.com']

let first: RunningTwin
let second: RunningTwin
let installation: Installation
let folder: string
let sender: Sender

before(async () => {
  first = await startTwin()
  second = await startTwin()
  folder = await mkdtemp(join(tmpdir(), 'connectors-'))
  installation = await openInstallation({ own: 'connects operators' })
  sender = await newSender(installation, { mode: 'live' })
  await set(first)
  const route = ['--mode', 'live', '--operator', 'mtn_ci', '--direction', 'payout', '--connectors', 'mtn']
  await installation.bandama('route', 'set', ...route, ...AWA)
  await waitFor(isConnected, { ...PATIENCE, what: 'the route to be in force' })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await Promise.allSettled([first.close(), second.close()])
  await rm(folder, { recursive: true })
})

async function isConnected(): Promise<boolean> {
  const { data } = (await installation.ask({ path: '/x/operators', key: sender.key })).json() as {
    data: { code: string; payout: { available: boolean } }[]
  }
  return data.some(({ code, payout }) => code === 'mtn_ci' && payout.available)
}

async function set(twin: RunningTwin): Promise<void> {
  const file = join(folder, 'settings.json')
  await writeFile(file, JSON.stringify(twin.connectors().mtn!.settings))
  const words = ['--name', 'mtn', '--type', 'mtn_momo', '--mode', 'live', '--settings', file]
  await installation.bandama('connector', 'set', ...words, ...AWA)
}

test('a payout in doubt does not leave again through another account, and people are told', async () => {
  const { sql } = installation.db
  const msisdn = newPayer().replace(/^07/, '05').replace(/0000$/, '7777')
  first.fault({ fault: 'late_answer', direction: 'payout', after_seconds: 60, times: 1 })
  first.fault({ fault: 'callback_never' })
  const beneficiary = { msisdn, operator: 'mtn_ci', name: 'Awa Koné' }
  const { id } = (await sender.send({ amount: 25_000, beneficiary })).json() as { id: string }
  await waitFor(() => first.journal().length === 1, { ...PATIENCE, what: 'the first account to pay' })
  await set(second)
  await first.close()

  const told = () => sql<{ evidence: { reason: string } }[]>`
    select evidence from anomalies where subject_id = ${id} and kind = 'in_doubt'`
  const sentAgain = () => sql`select attempt from sends where subject_id = ${id} and attempt > 1`
  const decided = async () => [...(await told()), ...(await sentAgain())].length > 0
  await waitFor(decided, { ...PATIENCE, what: 'the second account to say that it does not hold it' })
  assert.deepEqual(await sentAgain(), [])
  assert.match((await told())[0]!.evidence.reason, /settings/)
  assert.equal(second.journal().length, 0)
  const [instruction] = await sql`select state, attempts from instructions where subject_id = ${id}`
  assert.deepEqual(instruction, { state: 'unknown', attempts: 1 })
})
