import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newNumber } from '../contract/sender.ts'
import { type BuiltSheet, workbookOf, workbookParts, zipOf } from '../harness/build-workbook.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import {
  answer,
  batchesOf,
  batchIdIn,
  draftOf,
  makeBatch,
  mendLines,
  newShop,
  questionsOf,
  read,
  type Shop,
  versionOf,
} from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const titles = ['Nom', 'Numéro', 'Montant']
const awa = (amount = 16_000) => ['Awa Koné', newNumber(), amount]

/** Tries to make a batch past the page, as a program would. */
async function forced(shop: Shop, draft: string) {
  const version = await versionOf(shop, draft)
  const page = await shop.mariam.post(`${draft}/create`, { version }, draft)
  assert.equal(page.status, 409, page.text)
  assert.deepEqual(await batchesOf(installation, shop), [])
}

async function amountsOf(shop: Shop, draft: string): Promise<number[]> {
  const made = await makeBatch(shop, draft)
  assert.equal(made.status, 303, made.text)
  const batch = (await shop.sender.readBatch(batchIdIn(made))).json() as { lines: { amount: number }[] }
  return batch.lines.map(({ amount }) => amount)
}

test('hidden, struck and annotated lines are questions: no batch is made before each is ticked or taken out', async () => {
  const shop = await newShop(installation)
  const sheet: BuiltSheet = {
    rows: [
      titles,
      awa(1_000),
      awa(2_000),
      awa(3_000),
      awa(4_000).map((value) => ({ value, struck: true })),
      awa(5_000),
    ],
    lines: { 3: 'hidden="1"', 4: 'ht="0" customHeight="1"' },
    notes: { C6: 'NE PAS PAYER, contrat fini' },
  }
  const draft = await draftOf(shop, workbookOf(sheet), 'paie.xlsx')
  const text = await read(shop.mariam.get(draft))
  assert.match(text, /4 lignes à confirmer/)
  assert.match(text, /2 lignes masquées dans le classeur/)
  assert.match(text, /1 ligne barrée dans le classeur/)
  assert.match(text, /1 ligne avec le commentaire « NE PAS PAYER, contrat fini »/)
  await forced(shop, draft)
  const [hidden, struck, note] = await questionsOf(shop, draft)
  await mendLines(shop, draft, [
    ['right', struck!],
    ['without', hidden!],
  ])
  assert.match(await read(shop.mariam.get(draft)), /1 ligne à confirmer/)
  await forced(shop, draft)
  const opened = await read(shop.mariam.get(`${draft}?line=6`))
  assert.match(opened, /Un commentaire du classeur dit « NE PAS PAYER/)
  await mendLines(shop, draft, [['right', 'of another question']])
  assert.deepEqual(await questionsOf(shop, draft), [note], 'only its own key answers a question')
  await mendLines(shop, draft, [
    ['line', '6'],
    ['right_line', '6'],
  ])
  assert.deepEqual(await amountsOf(shop, draft), [1_000, 4_000, 5_000])
})

test('an outdated page answers no question', async () => {
  const shop = await newShop(installation)
  const draft = await draftOf(shop, workbookOf({ rows: [titles, awa(), awa()], lines: { 2: 'hidden="1"' } }), 'p.xlsx')
  const [key] = await questionsOf(shop, draft)
  await mendLines(shop, draft, [
    ['line', '3'],
    ['amount3', '17000'],
  ])
  const late = await shop.mariam.post(
    `${draft}/lines`,
    [
      ['version', '1'],
      ['right', key!],
    ],
    draft,
  )
  assert.equal(late.status, 409)
  assert.deepEqual(await questionsOf(shop, draft), [key])
})

