import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { consoleRoutes, webRoutes } from '../../src/app/routes.ts'
import { docsRoutes } from '../../src/docs/routes.ts'
import { contractRoutes } from '../../src/platform/http/docs.ts'
import type { Route } from '../../src/platform/http/route.ts'
import { sdkRoutes } from '../../src/sdk/routes.ts'
import { everything, openFullShop, screensFrom } from '../browser/every-screen.ts'
import { openBrowser } from '../harness/console.ts'
import { countWaiting, hold, untilWaiting } from '../harness/hold.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { addLink, newSession } from './payer.ts'

// The routes without an API key: each takes a turn in front of the database, and a page that is read writes nothing.

/** The only ones that never reach the database. */
const ABOUT_NOTHING = [
  'showReceiptKey',
  'showPageFile',
  'showConsoleFile',
  'showPushWorker',
  'showSignInConsole',
  'showSignInDesk',
  'describeRoutes',
  'tryRoutes',
  'showDocumentationFile',
  'leadToDocs',
  'showDocs',
  'styleDocs',
  'listDocs',
  'showSdk',
  'findNewestSdk',
]

const open: Route<never>[] = [...webRoutes, ...consoleRoutes, ...sdkRoutes, ...docsRoutes]
let installation: Installation
before(async () => {
  open.push(...(await contractRoutes({}, { name: 'Bandama' })))
  installation = await openInstallation({
    processes: [
      ['--only', 'api'],
      ['--only', 'worker'],
    ],
    waits: true,
  })
})
after(() => installation[Symbol.asyncDispose]())

/** An invitation that nobody has used. */
async function newInvitation(): Promise<string> {
  const { merchant_id } = await installation.newMerchant()
  const email = `invited-${merchant_id}@example.ci`
  const of = ['--email', email, '--name', 'Issa', '--merchant', String(merchant_id), '--role', 'viewer']
  const { link } = (await installation.bandama('person', 'invite', ...of)) as { link: string }
  return new URL(link).pathname.split('/').at(-1)!
}

test('an open route says what it is about, and only files and questions to nobody are about nothing', () => {
  const nothing = open.filter(({ about }) => about === 'nothing').map(({ operation }) => operation)
  assert.deepEqual([...new Set(nothing)].sort(), [...ABOUT_NOTHING].sort())
  for (const { about, operation } of open) assert.notEqual(about, null, operation)
})

describe('calls about one thing', () => {
  type Thing = {
    name: string
    /** The routes about it. */
    is(route: Route<never>): boolean
    /** The tables that they read first. */
    tables: readonly string[]
    /** The value of each parameter, and the headers. */
    call(): Promise<{
      params?: Record<string, string>
      headers?: Record<string, string>
      form?: Record<string, string>
    }>
  }
  const aboutParameter = ({ about }: Route<never>, parameter: string) =>
    typeof about === 'object' && about !== null && 'parameter' in about && about.parameter === parameter
  const things: Thing[] = [
    {
      name: 'a session of a person',
      is: ({ about, path }) => typeof about === 'object' && about !== null && 'session' in about && path !== '/till',
      tables: ['person_sessions'],
      async call() {
        const { merchant_id } = await installation.newMerchant()
        const { address } = installation.services[0]!
        const { cookie } = await openBrowser(installation.db.sql, address, { merchant_id, ...everything })
        return { params: { mode: 'test', merchant: String(merchant_id) }, headers: { cookie } }
      },
    },
    {
      name: 'a telephone of a till',
      is: ({ path }) => path === '/till',
      tables: ['checkout_tokens'],
      call: async () => ({ headers: { cookie: `till=${'x'.repeat(43)}` } }),
    },
    {
      name: 'an invitation',
      is: (route) => aboutParameter(route, 'token') && route.path.includes('invitation'),
      tables: ['invitations'],
      call: async () => ({ params: { token: await newInvitation() } }),
    },
    {
      name: 'the token of a page',
      is: (route) => aboutParameter(route, 'token') && !route.path.includes('invitation'),
      tables: ['checkout_tokens', 'operator_references'],
      async call() {
        const { key } = await installation.newMerchant()
        const { path } = await newSession(installation, key)
        return { params: { token: path.split('/').at(-1)! } }
      },
    },
    {
      name: 'the handle of a link',
      is: (route) => aboutParameter(route, 'handle'),
      tables: ['checkout_tokens'],
      call: async () => ({ params: { handle: 'nobody-has-this' } }),
    },
    {
      name: 'the reference of an order',
      is: (route) => aboutParameter(route, 'reference'),
      tables: ['operator_references'],
      call: async () => ({ params: { reference: '01900000-0000-7000-8000-000000000000' } }),
    },
    {
      name: 'an address',
      is: ({ about, concurrency }) => about === 'address' && concurrency === 'alone',
      tables: ['persons', 'sign_in_attempts'],
      call: async () => ({
        form: { email: 'nobody@example.ci', secret_password: 'no', attempt: 'x', secret_code: '1' },
      }),
    },
  ]

  test('each route belongs to one of these things, or is a callback, which is written with others', () => {
    for (const route of open) {
      const of = things.filter((thing) => thing.is(route))
      const alone = route.about !== 'nothing' && route.concurrency === 'alone'
      assert.equal(of.length, alone ? 1 : 0, `${route.method} ${route.path}`)
      if (!alone && route.about !== 'nothing') assert.equal(route.operation, 'receiveCallback')
    }
  })

  for (const { name, is, tables, call } of things) {
    test(`${name}: two are under way, the others take no connection, and a payment is made meanwhile`, async () => {
      const { sql } = installation.db
      const { key } = await installation.newMerchant()
      const { address } = installation.services[0]!
      const { params = {}, headers = {}, form = {} } = await call()
      const routes = open.filter(is)
      const calls = Array.from({ length: Math.ceil(12 / routes.length) }, () => routes).flat()
      await using holder = await hold(sql, (tx) =>
        tx.unsafe(`lock table ${tables.join(', ')} in access exclusive mode`),
      )
      const answers = calls.map(({ method, path }) => {
        const url = address + path.replaceAll(/:(\w+)/g, (_, at: string) => params[at] ?? 'x1')
        const posted = { body: new URLSearchParams(form), headers: { ...headers, 'sec-fetch-site': 'same-origin' } }
        return fetch(url, { method, redirect: 'manual', headers, ...(method === 'POST' && posted) })
      })
      await untilWaiting(sql, { name: 'bandama api', count: 2 })
      const payment = await installation.pay(key, { amount: 500, counterparty: { msisdn: newPayer() } })
      assert.equal(payment.status, 201)
      assert.equal(await countWaiting(sql, { name: 'bandama api' }), 2)
      await holder.letGo()
      for (const answer of await Promise.all(answers)) await answer.arrayBuffer()
    })
  }
})

