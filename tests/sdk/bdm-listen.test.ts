import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { handler } from '../../sdk/typescript/src/express.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import { isCitus } from '../harness/citus.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { livemode } from '../harness/mode.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { payments } from '../harness/webhooks.ts'
import { openStand, type Running, type Stand } from './bdm-stand.ts'

/** Events of the long test. A night writes 20 000 (tests/nightly.ts), with 200 kills and 50 cuts. */
const EVENTS = Number(process.env.BDM_EVENTS ?? 240)
const KILLS = Math.max(6, EVENTS / 100)
const CUTS = Math.max(3, EVENTS / 400)
const AT_ONCE = 50
const PATIENCE = { deadline_ms: 60_000 + EVENTS * 20 }

const skip = isCitus && 'the feed is not offered on a cluster'
const clock = createClock()

let installation: Installation
let stand: Stand
before(async () => {
  installation = await openInstallation()
  stand = await openStand(installation)
})
after(async () => {
  await stand[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

/** Logs a new merchant in under a profile, at the service or at a line to it. */
async function logIn(profile: string, url?: string): Promise<Tenant> {
  const { merchant_id, key } = await newMerchant(installation.db.sql)
  const words = ['login', '--profile', profile, ...(url === undefined ? [] : ['--url', url])]
  const { code, err } = await stand.run(words, { input: `${key}\n` })
  assert.equal(code, 0, err)
  return { merchant_id, livemode }
}

/** Writes events that have happened, and returns their ids. */
async function happen(tenant: Tenant, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let left = count; left > 0; left -= AT_ONCE) {
    const events = payments(tenant, Math.min(left, AT_ONCE))
    ids.push(...(await installation.db.sql.begin((tx) => emitEvents(tx, events, clock.now()))))
  }
  return ids
}

/** A developer's receiver, which takes what the package's own handler verifies. `refuse`: what it answers in place of that. */
async function openReceiver(profile: string) {
  const { secret } = await stand.profile(profile)
  const taken: string[] = []
  const state = { refuse: null as number | null, refused: 0, taken }
  const handle = handler(secret, (event) => void taken.push(event.id))
  const server = createHttpServer((request, response) => {
    if (state.refuse === null) return handle(request, response)
    state.refused += 1
    response.writeHead(state.refuse).end('not now')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

/** A line to the service that can be cut. */
async function openLine(target: string) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

const listening = (running: Running) =>
  waitFor(async () => running.err.includes('Your place is kept in'), { what: `listen: ${running.err}` })

test('listen loses no event under kills and cuts, repeats one at most for each, and signs as the service does', {
  skip,
  timeout: 120_000 + EVENTS * 40,
}, async (t) => {
  const seed = openSeed(t)
  await using line = await openLine(installation.services[0]!.address)
  const tenant = await logIn('kills', line.url)
  await using receiver = await openReceiver('kills')
  const words = ['listen', '--profile', 'kills', '--forward-to', receiver.url]
  let running = stand.start(words)
  await listening(running)
  // As many cuts among the kills as there are to be, in an order that the seed decides.
  const faults: ('kill' | 'cut')[] = Array(KILLS).fill('kill')
  for (let cuts = 0; cuts < CUTS; cuts += 1) faults.splice(seed.between(0, faults.length), 0, 'cut')
  const written: string[] = []
  const share = Math.floor(EVENTS / faults.length)
  for (const [at, fault] of faults.entries()) {
    const left = at === faults.length - 1 ? EVENTS - written.length : share
    const before = receiver.taken.length
    written.push(...(await happen(tenant, left)))
    const some = before + seed.between(0, share)
    await waitFor(async () => receiver.taken.length >= Math.min(some, written.length), { ...PATIENCE, what: 'events' })
    if (fault === 'cut') line.cut()
    else {
      running.kill('SIGKILL')
      await running.ended
      running = stand.start(words)
    }
  }
  await waitFor(async () => new Set(receiver.taken).size >= written.length, { ...PATIENCE, what: 'the last events' })
  running.kill('SIGTERM')
  assert.equal(await running.ended, 0, running.err)
  assert.deepEqual([...new Set(receiver.taken)].sort(), [...written].sort())
  const repeated = receiver.taken.length - written.length
  assert.ok(repeated <= KILLS + CUTS, `${repeated} repeated`)
  t.diagnostic(`${written.length} events, ${KILLS} kills, ${CUTS} cuts: 0 lost, ${repeated} repeated`)
})

test('listen keeps its place while the receiver refuses, says what to do, and goes on from there', {
  skip,
}, async () => {
  const tenant = await logIn('refused')
  await using receiver = await openReceiver('refused')
  const words = ['listen', '--profile', 'refused', '--forward-to', receiver.url]
  receiver.refuse = 400
  const first = stand.start(words)
  await listening(first)
  const ids = await happen(tenant, 2)
  await waitFor(async () => /400: not now \(its secret must be/.test(first.err), { what: 'the remedy' })
  await waitFor(async () => /To go on without it: add --skip evt_/.test(first.err), { what: 'the way round' })
  first.kill('SIGTERM')
  assert.equal(await first.ended, 0)
  receiver.refuse = null
  const second = stand.start(words)
  await waitFor(async () => receiver.taken.length === 2, { what: 'both events' })
  second.kill('SIGTERM')
  await second.ended
  assert.deepEqual(new Set(receiver.taken), new Set(ids))
  const [skipped, next] = await happen(tenant, 2)
  const third = stand.start([...words, '--skip', skipped!])
  await waitFor(async () => receiver.taken.length === 3, { what: 'the event after the skipped one' })
  third.kill('SIGTERM')
  await third.ended
  assert.equal(receiver.taken.at(-1), next)
  const { key, secret } = await stand.profile('refused')
  for (const { err } of [first, second]) assert.ok(err.includes(secret) && !err.includes(key))
})

test('the place of another merchant is refused with one sentence, and stays kept', { skip }, async () => {
  await logIn('moved')
  await using receiver = await openReceiver('moved')
  const words = ['listen', '--profile', 'moved', '--forward-to', receiver.url]
  const first = stand.start(words)
  await listening(first)
  first.kill('SIGKILL')
  await first.ended
  await logIn('moved')
  const { code, err } = await stand.run(words)
  assert.equal(code, 1)
  assert.match(err.trimEnd().split('\n').at(-1)!, /^The kept place is refused, .* --from now\./)
  const other = stand.start([...words, '--from', 'now'])
  await listening(other)
  other.kill('SIGTERM')
  assert.equal(await other.ended, 0)
})
