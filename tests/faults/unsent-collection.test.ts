import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTwin } from '../../src/twin/start-twin.ts'
import { checkPayment } from '../contract/answers.ts'
import { PATIENCE } from '../contract/sender.ts'
import { freePort } from '../harness/free-port.ts'
import { openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

const WORKER = ['--only', 'worker']
const PAYER = '0501017777'

test('a collection moves to the next connector, and does not fail, even if a newly started process makes each send', async (t) => {
  await using twin = await startTwin()
  await using installation = await openInstallation({ processes: [['--only', 'api']], own: 'audits all books' })
  const { db, bandama, newMerchant, pay, read, start } = installation
  const folder = await mkdtemp(join(tmpdir(), 'unsent-collection-'))
  t.after(() => rm(folder, { recursive: true }))
  const awa = ['--mode', 'live', '--as', 'awa@example.com']
  // Nobody listens where the first is said to be.
  for (const [name, port] of [
    ['main', await freePort()],
    ['second', Number(new URL(twin.url).port)],
  ] as const) {
    const { base_url, ...settings } = twin.connectors().pawapay!.settings
    const path = join(folder, `${name}.json`)
    const api_token = name === 'main' ? 'the-token-of-another-account' : settings.api_token
    const reached = base_url!.replace(/:\d+/, `:${port}`)
    await writeFile(path, JSON.stringify({ ...settings, api_token, base_url: reached }))
    await bandama('connector', 'set', '--name', name, '--type', 'pawapay', '--settings', path, ...awa)
  }
  const route = ['--operator', 'mtn_ci', '--direction', 'collect', '--connectors', 'main,second']
  await bandama('route', 'set', ...route, ...awa)

  const { key } = await (await newMerchant()).newKey('live', 'collect')
  const asked = { amount: 1_000, operator: 'mtn_ci', counterparty: { msisdn: PAYER } }
  const { id } = checkPayment(await pay(key, asked), 201)
  const sends = () => db.sql<{ connector: string; may_have_left: boolean }[]>`
    select connector, not_sent_at is null as may_have_left from sends where subject_id = ${id} order by attempt`
  for (const [at, sent] of [
    { connector: 'main', may_have_left: false },
    { connector: 'main', may_have_left: false },
    { connector: 'second', may_have_left: true },
  ].entries()) {
    await db.sql`update instructions set next_check_at = clock_now() where subject_id = ${id} and state = 'prepared'`
    await using worker = await start({ args: WORKER })
    await waitFor(
      async () => {
        const last = (await sends())[at]
        return last?.connector === sent.connector && last.may_have_left === sent.may_have_left
      },
      { ...PATIENCE, what: `send ${at + 1} to be ${JSON.stringify(sent)}` },
    )
    if (sent.connector === 'main') continue
    await twin.phone(PAYER).approve()
    await waitFor(async () => checkPayment(await read(key, id), 200).status === 'succeeded', {
      ...PATIENCE,
      what: 'the payment to succeed',
    })
    await worker.stop()
  }
  assert.equal((await sends()).length, 3)
  assert.equal((await bandama('audit')).ok, true)
})