const besides: readonly (readonly [title: string, cells: readonly string[], asked: readonly RegExp[]])[] = [
  ['Portefeuille', ['Wave', 'Wave CI', 'MTN'], [/Portefeuille », laissée de côté, nomme l’opérateur de 3 lignes/]],
  ['Wallet', ['OM', '', ''], [/Wallet », laissée de côté, nomme l’opérateur de 1 ligne/]],
  ['Numéro Wave', ['0507000001', '05 07 00 00 02', '707000003'], [/a un autre numéro pour 3 lignes/]],
  ['À payer', ['oui', 'non', 'NON'], [/dit « oui » : 1 ligne/, /dit « non » : 2 lignes/]],
  ['Actif', ['1', '0', '1'], [/dit « 1 » : 2 lignes/, /dit « 0 » : 1 ligne/]],
  ['Cochées', ['x', '', 'x'], [/dit « x » : 2 lignes/, /Cochées », laissée de côté, ne coche pas 1 ligne/]],
  ['Payer', ['oui', '', ''], [/dit « oui » : 1 ligne/, /Payer », laissée de côté, ne coche pas 2 lignes/]],
  ['Décision', ['à vérifier', 'non', 'en attente'], [/dit « non » : 1 ligne/]],
  ['Revue', ['à vérifier', '✗', 'en attente'], [/dit « ✗ » : 1 ligne/]],
  // Nobody is ticked, so an empty cell says nothing.
  ['Exclu', ['non', '', ''], [/dit « non » : 1 ligne/, /^(?![\s\S]*Exclu », laissée de côté, ne coche pas)/]],
  ['Bon', ['☑', '☐', '☑'], [/dit « ☑ » : 2 lignes/, /dit « ☐ » : 1 ligne/]],
  [
    'Moyen',
    ['Wave', 'Wave', 'MTN', 'Orange', 'Espèces'],
    [/nomme l’opérateur de 4 lignes/, /dit « Espèces » : 1 ligne/],
  ],
  ['Mode', ['Wave', 'Espèces', 'Virement'], [/dit « Wave »/, /dit « Espèces »/, /dit « Virement »/]],
  ['Devise', ['XOF', 'EUR', 'XOF'], [/dit « EUR » : 1 ligne/]],
  ['Monnaie', ['€', '€', '$'], [/dit « € » : 2 lignes/, /dit « \$ » : 1 ligne/]],
  ['Observations', ['', 'NE PAS PAYER', 'revient lundi'], [/dit « NE PAS PAYER » : 1 ligne/]],
  ['Situation', ['en poste', 'parti', 'suspendue'], [/dit « parti »/, /dit « suspendue »/]],
  ['Remarque', ['payé en espèces', 'déjà payé', ''], [/dit « déjà payé » : 1 ligne/]],
]
for (const [title, cells, asked] of besides) {
  test(`a column that is left out and says ${cells.join(', ')} is a question`, async () => {
    const shop = await newShop(installation)
    const rows = cells.map((cell) => `Awa Koné;${newNumber()};5000;${cell}`)
    const draft = await draftOf(shop, [`Nom;Numéro;Montant;${title}`, ...rows].join('\n'))
    const text = await read(shop.mariam.get(draft))
    for (const words of asked) assert.match(text, words)
    await forced(shop, draft)
    await answer(shop, draft)
    assert.equal((await amountsOf(shop, draft)).length, cells.length)
  })
}

for (const [title, cells] of [
  ['Service', ['Caisse', 'Banque', 'Sécurité']],
  ['Matricule', ['A014', 'A015', '16']],
  ['Date', ['27/11/2026', '28/11/2026', '']],
  ['Devise', ['XOF', 'F CFA', 'XOF']],
  ['Brut', ['60000', '75 000', '52000']],
  ['Ville', ['Abidjan', 'Bouaké', 'Orange']],
  ['N°', ['1', '2', '3']],
] as const) {
  test(`a column that is left out and says ${cells.join(', ')} is no question`, async () => {
    const shop = await newShop(installation)
    const rows = cells.map((cell) => `Awa Koné;${newNumber()};5000;${cell}`)
    const draft = await draftOf(shop, [`Nom;Numéro;Montant;${title}`, ...rows].join('\n'))
    assert.match(await read(shop.mariam.get(draft)), /3 lignes prêtes/)
  })
}

