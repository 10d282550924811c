import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AssignedColumns, DraftLine } from './batch-draft.ts'
import { judgeLine } from './judge-line.ts'
import { linesByPerson, readFile, readTable } from './read-file.ts'

async function linesOf(text: string): Promise<readonly DraftLine[]> {
  const read = await readFile(Buffer.from(text))
  assert.ok(read.kind === 'read', JSON.stringify(read))
  return read.lines
}

test('a name may have two columns, by their titles or by a person, and never more', async () => {
  const names = async (titles: string, cells = 'KONÉ;Awa') =>
    (await linesOf(`${titles};numero;montant\n${cells};0707000001;5`)).map(({ cells: { name } }) => name)
  assert.deepEqual(await names('Nom;Prénoms'), ['KONÉ Awa'])
  assert.deepEqual(await names('Nom;Prénom(s)'), ['KONÉ Awa'])
  assert.deepEqual(await names('Nom de famille;Prénom'), ['KONÉ Awa'])
  assert.deepEqual(await names('First name;Last name', 'Awa;Koné'), ['Awa Koné'])
  assert.deepEqual(await names('Nom et prénoms;Prénoms', 'KONÉ Awa;Awa'), ['KONÉ Awa'])
  assert.deepEqual(await names('Nom;Prénoms', ';Awa'), ['Awa'])
  for (const titles of ['Nom;Nom', 'Nom;Bénéficiaire', 'Prénoms;Surnom', 'Nom de famille;Surnom']) {
    const refused = await readFile(Buffer.from(`${titles};numero;montant\nKONÉ;Awa;0707000001;5`))
    assert.ok(refused.kind === 'refused')
    assert.match(refused.refusal.code, /column_twice|missing_columns/)
  }
  const read = await readTable(Buffer.from('A;B;C;D;E\nKONÉ;Awa;dite Mimi;0707000001;5'))
  assert.ok(read.kind === 'table')
  const by = (...at: AssignedColumns['at']) => linesByPerson(read.table, { titles: true, at, assigned_by: 'x' })
  const two = by('name', 'name', null, 'msisdn', 'amount')
  assert.ok(two.kind === 'read' && two.lines[0]!.cells.name === 'KONÉ Awa')
  const three = by('name', 'name', 'name', 'msisdn', 'amount')
  assert.ok(three.kind === 'refused' && three.refusal.code === 'column_twice')
})

test('amounts under a title that names another currency are a question, and amounts that name one are a fault', async () => {
  for (const title of ['Montant €', 'Montant $', 'Montant (£)', 'MONTANT (₦)']) {
    const [line] = await linesOf(`nom;numero;${title}\nAwa Koné;0707000001;5`)
    assert.deepEqual(judgeLine(line!).questions, [{ code: 'title_currency', title }])
  }
  for (const amount of ['600 €', '€600', '600 EUR', '600 euros', 'USD 600', '600 GNF', '600$']) {
    const [line] = await linesOf(`nom;numero;montant\nAwa Koné;0707000001;${amount}`)
    assert.deepEqual(
      judgeLine(line!).faults.map(({ column, code }) => `${column} ${code}`),
      ['amount currency'],
      amount,
    )
  }
})
