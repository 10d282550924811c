import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newCollector } from '../contract/collector.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { fillManyPayments } from '../harness/listed-payments.ts'
import { waitFor } from '../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'ends its processes' })
})
after(() => installation[Symbol.asyncDispose]())

/** The number of payments: far more than the export has read when its first bytes arrive. */
const ROWS = 60_000

test('in both formats, an export that loses its database is a failed download, is logged, and can be repeated', async () => {
  const { db, services } = installation
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  await fillManyPayments(db.sql, shop.tenant, ROWS)
  // They are older than the worker's progress, so the worker starts again.
  await db.sql`update listing_progress set before_id = ''`
  const { address, output, pid } = services[0]!
  const { cookie } = await openBrowser(db.sql, address, { merchant_id, roles: ['accountant'] })
  const download = (format: string) =>
    fetch(`${address}/console/${livemode ? 'live' : 'test'}/${merchant_id}/payments/export?format=${format}`, {
      headers: { cookie },
    })
  const told = () => output().split('http: stream broke off').length - 1

  for (const [nth, format] of ['csv', 'xlsx'].entries()) {
    const answer = await download(format)
    assert.equal(answer.status, 200)
    const reader = answer.body!.getReader()
    await reader.read()
    const second = await download(format)
    assert.equal(second.status, 429)
    assert.match(await second.text(), /<h1>Un export est déjà en route/, 'a page with a heading')
    // The download is paused, so that it cannot end meanwhile.
    process.kill(pid, 'SIGSTOP')
    const cut = await db.sql`
      select pg_terminate_backend(pid)
        from pg_stat_activity
       where datname = current_database() and application_name like '%exports%' and xact_start is not null`
    process.kill(pid, 'SIGCONT')
    assert.equal(cut.length, 1)
    await assert.rejects(async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read());
    }, format)
    await waitFor(() => told() === nth + 1, { what: 'the log to tell of it' })
  }

  // The next export can start, on a new connection.
  const whole = await (await download('csv')).text()
  assert.equal(whole.trimEnd().split('\r\n').length, 1 + ROWS)
})