test('a hidden column decides only after a person said so, each time', async () => {
  const shop = await newShop(installation)
  const sheet = {
    rows: [
      [...titles, 'Opérateur'],
      [...awa(), 'wave'],
    ],
    columns: { 4: 'hidden="1"' },
  }
  const draft = await draftOf(shop, workbookOf(sheet), 'p.xlsx')
  assert.match(await read(shop.mariam.get(draft)), /La colonne masquée « Opérateur » décide de 1 ligne/)
  await forced(shop, draft)
  const columns = await read(shop.mariam.get(`${draft}/columns`))
  assert.match(columns, /Colonne 4 · Opérateur \(masquée\)/)
  await answer(shop, draft)
  assert.deepEqual(await amountsOf(shop, draft), [16_000])
})

test('another sheet of a workbook can be chosen', async () => {
  const shop = await newShop(installation)
  const notice: BuiltSheet = {
    name: 'Mode d’emploi',
    rows: [
      ['Étape', 'Quoi faire'],
      [1, 'Remplir'],
    ],
  }
  const pay: BuiltSheet = { name: 'Paie', rows: [['PAIE DE NOVEMBRE'], [], titles, awa(7_000)] }
  const open = await draftOf(shop, zipOf(workbookParts([notice, pay], { active: 1 })), 'p.xlsx')
  const text = await read(shop.mariam.get(open))
  assert.match(text, /1 ligne prête/)
  assert.match(text, /Au-dessus des titres<\/dt><dd>PAIE DE NOVEMBRE/)
  const draft = await draftOf(shop, zipOf(workbookParts([notice, pay], { active: 0 })), 'p.xlsx')
  const asked = await shop.mariam.get(`${draft}/columns`)
  const to = /href="([^"]*columns\?sheet=[^"]*)"/.exec(asked.text)?.[1] ?? ''
  const page = await shop.mariam.get(to)
  assert.match(await read(page), /Feuille lue : « Paie »/)
  const version = await versionOf(shop, `${draft}/columns`)
  const fields = { version, sheet: 'Paie', titles: 'yes', column0: 'name', column1: 'msisdn', column2: 'amount' }
  assert.equal((await shop.mariam.post(`${draft}/columns`, fields, to)).status, 303)
  assert.match(await read(shop.mariam.get(draft)), /Feuille<\/dt><dd>Paie/)
  assert.deepEqual(await amountsOf(shop, draft), [7_000])
})

for (const [form, bytes, words] of [
  [
    'Macintosh',
    Buffer.from('Nom;Telephone;Montant\nKon\x8e A\x95cha;{n};5000', 'latin1'),
    /1 nom aux lettres impossibles/,
  ],
  ['DOS', Buffer.from('Nom;Telephone;Montant\nKon\x82 A\x8bcha;{n};5000', 'latin1'), /1 nom aux lettres impossibles/],
  ['UTF-8 twice', Buffer.from('Nom;Telephone;Montant\nKonÃ© AÃ¯cha;{n};5000'), /1 nom aux lettres impossibles/],
  ['lost letters', Buffer.from('Nom;Telephone;Montant\nKon\ufffd A?cha;{n};5000'), /1 nom aux lettres impossibles/],
  ['Windows', Buffer.from('Nom;Telephone;Montant\nKon\xe9 A\xefcha, dit N\x92Dri;{n};5000', 'latin1'), /1 ligne prête/],
  ['UTF-16', Buffer.from('\ufeffNom;Numéro;Montant\nKoné Aïcha;{n};5000', 'utf16le'), /1 ligne prête/],
  ['UTF-16 without a mark', Buffer.from('Nom;Numéro;Montant\nKoné Aïcha;{n};5000', 'utf16le'), /1 ligne prête/],
  [
    'UTF-16 in big endian',
    Buffer.from('\ufeffNom;Numéro;Montant\nKoné Aïcha;{n};5000', 'utf16le').swap16(),
    /1 ligne prête/,
  ],
  ['bars', Buffer.from('Nom|Numéro|Montant\nKoné Aïcha|{n}|5000'), /barre verticale/],
  [
    'a heading with commas',
    Buffer.from('Lagune SA, Plateau, Abidjan\n\nNom;Numéro;Montant\nKoné;{n};5000'),
    /point-virgule/,
  ],
  ['two columns of a name', Buffer.from('Nom;Prénoms;Numéro;Montant\nKONÉ;Aïcha;{n};5000'), /KONÉ Aïcha/],
] as const) {
  test(`a file of text is read or doubted: ${form}`, async () => {
    const shop = await newShop(installation)
    const wide = bytes.includes(0) ? (bytes[1] === 0 || bytes[0] === 0xff ? 'le' : 'be') : null
    const number = newNumber()
    const written = wide === null ? Buffer.from(number) : Buffer.from(number, 'utf16le')
    const mark = wide === null ? Buffer.from('{n}') : Buffer.from('{n}', 'utf16le')
    if (wide === 'be') {
      written.swap16()
      mark.swap16()
    }
    const at = bytes.indexOf(mark)
    const file = Buffer.concat([bytes.subarray(0, at), written, bytes.subarray(at + mark.length)])
    assert.match(await read(shop.mariam.get(await draftOf(shop, file))), words)
  })
}

