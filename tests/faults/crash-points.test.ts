import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode } from '../harness/mode.ts'
import { checkPayouts, checkRefundEvents, checkRefunds, waitForPayouts, waitForRefunds } from '../harness/oracle.ts'
import { type Service, startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import type { Moment, Work } from './kills/moment.ts'
import { payoutMoments } from './kills/payouts.ts'
import { refundMoments } from './kills/refunds.ts'
import { killDecisions, settlementMoments } from './kills/settlements.ts'

// One installation is killed at each dangerous moment, one after the other, and started again. The work of each moment has a merchant of its
// own, and is recovered while the next one is made.

const moments = [...payoutMoments(), ...refundMoments(), ...settlementMoments()]

/**
 * The moments of each installation. In live mode each has one: after a kill its connector rests until its orders in doubt are told, so the next
 * moment would have to wait for them.
 */
const stages = livemode ? moments.map((moment) => [moment]) : [moments]

/** The time after the last kill within which all work ends by itself. */
const RECOVERY_MS = 90_000

describe('a service that is killed', { concurrency: 5 }, () => {
  for (const stage of stages) {
    const name = livemode ? nameOf(stage[0]!) : 'at one moment after the other'
    describe(name, { concurrency: 1 }, () => testStage(stage))
  }
})

function nameOf({ point, time, by }: Moment): string {
  return `${point}:${time}, by ${by}`
}

function testStage(stage: readonly Moment[]): void {
  let installation: Installation
  let service: Service
  const works = new Map<Moment, Work>()

  /** Starts the service, which dies at a moment once it is told. */
  async function start(moment: Moment | undefined): Promise<void> {
    const at = moment === undefined ? {} : { CRASH_POINTS: 'on_signal', CRASH_AT: `${moment.point}:${moment.time}` }
    service = await installation.start({ env: at })
  }

  before(async () => {
    installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '0' }, processes: [] })
    await start(stage[0])
  })
  after(() => installation[Symbol.asyncDispose]())

  for (const [rank, moment] of stage.entries()) {
    const { point } = moment
    test(`${nameOf(moment)}: each request has its one answer from the next process`, async () => {
      const dying = service
      const work = await moment.prepare(installation, dying.address)
      works.set(moment, work)
      process.kill(dying.pid, 'SIGUSR2')
      await waitFor(() => dying.output().includes(`crash point ${point}: passes count`), { what: 'passes to count' })
      await work.run(dying.address)
      const ending = await waitFor(() => Promise.race([dying.ended, null]), { what: point })
      assert.equal(ending.signal, 'SIGKILL')
      assert.match(dying.output(), new RegExp(`crash point ${point}: SIGKILL`))
      await start(stage[rank + 1])
      await work.confirm(service.address)
    })
  }

  test('after all of them nothing is lost, nothing was sent twice, everything ends', async (t) => {
    const { sql, moveClock } = installation.db
    await waitForRefunds(sql, RECOVERY_MS)
    await waitForPayouts(sql, RECOVERY_MS)
    // A delivery that a dead process held is free again when its lease ends.
    await moveClock('31 seconds')
    const undelivered = () => sql`select from deliveries where status <> 'delivered' limit 1`
    await waitFor(async () => (await undelivered()).length === 0, { what: 'every event to arrive' })
    assert.equal(works.size, stage.length)
    for (const [moment, work] of works) await t.test(nameOf(moment), () => work.check())
    t.diagnostic(JSON.stringify({ refunds: await checkRefunds(sql), payouts: await checkPayouts(sql) }))
    await checkRefundEvents(sql)
  })

  // No order leaves, and no service starts: once is enough.
  if (livemode) return
  test('a decision whose process is killed before its commit leaves no trace, and succeeds when repeated', () =>
    killDecisions(installation, service.address))

  test('a crash point without its switch, or one that does not exist, stops the start', async () => {
    const { url } = installation.db
    for (const wrong of [
      { CRASH_AT: 'before_send' },
      { CRASH_AT: 'before_send:0', CRASH_POINTS: 'on' },
      { CRASH_AT: 'whenever', CRASH_POINTS: 'on' },
    ]) {
      const env = { ...wrong, SECRET_KEY: installation.secret_key }
      await assert.rejects(startService({ url, env }), /CRASH_AT/)
    }
  })
}
