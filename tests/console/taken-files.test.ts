import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { screens } from '../../src/app/screens.ts'
import type { Screen } from '../../src/console/screen.ts'
import { newCollector } from '../contract/collector.ts'
import { newNumber } from '../contract/sender.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { readCsv } from '../harness/read-files.ts'
import { openMember } from '../harness/teams.ts'
import { waitFor } from '../harness/wait-for.ts'
import { csv, draftOf, newShop } from './batch-shop.ts'

// Reading in bulk counts as reading: each file that a person takes is an act in the audit log.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Line = {
  act: string
  subject: string | null
  merchant_id: number
  livemode: boolean
  after: Record<string, unknown>
}

async function linesOf({ email }: { email: string }): Promise<Line[]> {
  const lines = await installation.db.sql<Line[]>`
    select act, subject, merchant_id, livemode, after from audit_log
     where actor = ${email} and act in ('export.take', 'statement.take', 'batch_file.take', 'visit.search')
     order by at, id`
  return lines.map((line) => ({ ...line }))
}

const exporting = (screens as readonly Screen[]).filter(
  ({ right, method }) => right === 'exports.take' && method === 'GET',
)

test('every file of a list is an act with its list, its filters and its rows, in every format', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const { address } = installation.services[0]!
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  for (let nth = 0; nth < 3; nth += 1) await shop.collect(1_500 + nth, { simulate: true })
  const lists = exporting.filter(({ path }) => path.endsWith('/export')).map(({ path }) => path)
  assert.ok(lists.length >= 9, lists.join())
  for (const path of lists) {
    for (const query of ['format=csv&lang=en', 'format=xlsx', 'format=csv&lang=en&from=2020-01-01']) {
      const accountant = await openBrowser(installation.db.sql, address, {
        merchant_id,
        roles: ['accountant', 'developer', 'owner'],
      })
      const got = await accountant.get(`${base}${path}?${query}`)
      const isFiltered = query.includes('from=')
      // A list without this filter makes no file, and leaves no act.
      if (got.status === 400 && isFiltered) {
        assert.deepEqual(await linesOf(accountant), [], path)
        continue
      }
      assert.equal(got.status, 200, `${path}: ${got.text.slice(0, 200)}`)
      const [line, ...more] = await linesOf(accountant)
      assert.deepEqual(more, [], path)
      const { act, after: told } = line!
      assert.deepEqual([act, line!.merchant_id, line!.livemode], ['export.take', merchant_id, livemode], path)
      assert.deepEqual([told.list, told.format], [path.slice(1, -7), query.includes('xlsx') ? 'xlsx' : 'csv'], path)
      const filters = told.filters as object
      assert.ok(!('format' in filters), path)
      if (query.includes('xlsx')) continue
      assert.equal(told.rows, readCsv(got.text.replace('\ufeff', '')).length - 1, `${path}?${query}`)
    }
  }
})

test('the filters of a file are in its act, but neither numbers nor texts of people', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  await shop.collect(30_000, { simulate: true })
  const accountant = await openMember(installation, 'Awa Bamba', { merchant_id, roles: ['accountant'] })
  const query = {
    min: '20 000',
    status: 'succeeded',
    from: '2020-01-01',
    operator: 'orange_ci',
    reference: '0707070707',
  }
  assert.equal((await accountant.get(`${base}/payments/export?${new URLSearchParams(query)}`)).status, 200)
  assert.deepEqual((await linesOf(accountant)).at(-1)!.after, {
    list: 'payments',
    format: 'csv',
    filters: { min: '20 000', status: 'succeeded', from: '2020-01-01', operator: 'orange_ci', reference: '…' },
    rows: 0,
  })
})

test('a reader who stops after the first byte has left the act too', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  await shop.collect(1_000, { simulate: true })
  const accountant = await openMember(installation, 'Awa Bamba', { merchant_id, roles: ['accountant'] })
  const path = `/console/${livemode ? 'live' : 'test'}/${merchant_id}/payments/export`
  const response = await fetch(new URL(path, installation.services[0]!.address), {
    headers: { cookie: accountant.cookie },
  })
  const reader = response.body!.getReader()
  await reader.read()
  await reader.cancel()
  assert.deepEqual(
    (await linesOf(accountant)).map(({ after: told }) => told.rows),
    [1],
  )
})