test('a file of another form is named, with the way out', async () => {
  const shop = await newShop(installation)
  const zip = (...names: string[]) => zipOf(names.map((name) => ({ name, text: 'x', method: 0 as const })))
  const ods = zipOf([
    { name: 'mimetype', text: 'application/vnd.oasis.opendocument.spreadsheet', method: 0 },
    { name: 'content.xml', text: '<x/>' },
  ])
  const damaged = workbookOf({ rows: [titles, awa()] })
  const forms: readonly (readonly [Buffer | string, RegExp])[] = [
    [ods, /classeur LibreOffice \(\.ods\).*\.xlsx ou CSV/],
    [zip('Index/Document.iwa'), /Numbers d’Apple/],
    [zip('[Content_Types].xml', 'xl/workbook.bin'), /Excel binaire \(\.xlsb\)/],
    [zip('[Content_Types].xml', 'word/document.xml'), /document de texte/],
    [zip('paie.csv'), /archive \(\.zip\)/],
    [Buffer.from('1f8b0800', 'hex'), /archive compressée/],
    ['%PDF-1.7\n%âãÏÓ', /C’est un PDF/],
    ['<html><body><table><tr><td>Nom</td></tr></table></body></html>', /page web \(HTML\)/],
    ['\ufeff<!DOCTYPE html>\n<html>', /page web \(HTML\)/],
    ['<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', /Excel en XML/],
    ['<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"/>', /camt\.053/],
    [':20:RELEVE\n:25:CI00\n:60F:C261126XOF9000000,', /MT940/],
    ['{"url":"https://docs.google.com/spreadsheets/d/abc/edit"}', /Google Sheets/],
    [Buffer.from('89504e470d0a1a0a', 'hex'), /C’est une image/],
    [damaged.subarray(0, damaged.length - 30), /Excel est abîmé/],
  ]
  for (const [bytes, words] of forms) {
    const page = await shop.mariam.upload(`${shop.base}/batches/new`, { name: 'paie.xlsx', bytes: Buffer.from(bytes) })
    assert.equal(page.status, 422, String(words))
    assert.match(await read(page), words)
  }
})

test('titles in another code page say so at the columns, and every name with an accent is asked about', async () => {
  const shop = await newShop(installation)
  // As a program of DOS writes "Numéro" and "EUGÈNE". No letter of the name alone gives it away.
  const file = Buffer.from(
    `Nom;Num\x82ro;Montant\nEUG\xd4NE AYA;${newNumber()};5000\nKONAN YAO;${newNumber()};6000`,
    'latin1',
  )
  const draft = await draftOf(shop, file)
  assert.match(await read(shop.mariam.get(`${draft}/columns`)), /Le fichier a été lu dans un autre codage/)
  const version = await versionOf(shop, `${draft}/columns`)
  const fields = { version, titles: 'yes', column0: 'name', column1: 'msisdn', column2: 'amount' }
  assert.equal((await shop.mariam.post(`${draft}/columns`, fields, `${draft}/columns`)).status, 303)
  assert.match(await read(shop.mariam.get(draft)), /1 nom aux lettres impossibles/)
  await forced(shop, draft)
  await answer(shop, draft)
  assert.deepEqual(await amountsOf(shop, draft), [5_000, 6_000])
})