/**
 * A fingerprint of each table, without the request log and the beats of processes, and without the minutes in which a session was seen and a key was used and the address of
 * that use, which are written later.
 */
async function fingerprints(): Promise<Record<string, string>> {
  const { sql } = installation.db
  const tables = await sql<{ name: string }[]>`
    select relname as name
      from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not in ('request_log', 'service_processes')
     order by relname`
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await sql<{ digest: string }[]>`
      select count(*) || ' ' || md5(coalesce(string_agg(line, '' order by line), '')) as digest
        from (select (to_jsonb(t) - 'seen_at' - 'last_used_at' - 'last_used_address')::text as line from ${sql(name)} t) lines`
    found[name] = row!.digest
  }
  return found
}

describe('a page that is read', () => {
  test('writes nothing but the request log: pages of payers, invitations and sign-ins', async () => {
    const { address } = installation.services[0]!
    const { key, merchant_id } = await installation.newMerchant()
    const { path } = await newSession(installation, key)
    const link = await addLink(installation, merchant_id, { kind: 'fixed', amount: 700 })
    const token = await newInvitation()
    await installation.services[1]!.stop()
    const before = await fingerprints()
    const shown = new Map<string, number>()
    for (const { path: pattern, about, method } of open) {
      if (method !== 'GET' || (typeof about === 'object' && about !== null && 'session' in about)) continue
      const values = pattern.includes('invitation')
        ? [token]
        : [path, link.path].map((known) => known.split('/').at(-1)!)
      for (const value of [...values, 'invented']) {
        const asked = pattern.replaceAll(/:(\w+)/g, value)
        const { status } = await fetch(address + asked, { redirect: 'manual', headers: { accept: 'text/html' } })
        shown.set(pattern, Math.min(status, shown.get(pattern) ?? 600))
      }
    }
    for (const opened of ['/pay/:token', '/link/:token', '/link/:token/poster', '/console/invitation/:token'])
      assert.equal(shown.get(opened), 200, opened)
    assert.deepEqual(await fingerprints(), before)
  })

  test('writes nothing but what the audit log keeps of reading: every screen that a person reaches by links', {
    timeout: 300_000,
  }, async () => {
    await using worker = await installation.start({ args: ['--only', 'worker'] })
    const { merchant_id, owner } = await openFullShop(installation)
    await worker.stop()
    const doors = [`/console/test/${merchant_id}`, '/desk/test']
    const before = await fingerprints()
    let screens = 0
    for (const first of doors) screens += (await screensFrom(owner, first)).size
    assert.ok(screens > 60, `${screens} screens are reached`)
    const changed = Object.entries(await fingerprints()).filter(([name, digest]) => digest !== before[name])
    assert.deepEqual(
      changed.filter(([name]) => !name.startsWith('audit_')).map(([name]) => name),
      [],
    )
  })
})
