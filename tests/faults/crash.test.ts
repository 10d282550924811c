import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDatabase } from '../harness/database.ts'
import { installOn, type KeptInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { checkAcknowledged, checkEvents, checkMoney, waitForEnds } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { confirm, type Load, startLoad } from './load.ts'

/** Half of them of a process with both roles, half of the API and the worker in turn. The night has twenty. */
const KILLS = Number(process.env.KILLS ?? 4)
/** The time after the last kill within which all work continues by itself. */
const RECOVERY_MS = 60_000

test('a service killed again and again under load loses nothing, does nothing twice and recovers by itself', {
  timeout: 420_000,
}, async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  await using receiver = await startReceiver()
  const installation = await installOn(db.url)
  const merchant = await newMerchant(db.sql, {
    commission: 100,
    endpoint: { url: receiver.url, secret_key: installation.secret_key },
  })
  await using running = new Running(installation)

  await running.start('all')
  const load = startLoad({ address: installation.address, key: merchant.key, seed })
  await using _stopped = { [Symbol.asyncDispose]: load.stop }
  for (let kill = 0; kill < KILLS / 2; kill += 1) {
    await liveFor(seed, load)
    await running.kill('all')
    await running.start('all')
  }
  await running.stop('all')
  await Promise.all(['api', 'worker'].map((role) => running.start(role)))
  for (let kill = 0; kill < KILLS / 2; kill += 1) {
    await liveFor(seed, load)
    const role = kill % 2 === 0 ? 'api' : 'worker'
    await running.kill(role)
    await running.start(role)
  }
  assert.equal(running.kills, KILLS)
  assert.ok(load.cut >= KILLS / 2, `${load.cut} requests were under way when the service was killed`)
  await load.stop()

  const lastKill = performance.now()
  const lost = load.wanted.filter(({ acknowledged }) => acknowledged === null)
  await confirm(load, { address: installation.address, key: merchant.key })
  const again = await waitForEnds(db.sql, RECOVERY_MS)
  const ended_ms = performance.now() - lastKill
  await checkAcknowledged(db.sql, load)
  await checkMoney(db.sql, installation)
  // A delivery that a dead process held is free again when its lease ends.
  await db.moveClock('31 seconds')
  const { events, copies } = await checkEvents(db.sql, receiver, merchant, RECOVERY_MS)
  t.diagnostic(
    `${load.wanted.length} payments, ${load.acknowledgements} times acknowledged, ${load.unanswered} requests unanswered ` +
      `(${load.cut} cut), ${lost.length} payments acknowledged only afterwards, ${again} sent again, ${events} events in ` +
      `${copies} copies; all ended ${Math.round(ended_ms)} ms after the last kill`,
  )
})

/** Lets the service accept payments for a random time, because a kill proves something only during work. */
async function liveFor(seed: Seed, load: Load): Promise<void> {
  const before = load.acknowledgements
  await waitFor(() => load.acknowledgements > before, { what: 'a payment to be taken' })
  await sleep(seed.between(100, 700))
}

/** The running processes, by their role. */
class Running {
  kills = 0
  #processes = new Map<string, Service>()
  #installation: KeptInstallation

  constructor(installation: KeptInstallation) {
    this.#installation = installation
  }

  async start(role: string): Promise<void> {
    this.#processes.set(role, await this.#installation.start({ args: role === 'all' ? [] : ['--only', role] }))
  }

  async kill(role: string): Promise<void> {
    const { signal } = await this.#processes.get(role)!.kill('SIGKILL')
    // The process had not ended by itself before the kill.
    assert.equal(signal, 'SIGKILL')
    this.kills += 1
  }

  stop(role: string): Promise<void> {
    return this.#processes.get(role)!.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process[Symbol.asyncDispose]()))
  }
}
