import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createFillListings } from '../../src/listings/fill-listings.ts'
import { writeXlsx } from '../../src/listings/write-xlsx.ts'
import { readRepeated } from '../../src/screens/batches/read-repeated.ts'
import { inline, newNumber } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  batchIdIn,
  confirmed,
  csv,
  draftOf,
  makeBatch,
  newShop,
  read,
  type Shop,
  tickIn,
  versionOf,
} from './batch-shop.ts'

// The same payroll in other bytes: the draft and the confirmation say so, and ask for a tick.

let installation: Installation
before(async () => {
  installation = await openInstallation({ own: 'writes rows past the service' })
})
after(() => installation[Symbol.asyncDispose]())

const TEXT = /Ne payez pas deux fois/

type Paid = { name: string; number: string; amount: number; reference: string }

const payroll = (): Paid[] =>
  ['Awa Koné', 'Yves Kouadio', 'Salimata Koné'].map((name, at) => {
    return { name, number: newNumber(), amount: 16_000 + at, reference: `SAL-${at}` }
  })
const lineOf = ({ name, number, amount, reference }: Paid) => `${name};${number};;${amount};${reference}`
const fileOf = (lines: readonly Paid[]) => csv(...lines.map(lineOf))
const pairs = (number: string) => number.replace(/(..)/g, '$1 ').trim()

async function inXlsx(lines: readonly Paid[]): Promise<Uint8Array> {
  async function* rows() {
    yield lines.map(({ name, number, amount }) => [name, number, amount])
  }
  const parts: Uint8Array[] = []
  for await (const part of writeXlsx(['Nom', 'Numéro', 'Montant'], rows())) parts.push(part)
  return Buffer.concat(parts)
}

/** Sends a batch of a file, with its tick where the page asks for one, and waits for nothing. */
async function sent(shop: Shop, file: string | Uint8Array): Promise<string> {
  const id = batchIdIn(await makeBatch(shop, await draftOf(shop, file)))
  const page = `${shop.base}/batches/${id}`
  const launched = await confirmed(shop.mariam, `${page}/execute`, tickIn(await shop.mariam.get(page)), page)
  assert.equal(launched.location, `${page}?done=launched`, launched.text)
  return id
}

type Facts = {
  repeated: { line_count: number; twin_count: number; operations: { kind: string; id: string; line_count: number }[] }
}
const factsOf = async (shop: Shop, path: string) => ((await shop.mariam.facts(path)).body as Facts).repeated

/** The same lines, written otherwise. */
const otherwise: Readonly<Record<string, (lines: Paid[]) => string | Uint8Array | Promise<Uint8Array>>> = {
  'other line ends': (lines) => fileOf(lines).replaceAll('\r\n', '\n'),
  'a mark of the encoding': (lines) => `\ufeff${fileOf(lines)}`,
  'another order of the lines': (lines) => fileOf(lines.toReversed()),
  'another separator': (lines) => fileOf(lines).replaceAll(';', '\t'),
  'numbers in international form': (lines) =>
    fileOf(lines.map((one) => ({ ...one, number: `+225 ${pairs(one.number)}` }))),
  'amounts with spaces and a currency': (lines) =>
    csv(...lines.map((one) => lineOf(one).replace(/;16(\d{3});/, ';16 $1 F CFA;'))),
  'other names and references': (lines) => fileOf(lines.map((one) => ({ ...one, name: 'Paie', reference: 'X' }))),
  'one column less': (lines) =>
    ['nom;numero;montant', ...lines.map(({ name, number, amount }) => `${name};${number};${amount}`)].join('\n'),
  'a workbook': inXlsx,
}

