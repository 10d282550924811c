import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newCollector } from '../contract/collector.ts'
import { payout } from '../contract/sender.ts'
import { newSettler } from '../contract/settler.ts'
import { openBrowser } from '../harness/console.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const idOf = (answer: { json(): unknown }) => (answer.json() as { id: string }).id
const idsIn = (body: Record<string, unknown>) => (body.operations as { id: string }[]).map(({ id }) => id)

test('payments are listed newest first, filtered by the address, searched, and exported exactly as listed', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const { address } = installation.services[0]!
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const small = await shop.collect(1_500, { simulate: true })
  const large = await shop.collect(30_000, { simulate: true })
  const accountant = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['accountant'] })

  const all = await accountant.facts(`${base}/payments`)
  assert.equal(all.status, 200)
  assert.deepEqual(idsIn(all.body), [large.id, small.id])
  const narrowed = await accountant.facts(`${base}/payments?min=20000&status=succeeded`)
  assert.deepEqual(idsIn(narrowed.body), [large.id])
  assert.deepEqual(idsIn((await accountant.facts(`${base}/payments?status=failed`)).body), [])
  const page = await accountant.get(`${base}/payments?min=20000`)
  assert.match(page.text, /30\u202f000/)
  assert.doesNotMatch(page.text, /1\u202f500/)
  assert.match(page.text, /Retirer le filtre/)

  const between = await accountant.facts(`${base}/payments?min=1+000&max=${encodeURIComponent('20\u202f000')}`)
  assert.deepEqual(idsIn(between.body), [small.id])
  // A filter that cannot be read is not applied, and nobody takes the file for the filtered one.
  const unread = await accountant.get(`${base}/payments?min=2,5`)
  assert.match(unread.text, /ne se lit pas[^<]*2,5/)
  assert.equal((await accountant.get(`${base}/payments/export?format=csv&min=2,5`)).status, 400)

  const csv = await accountant.get(`${base}/payments/export?format=csv&min=20000`)
  assert.equal(csv.status, 200)
  // The person's spreadsheet is in French: it reads accents by the mark, and splits at semicolons.
  const today = new Date().toISOString().slice(0, 10)
  const name = `${livemode ? '' : 'TEST-'}payments-${merchant_id}-${today}`
  assert.equal(csv.headers.get('content-disposition'), `attachment; filename="${name}-min-20000.csv"`)
  const sent = await fetch(`${address}${base}/payments/export`, { headers: { cookie: accountant.cookie } })
  assert.deepEqual([...(await sent.bytes()).subarray(0, 3)], [0xef, 0xbb, 0xbf])
  assert.match(csv.text, /Date;Identifiant;État;État \(code\);Montant \(F CFA\);/)
  assert.match(csv.text, /;Payé;succeeded;30000;\d+;Orange Money;orange_ci;/)
  const english = await accountant.get(`${base}/payments/export?format=csv&lang=en`)
  assert.equal(english.headers.get('content-disposition'), `attachment; filename="${name}.csv"`)
  assert.match(english.text, /Date,Id,State,State \(code\),Amount \(F CFA\),/)
  assert.match(english.text, /,Paid,succeeded,30000,/)
  const odd = `${base}/payments/export?${new URLSearchParams({ reference: '../é "1"\r\n', format: 'xlsx' })}`
  const disposition = (await accountant.get(odd)).headers.get('content-disposition')
  assert.equal(disposition, `attachment; filename="${name}-reference-..-e-1-.xlsx"`)
  assert.ok(csv.text.includes(large.id))
  assert.ok(!csv.text.includes(small.id))

  const found = await accountant.facts(`${base}/search?q=${large.id}`)
  assert.deepEqual(
    (found.body.hits as { operation: { id: string } }[]).map(({ operation }) => operation.id),
    [large.id],
  )
  const byAmount = await accountant.get(`${base}/search?${new URLSearchParams({ q: '30 000 F CFA' })}`)
  assert.ok(byAmount.text.includes(large.id))
  assert.match((await accountant.get(`${base}/search?q=rien`)).text, /Rien trouvé/)

  const other = await newCollector(installation)
  const stranger = await openBrowser(installation.db.sql, address, {
    merchant_id: other.tenant.merchant_id,
    roles: ['owner'],
  })
  const elsewhere = `/console/${livemode ? 'live' : 'test'}/${other.tenant.merchant_id}`
  assert.deepEqual((await stranger.facts(`${elsewhere}/search?q=${large.id}`)).body.hits, [])
  assert.equal((await stranger.get(`${base}/payments`)).status, 404)
  const viewer = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['viewer'] })
  assert.equal((await viewer.get(`${base}/payments/export`)).status, 403)
  assert.ok(!(await viewer.get(`${base}/payments`)).text.includes('/payments/export'))
})

