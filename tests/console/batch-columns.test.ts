import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newNumber } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { answer, batchIdIn, draftOf, makeBatch, newShop, read } from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

test('a file with unknown titles is read by the columns that a person assigns, and the next such file automatically', async () => {
  const shop = await newShop(installation)
  const { mariam, base } = shop
  const wages = (amount: number) =>
    `Matricule;Agent;Wallet;Brut;Net à payer\r\nM-01;Awa Koné;${newNumber()};20000;${amount}\r\nM-02;Yves Kouadio;${newNumber()};9000;8000`
  const asked = await draftOf(shop, wages(16_000))
  const draft = asked.replace(/\/columns$/, '')
  const page = await mariam.get(`${draft}/columns`)
  const text = await read(page)
  assert.match(text, /Que contient chaque colonne/)
  const chosen = [...text.matchAll(/<select id="(column\d)".*?<\/select>/gs)].map(
    ([select, name]) => `${name} ${/value="(\w*)" selected/.exec(select)?.[1]}`,
  )
  assert.deepEqual(chosen, ['column0 ', 'column1 name', 'column2 msisdn', 'column3 ', 'column4 amount'])
  const columns = (...named: string[]) => [
    ...named.map((column, place): [string, string] => [`column${place}`, column]),
    ['titles', 'yes'] as [string, string],
    ['version', /name="version" value="(\d+)"/.exec(page.text)![1]!] as [string, string],
  ]
  const twice = await mariam.post(
    `${draft}/columns`,
    columns('', 'name', 'msisdn', 'amount', 'amount'),
    `${draft}/columns`,
  )
  assert.equal(twice.status, 422)
  assert.match(await read(twice), /Deux colonnes sont : Montant en F CFA/)
  const missing = await mariam.post(
    `${draft}/columns`,
    columns('reference', 'name', '', '', 'amount'),
    `${draft}/columns`,
  )
  assert.match(await read(missing), /Dites quelle colonne est : Numéro de téléphone/)
  assert.match(missing.text, /value="reference" selected/, 'what was chosen stays')
  const named = await mariam.post(
    `${draft}/columns`,
    columns('reference', 'name', 'msisdn', '', 'amount'),
    `${draft}/columns`,
  )
  assert.equal(named.status, 303, named.text)
  const read1 = await read(mariam.get(draft))
  assert.match(read1, /2 lignes prêtes/)
  assert.match(read1, /M-01/)
  assert.match(read1, new RegExp(`Colonnes nommées par</dt><dd>${mariam.email}`))
  const stale = await mariam.post(`${draft}/columns`, columns('', 'name', 'msisdn', 'amount', ''), `${draft}/columns`)
  assert.equal(stale.status, 409)
  assert.match(await read(stale), /Rien n’est encore changé/)

  const december = await draftOf(shop, wages(17_000), 'decembre.csv')
  assert.match(await read(mariam.get(december)), /2 lignes prêtes/)
  assert.match(await read(mariam.get(december)), /25 000/)
  const other = await newShop(installation)
  const unknown = await other.mariam.get(await draftOf(other, wages(1)))
  assert.equal(unknown.status, 303, 'another merchant is asked anew')
  assert.match(await read(other.mariam.get(`${other.base}/batches/new`)), /Colonnes à nommer/)
  assert.match(await read(mariam.get(`${base}/batches/new`)), /2 lignes/)
})

test('a file without titles is read whole, and its columns are proposed for the next file of the same width', async () => {
  const shop = await newShop(installation)
  const { mariam } = shop
  const file = () => `Awa Koné;${newNumber()};16000;AV-1\r\nYves Kouadio;${newNumber().slice(1)};8000;AV-2`
  const draft = await draftOf(shop, file(), 'sans-titres.csv')
  const page = await mariam.get(`${draft}/columns`)
  assert.match(page.text, /value="no" checked/)
  assert.doesNotMatch(page.text, /value="reference" selected/)
  const fields: [string, string][] = [
    ['titles', 'no'],
    ['version', '1'],
    ['column0', 'name'],
    ['column1', 'msisdn'],
    ['column2', 'amount'],
    ['column3', 'reference'],
  ]
  assert.equal((await mariam.post(`${draft}/columns`, fields, `${draft}/columns`)).status, 303)
  await answer(shop, draft)
  assert.match(await read(mariam.get(draft)), /2 lignes prêtes/)
  const id = batchIdIn(await makeBatch(shop, draft))
  const { lines } = (await shop.sender.readBatch(id)).json() as { lines: { amount: number; reference: string }[] }
  assert.deepEqual(
    lines.map(({ amount, reference }) => [amount, reference]),
    [
      [16_000, 'AV-1'],
      [8_000, 'AV-2'],
    ],
  )
  const next = await mariam.get(`${await draftOf(shop, file(), 'mois-suivant.csv')}/columns`)
  assert.match(next.text, /value="reference" selected/)
  const acts = await installation.db.sql<{ actor: string }[]>`
    select actor from audit_log where act = 'batch_columns.assign' and subject = ${draft.split('/').at(-1)!}`
  assert.deepEqual(acts, [{ actor: mariam.email }])
})

test('a file is read automatically only if its titles are exactly the same and unique', async () => {
  const shop = await newShop(installation)
  const { mariam } = shop
  const file = (titles: string) => `${titles}\nAwa Koné;${newNumber()};16000;900`
  /** Assigns the last but one column of this file as the amount. */
  async function name(titles: string): Promise<void> {
    const columns = `${await draftOf(shop, file(titles))}/columns`
    const fields: [string, string][] = ['name', 'msisdn', 'amount', ''].map((column, place) => [
      `column${place}`,
      column,
    ])
    const sent = [...fields, ['titles', 'yes'], ['version', '1']] as [string, string][]
    assert.equal((await mariam.post(columns, sent, columns)).status, 303)
  }
  const isAsked = async (titles: string) => (await mariam.get(await draftOf(shop, file(titles)))).status === 303

  await name('Agent;Wallet;Net +;Net -')
  assert.equal(await isAsked('AGENT;wallet; net + ;NET -'), false, 'case and spaces around a title do not count')
  assert.equal(await isAsked('Agent;Wallet;Net -;Net +'), true, 'signs')
  await name('اسم;هاتف;صافي;خصم')
  assert.equal(await isAsked('اسم;هاتف;صافي;خصم'), false)
  assert.equal(await isAsked('اسم;هاتف;خصم;صافي'), true, 'another script')
  await name('Agent;Wallet;Payé;Retenu')
  assert.equal(await isAsked('Agent;Wallet;Paye\u0301;Retenu'), false, 'one letter, written in two ways')
  await name('Agent;Wallet;Net;net')
  assert.equal(await isAsked('Agent;Wallet;Net;net'), true, 'two columns of one title')
})