for (const [how, write] of Object.entries(otherwise)) {
  test(`a payroll sent before in ${how} is noticed on draft and confirmation, and needs a tick on both`, async () => {
    const shop = await newShop(installation)
    const { mariam, base } = shop
    const lines = payroll()
    const first = await sent(shop, fileOf(lines))
    const draft = await draftOf(shop, await write(lines))
    const page = await mariam.get(draft)
    const text = await read(page)
    assert.match(text, TEXT)
    assert.match(text, /3 lignes sur 3 ont le même numéro et le même montant/)
    assert.ok(page.text.includes(`href="${base}/batches/${first}"`), 'the batch is linked')
    assert.deepEqual(
      (await factsOf(shop, draft)).operations.map(({ kind, id, line_count }) => [kind, id, line_count]),
      [['batch', first, 3]],
    )

    const version = await versionOf(shop, draft)
    const unticked = await confirmed(mariam, `${draft}/create`, { version }, draft)
    assert.equal(unticked.status, 409)
    assert.match(await read(unticked), /puis cochez la case/)
    const made = await makeBatch(shop, draft)
    assert.equal(made.status, 303, made.text)
    const batch = `${base}/batches/${batchIdIn(made)}`
    const shown = await mariam.get(batch)
    assert.match(await read(shown), TEXT)
    assert.equal((await confirmed(mariam, `${batch}/execute`, {}, batch)).status, 409)
    const question = await mariam.post(`${batch}/execute`, tickIn(shown), batch)
    assert.match(await read(question), TEXT)
    const launched = await confirmed(mariam, `${batch}/execute`, tickIn(shown), batch)
    assert.equal(launched.location, `${batch}?done=launched`)
  })
}

test('a new payroll says nothing and asks for nothing', async () => {
  const shop = await newShop(installation)
  await sent(shop, fileOf(payroll()))
  const draft = await draftOf(shop, fileOf(payroll()))
  const page = await shop.mariam.get(draft)
  assert.doesNotMatch(await read(page), TEXT)
  assert.deepEqual(tickIn(page), {})
  assert.equal((await makeBatch(shop, draft)).status, 303)
})

/** Operations with the line's number and amount, and what the draft says of them. */
const operations: Readonly<
  Record<string, { make: (shop: Shop, line: Paid) => Promise<unknown>; said: string | null }>
> = {
  'a payout of the API': {
    make: ({ sender }, { number, amount }) => sender.send({ amount, beneficiary: { ...inline(), msisdn: number } }),
    said: 'payout',
  },
  'a request that waits': {
    make: ({ sender }, { number }) => sender.send({ amount: 200_000, beneficiary: { ...inline(), msisdn: number } }),
    said: 'request',
  },
  'a batch that was made and not sent': {
    make: async (shop, line) => makeBatch(shop, await draftOf(shop, fileOf([line, ...payroll()]))),
    said: 'batch',
  },
  'another draft': { make: (shop, line) => draftOf(shop, fileOf([line, ...payroll()])), said: 'draft' },
  'a batch that was cancelled': {
    make: async (shop, line) => {
      const id = batchIdIn(await makeBatch(shop, await draftOf(shop, fileOf([line, ...payroll()]))))
      const page = `${shop.base}/batches/${id}`
      assert.equal((await shop.mariam.post(`${page}/cancel`, {}, page)).status, 303)
    },
    said: null,
  },
  'a payout that failed': {
    make: async ({ sender }, { number, amount }) => {
      const { id } = (
        await sender.send({ amount, beneficiary: { ...inline(), msisdn: `${number.slice(0, 6)}0001` } })
      ).json() as { id: string }
      await sender.untilPayout(id, 'failed')
    },
    said: null,
  },
  'a payout of another amount': {
    make: ({ sender }, { number, amount }) =>
      sender.send({ amount: amount + 1, beneficiary: { ...inline(), msisdn: number } }),
    said: null,
  },
  'a batch of another merchant': {
    make: async (_, line) => sent(await newShop(installation), fileOf([line])),
    said: null,
  },
}

for (const [what, { make, said }] of Object.entries(operations)) {
  test(`${what} with the number and amount of a line is ${said === null ? 'not counted' : `named as a ${said}`}`, async () => {
    const shop = await newShop(installation)
    const [some] = payroll() as [Paid]
    const number = what === 'a payout that failed' ? `${some.number.slice(0, 6)}0001` : some.number
    const line = { ...some, number, amount: said === 'request' ? 200_000 : some.amount }
    await make(shop, line)
    const draft = await draftOf(shop, fileOf([line]))
    const { operations: found, line_count } = await factsOf(shop, draft)
    assert.deepEqual([found.map(({ kind }) => kind), line_count], said === null ? [[], 0] : [[said], 1])
    assert.equal(TEXT.test(await read(shop.mariam.get(draft))), said !== null)
  })
}

