import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessColumns } from './guess-columns.ts'
import { readTable } from './read-file.ts'

async function guess(...lines: string[]) {
  const read = await readTable(Buffer.from(lines.join('\n')))
  assert.ok(read.kind === 'table')
  return guessColumns(read.table)
}

test('columns are guessed by their titles and by their cells', async () => {
  assert.deepEqual(
    await guess(
      'N°;Nom et prénoms des agents;Contact OM;Prime du mois;Réseau;Observation',
      '1;Awa Koné;07 07 00 00 01;16 000;Orange;ok',
      '2;Yves Kouadio;0505000002;15000 FCFA;MTN;',
      '3;Fanta Cissé;101000003;9000,00;moov;absente',
    ),
    { titles: true, at: [null, 'name', 'msisdn', 'amount', 'operator', null] },
  )
})

test('a first line with a phone number or an amount is not a line of titles', async () => {
  assert.deepEqual(await guess('0707000001;Awa Koné;16000', '0505000002;Yves Kouadio;8000'), {
    titles: false,
    at: ['msisdn', 'name', 'amount'],
  })
})

test('of two columns of amounts none is chosen, unless a title decides', async () => {
  const [one, two] = ['Awa Koné;0707000001;20000;16000', 'Yves Kouadio;0505000002;9000;8000']
  assert.deepEqual((await guess('Agent;Wallet;A;B', one, two)).at, ['name', 'msisdn', null, null])
  assert.deepEqual((await guess('Agent;Wallet;Brut;Net à payer', one, two)).at, ['name', 'msisdn', null, 'amount'])
})

test('ids of the book are recognised by their form', async () => {
  const id = '0b5b3d9e-2f0b-4a53-9a59-0f4c3a2b1c0d'
  assert.deepEqual((await guess('Fournisseur;Somme due', `${id};5000`)).at, ['beneficiary_id', 'amount'])
})