test('a statement, by the console and by the command, and the file of a draft are acts', async () => {
  const shop = await newShop(installation)
  const { merchant_id, livemode } = shop.sender.tenant
  const accountant = await openMember(installation, 'Awa Bamba', { merchant_id, roles: ['accountant'] })
  const period = 'from=2026-01-01&to=2026-01-31'
  for (const format of ['csv', 'pdf']) {
    assert.equal((await accountant.get(`${shop.base}/statement/${format}?${period}`)).status, 200)
  }
  const told = { from: '2026-01-01', to: '2026-01-31', rows: 0 }
  assert.deepEqual(
    (await linesOf(accountant)).map(({ act, after: what }) => [act, what]),
    ['csv', 'pdf'].map((format) => ['statement.take', { format, ...told }]),
  )
  await installation
    .bandama(
      'statement',
      ...shop.sender.words,
      '--from',
      '2026-01-01',
      '--to',
      '2026-01-31',
      '--format',
      'pdf',
      '--out',
      '/dev/null/none',
    )
    .catch(() => {})
  const [commanded] = await installation.db.sql<{ door: string; after: object }[]>`
    select door, after from audit_log where act = 'statement.take' and merchant_id = ${merchant_id} and door <> 'console'`
  assert.deepEqual({ ...commanded }, { door: 'break_glass', after: { format: 'pdf', ...told } })

  const draft = await draftOf(shop, csv(`Awa Koné;${newNumber()};;1000;A1`, `Koffi Yao;${newNumber()};;2000;A2`))
  assert.equal((await shop.mariam.get(`${draft.split('?')[0]}/file`)).status, 200)
  assert.deepEqual(await linesOf(shop.mariam), [
    {
      act: 'batch_file.take',
      subject: draft.split('?')[0]!.split('/').at(-1),
      merchant_id,
      livemode,
      after: { rows: 2 },
    },
  ])
})

const fullWidth = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(digit.codePointAt(0)! + 0xfee0))

test('a visitor’s search for a number is in the audit log, masked, and that of a member is not', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const mode = livemode ? 'live' : 'test'
  const base = `/console/${mode}/${merchant_id}`
  const to = newPayer()
  await shop.collect(1_000, { to })
  const issa = await openMember(installation, 'Issa Cissé', { staff: ['support'] })
  const desk = `/desk/${mode}/merchants/${merchant_id}`
  await issa.post(`${desk}/look`, { reason: 'Appel du 24' }, desk)
  const number = `******${to.slice(-4)}`
  const spaced = to.slice(-10).replace(/\d\d\B/g, '$& ')
  const hiding = (screens as readonly Screen[]).filter(
    ({ door, hides, method }) => door === 'console' && hides && method === 'GET',
  )
  assert.ok(hiding.length >= 2)
  for (const { path, hides, right } of hiding) {
    for (const [typed, expected] of [
      [to, { number }],
      [spaced, { number }],
      [`00225${to.slice(-10)}`, { number }],
      [to.slice(-4), { last4: to.slice(-4) }],
      // As some keyboards and spreadsheets write digits.
      [fullWidth(to.slice(-4)), { last4: to.slice(-4) }],
      [fullWidth(to.slice(-10)), { number }],
      ['CMD-1039', null],
      ['25 000', null],
      ['', null],
    ] as const) {
      const before = await linesOf(issa)
      const sealed = await issa.post(`${base}${path}/sealed`, { [hides!]: typed }, base)
      if (sealed.status === 403) continue
      await issa.get(sealed.location!)
      const added = (await linesOf(issa)).slice(before.length)
      const said = added.map(({ act, after: told }) => [act, String(told.number ?? told.last4).slice(-4)])
      const last4 = to.slice(-4)
      assert.deepEqual(said, expected === null ? [] : [['visit.search', last4]], `${path} (${right}): ${typed}`)
      for (const line of added) assert.ok(!JSON.stringify(line).includes(to.slice(-10)), 'masked')
    }
  }
  assert.ok((await linesOf(issa)).length >= 4)
  const awa = await openMember(installation, 'Awa Bamba', { merchant_id, roles: ['owner'] })
  await waitFor(async () => (await awa.get(`${base}/search?q=${to}`)).status === 200)
  assert.deepEqual(await linesOf(awa), [])
})