test('one line twice in one file asks for a tick, and twice the number with another amount does not', async () => {
  const shop = await newShop(installation)
  const [one, other] = payroll() as [Paid, Paid]
  const twice = await draftOf(shop, fileOf([one, other, one]))
  assert.match(
    await read(shop.mariam.get(twice)),
    /1 ligne a le même numéro et le même montant qu’une autre ligne de ce lot/,
  )
  const version = await versionOf(shop, twice)
  assert.equal((await confirmed(shop.mariam, `${twice}/create`, { version }, twice)).status, 409)
  assert.equal((await makeBatch(shop, twice)).status, 303)
  const [third] = payroll() as [Paid]
  const differs = await draftOf(shop, fileOf([third, { ...third, amount: third.amount + 1 }]))
  assert.deepEqual(tickIn(await shop.mariam.get(differs)), {})
})

test('drafts with open questions, and the oldest of many, are compared too', async () => {
  const shop = await newShop(installation)
  // The spreadsheet removed the zero of each number, so that each line has a question.
  const bare = (paid: readonly Paid[]) => fileOf(paid.map((one) => ({ ...one, number: one.number.replace(/^0/, '') })))
  const lines = payroll()
  const oldest = await draftOf(shop, bare(lines))
  for (let nth = 0; nth < 22; nth += 1) await draftOf(shop, fileOf(payroll().slice(0, 1)))
  const { operations: found, line_count } = await factsOf(shop, await draftOf(shop, fileOf(lines)))
  const id = oldest.split('?')[0]!.split('/').at(-1)
  assert.deepEqual([found.map((one) => [one.kind, one.id]), line_count], [[['draft', id]], lines.length])
})

test('a tick for fewer lines than there are now is asked for again', async () => {
  const shop = await newShop(installation)
  const [one, other, third] = payroll() as [Paid, Paid, Paid]
  await sent(shop, fileOf([one]))
  const draft = await draftOf(shop, fileOf([one, other, third]))
  const tick = tickIn(await shop.mariam.get(draft))
  const version = await versionOf(shop, draft)
  await sent(shop, fileOf([other]))
  assert.equal((await confirmed(shop.mariam, `${draft}/create`, { version, ...tick }, draft)).status, 409)
  assert.equal((await makeBatch(shop, draft)).status, 303)
})

test('a payroll that the worker has listed meanwhile is found as well', async () => {
  const { sql } = installation.db
  const shop = await newShop(installation)
  const lines = payroll()
  const first = await sent(shop, fileOf(lines))
  const fill = createFillListings({ sql, listed_after_ms: 0 })
  const unlisted = () => sql<{ id: string }[]>`
    select id from payouts
     where batch_id = ${first} and id >= (select before_id from listing_progress where source = 'new payouts')`
  await waitFor(
    async () => {
      await fill(AbortSignal.timeout(60_000))
      return (await unlisted()).length === 0
    },
    { deadline_ms: 60_000, what: 'the payouts to be listed' },
  )
  const { operations: found, line_count } = await factsOf(shop, await draftOf(shop, fileOf(lines.slice(1))))
  assert.deepEqual([found.map(({ id }) => id), line_count], [[first], 2])
})

test('an operation counts for 35 days', async () => {
  const shop = await newShop(installation)
  const [one] = payroll() as [Paid]
  await sent(shop, fileOf([one]))
  const compared = [{ line: 1, msisdn: `+225${one.number}`, amount: one.amount, beneficiary_id: null }]
  const inDays = async (days: number) => {
    const now = new Date(Date.now() + days * 86_400_000)
    const { sql } = installation.db
    return (await readRepeated(sql, shop.sender.tenant, compared, { own: '', now })).line_count
  }
  assert.deepEqual([await inDays(34.9), await inDays(35.1)], [1, 0])
})
