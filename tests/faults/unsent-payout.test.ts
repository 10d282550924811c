import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SENDS_MAX } from '../../src/operators/sending/decide.ts'
import { type RunningTwin, startTwin } from '../../src/twin/start-twin.ts'
import { checkPayout } from '../contract/payout-answers.ts'
import { newSender, PATIENCE, type Sender } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'

// A payout that cannot leave, because its operator is away, while the processes that send come and go: each learns anew that it is.

const WORKER = ['--only', 'worker']

let installation: Installation
let sender: Sender
let folder: string
let twin: RunningTwin
let worker: Service
before(async () => {
  twin = await startTwin()
  folder = await mkdtemp(join(tmpdir(), 'unsent-payout-'))
  installation = await openInstallation({ processes: [['--only', 'api']], own: 'audits all books' })
  sender = await newSender(installation, { mode: 'live' })
  const settings = join(folder, 'settings.json')
  await writeFile(settings, JSON.stringify(twin.connectors().pawapay!.settings))
  const awa = ['--mode', 'live', '--as', 'awa@example.com']
  await installation.bandama('connector', 'set', '--name', 'main', '--type', 'pawapay', '--settings', settings, ...awa)
  const payouts = ['--operator', 'mtn_ci', '--direction', 'payout', '--connectors', 'main']
  await installation.bandama('route', 'set', ...payouts, ...awa)
  // Only now, so that it knows of the route from its first order on.
  worker = await installation.start({ args: WORKER })
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await twin.close()
  await rm(folder, { recursive: true })
})

test('a payout that never left waits for its operator, even if the process that sends it has just started', async () => {
  await twin.close()
  const before = await sender.balances()
  const beneficiary = { msisdn: '0501017777', operator: 'mtn_ci', name: 'Awa Koné' }
  const { id } = checkPayout(await sender.send({ amount: 5_000, beneficiary }), 201)
  await untilUnsent(id, SENDS_MAX - 1)

  await worker.stop()
  await installation.start({ args: WORKER })
  assert.deepEqual(await untilUnsent(id, SENDS_MAX), { attempts: SENDS_MAX, state: 'prepared' })

  twin = await startTwin({ port: Number(new URL(twin.url).port) })
  twin.setWallet('pawapay/CIV', 5_000_000)
  await checkNow(id)
  await sender.untilPayout(id, 'succeeded')
  const { transfer } = await sender.balances()
  assert.ok(before.transfer > transfer)
  assert.equal(twin.journal().filter(({ msisdn }) => msisdn?.endsWith('0501017777')).length, 1, 'it was sent once')
  assert.equal((await installation.bandama('audit')).ok, true)
})

/** Has it looked at now, again and again, until so many of its sends are proven not to have left. */
async function untilUnsent(id: string, sends: number): Promise<{ attempts: number; state: string }> {
  const { sql } = installation.db
  return waitFor(
    async () => {
      const [row] = await sql<{ attempts: number; state: string; unsent: number }[]>`
        select i.attempts, i.state, (select count(*)::integer from sends s where s.subject_id = i.subject_id and s.not_sent_at is not null) as unsent
          from instructions i
         where i.subject_id = ${id}`
      const { attempts, state, unsent } = row!
      if (unsent >= sends) return { attempts, state }
      if (state === 'prepared' && attempts > 0) await checkNow(id)
      return null
    },
    { ...PATIENCE, what: `${sends} sends that did not leave` },
  )
}

async function checkNow(id: string): Promise<void> {
  await installation.db.sql`
    update instructions set next_check_at = clock_now() where subject_id = ${id} and state = 'prepared'`
}