test('payouts, batches, settlements and refunds are listed, filtered by their state, and exported exactly as listed', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  await shop.deposit(100_000)
  await shop.collect(50_000, { simulate: true })
  const { id: paid } = await shop.collect(3_000, { simulate: true })
  const payouts = [await shop.send(payout(1_000)), await shop.send(payout(2_000))]
  const batches = [await shop.prepare({ lines: [payout(5_000)] }), await shop.prepare({ lines: [payout(6_000)] })]
  const settler = await newSettler(installation, { of: shop.merchant, available: 0 })
  const settlements = [await settler.request(5_000), await settler.request(6_000)]
  const refund = (amount: string) =>
    installation.bandama(
      'refund',
      'create',
      '--payment',
      paid,
      '--amount',
      amount,
      '--manual',
      '--as',
      'ama@example.ci',
    )
  const refunds = [await refund('1000'), await refund('500')]
  await installation.bandama(
    'refund',
    'cancel',
    '--id',
    String(refunds[0]!.refund_id),
    '--reason',
    'Non',
    '--as',
    'kofi@example.ci',
  )
  await installation.bandama('settlement', 'reject', '--id', idOf(settlements[0]!), '--as', 'kofi@example.ci')
  await shop.cancel(idOf(batches[0]!))

  const { address } = installation.services[0]!
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const accountant = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['accountant'] })
  for (const [path, made, status] of [
    ['payouts', payouts.map(idOf), null],
    ['batches', batches.map(idOf), 'annule'],
    ['settlements', settlements.map(idOf), 'rejected'],
    ['refunds', refunds.map(({ refund_id }) => String(refund_id)), 'failed'],
  ] as const) {
    const all = await accountant.facts(`${base}/${path}`)
    assert.deepEqual(idsIn(all.body), made.toReversed(), path)
    if (status === null) continue
    const query = `status=${status}`
    assert.deepEqual(idsIn((await accountant.facts(`${base}/${path}?${query}`)).body), [made[0]], path)
    const csv = await accountant.get(`${base}/${path}/export?format=csv&${query}`)
    assert.equal(csv.status, 200, path)
    assert.deepEqual([csv.text.includes(made[0]!), csv.text.includes(made[1]!)], [true, false], path)
  }
})

test('a search for the identifier of a request, a page, a link or an event leads to it, and one for a call to the call', async () => {
  const shop = await newCollector(installation)
  const { merchant_id, livemode } = shop.tenant
  const { address } = installation.services[0]!
  const base = `/console/${livemode ? 'live' : 'test'}/${merchant_id}`
  const owner = await openBrowser(installation.db.sql, address, { merchant_id, roles: ['owner'] })
  const link = await installation.bandama('link', 'create', ...shop.words, '--amount', '500')
  const found = await owner.get(`${base}/search?q=${link.link_id}`)
  assert.deepEqual([found.status, found.location], [303, `${base}/links/${link.link_id}`])
  assert.equal((await owner.get(`${base}/links/${link.link_id}`)).status, 200)

  const { sql } = installation.db
  const seek = async (q: string) => (await owner.get(`${base}/search?${new URLSearchParams({ q })}`)).location
  const [key] = await sql<{ key_id: string }[]>`select key_id from api_keys where merchant_id = ${merchant_id} limit 1`
  assert.equal(await seek(key!.key_id), `${base}/keys`)
  const typed = { name: 'Yves Diaby', msisdn: newPayer(), operator: 'wave_ci' }
  const added = await owner.post(`${base}/beneficiaries`, typed, `${base}/beneficiaries/new`)
  const [, entry] = /beneficiaries\/([0-9a-f-]+)/.exec(added.location!)!
  assert.equal(await seek(entry!.toUpperCase()), `${base}/beneficiaries/${entry}`)
  await installation.bandama('deposit', ...shop.words, '--amount', '5000', '--reference', 'VIR-1')
  const [line] = await sql<{ day: string; id: string }[]>`
    select id, created_at::date::text as day from transfer_fillings where merchant_id = ${merchant_id}`
  assert.equal(await seek(line!.id), `${base}/statement?from=${line!.day}&to=${line!.day}`)
  assert.equal(
    await seek('dlv_01k5v0e9t8fq3a7mzd4n2xw6rb'),
    `${base}/webhooks/deliveries/dlv_01k5v0e9t8fq3a7mzd4n2xw6rb`,
  )

  const called = await installation.pay(shop.merchant.key, { amount: 700, counterparty: { msisdn: newPayer() } })
  const request_id = String(called.headers['service-request-id'])
  const text = await waitFor(
    async () => {
      const page = await owner.get(`${base}/search?q=${request_id}`)
      return page.text.includes(`/requests?request_id=${request_id}`) ? page.text : null
    },
    { what: 'the call in the log' },
  )
  assert.doesNotMatch(text, /Rien trouvé/)
})
