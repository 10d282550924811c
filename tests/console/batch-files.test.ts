import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dropLapsedDrafts } from '../../src/batch-files/drop-lapsed-drafts.ts'
import { writeXlsx } from '../../src/listings/write-xlsx.ts'
import { newNumber, post } from '../contract/sender.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  answer,
  batchesOf,
  batchIdIn,
  csv,
  draftOf,
  makeBatch,
  mendLines,
  newShop,
  read,
  versionOf,
} from './batch-shop.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

test('a file becomes a draft, and the draft a batch with the person as its maker; nothing is sent', async () => {
  const shop = await newShop(installation)
  const { mariam, base } = shop
  const [one, two] = [newNumber(), newNumber()]
  const draft = await draftOf(shop, csv(`Awa Koné;${one};orange;16 000;SAL-1`, `Yves Kouadio;+225 ${two};;15000,00;`))
  assert.match(draft, new RegExp(`^${base}/batches/drafts/pbd_`))
  const text = await read(mariam.get(draft))
  assert.match(text, /2 lignes prêtes/)
  assert.match(text, /Awa Koné/)
  assert.match(text, /point-virgule/)
  const made = await makeBatch(shop, draft)
  assert.equal(made.status, 303, made.text)
  const id = batchIdIn(made)
  assert.match(await read(mariam.get(`${base}/batches/${id}`)), /Vérifier les noms chez les opérateurs/)
  const asked = await mariam.post(`${base}/batches/${id}/names`, {}, `${base}/batches/${id}`)
  assert.equal(asked.status, 303)
  await waitFor(async () => /Nom : Le même|Nom : Un autre|Nom : Proche/.test(await read(mariam.get(asked.location!))), {
    deadline_ms: 60_000,
    what: 'the operators’ words about the names',
  })
  const batch = (await shop.sender.readBatch(id)).json() as { status: string; reference: string; lines: unknown[] }
  assert.equal(batch.status, 'brouillon')
  assert.equal(batch.reference, 'Salaires novembre')
  assert.deepEqual(await batchesOf(installation, shop), [{ id, made_by: mariam.email, line_count: 2 }])
  const { body } = await mariam.facts(`${base}/batches/${id}`)
  assert.equal((body.file as { file_name: string }).file_name, 'salaires.csv')
  const [act] = await installation.db.sql<{ actor: string; act: string; step_up_id: string | null }[]>`
    select actor, act, step_up_id from audit_log where subject = ${id}`
  assert.equal(act!.actor, mariam.email)
  assert.equal(act!.act, 'payout_batch.create')
  assert.ok(act!.step_up_id !== null)
})

test('every fault is shown at its line and column and corrected in place, and the batch cannot be made before', async () => {
  const shop = await newShop(installation)
  const { mariam } = shop
  const good = newNumber()
  const draft = await draftOf(
    shop,
    csv(
      `Awa Koné;${good};orange;16000;`,
      'Yves Kouadio;07 84 33 20;wave;16000;',
      `Salimata Koné;${newNumber()};;17 500,50;`,
      `Brou Kévin;${newNumber()};MTM;15000;`,
      `;${newNumber()};;15000;`,
      `Excel;${newNumber().slice(1)};;15000;`,
    ),
  )
  const text = await read(mariam.get(draft))
  assert.match(text, /4 lignes à corriger/)
  assert.match(text, /Ligne 3, Numéro : il manque 2 chiffres/)
  assert.match(text, /Ligne 4, Montant : un montant s’écrit en francs entiers/)
  assert.match(text, /Ligne 5, Opérateur : inconnu/)
  assert.match(text, /Ligne 6, Nom : il manque/)
  assert.match(text, /1 numéro dont nous avons remis le zéro/)
  const early = await mariam.post(`${draft}/create`, { version: '1' }, draft)
  assert.equal(early.status, 409)
  const mended = await mendLines(shop, draft, [
    ['line', '3'],
    ['msisdn3', newNumber()],
    ['line', '4'],
    ['amount4', '17 500,5'],
    ['line', '5'],
    ['operator5', 'mtn_ci'],
    ['line', '6'],
    ['drop', '6'],
  ])
  assert.equal(mended.status, 303, mended.text)
  const then = await mariam.get(draft)
  assert.match(await read(then), /1 ligne à corriger/)
  assert.match(await read(then), /value="17 500,5"/, 'what was typed stays')
  await mendLines(shop, draft, [
    ['line', '4'],
    ['amount4', '17500'],
  ])
  assert.match(await read(mariam.get(draft)), /1 ligne à confirmer/)
  await answer(shop, draft)
  assert.match(await read(mariam.get(draft)), /5 lignes prêtes/)
  assert.match(await read(mariam.get(draft)), /Zéro remis devant/)
  const stale = await mariam.post(`${draft}/create`, { version: '1' }, draft)
  assert.equal(stale.status, 409)
  assert.match(await read(stale), /changé le brouillon/)
  const id = batchIdIn(await makeBatch(shop, draft))
  const { lines } = (await shop.sender.readBatch(id)).json() as { lines: { amount: number }[] }
  assert.deepEqual(
    lines.map(({ amount }) => amount),
    [16_000, 16_000, 17_500, 15_000, 15_000],
  )
  assert.match(await read(mariam.get(`${shop.base}/batches/${id}`)), /3 lignes corrigées sur place/)
})

test('an outdated page overwrites nothing: the typed text stays beside the changes', async () => {
  const shop = await newShop(installation)
  const { mariam } = shop
  const number = newNumber()
  const draft = await draftOf(
    shop,
    csv('Yves Kouadio;07 84 33 20;;16000;', `Salimata Koné;${newNumber()};;17 500,50;`, 'Brou Kévin;;;15000;'),
  )
  const page = await mariam.get(draft)
  /** Returns the fields of the page as a browser sends them, with typed changes. */
  const formOf = (text: string, typed: Readonly<Record<string, string>>) =>
    [...text.matchAll(/<input[^>]* name="([^"]+)"[^>]*>/g)].flatMap(([input, name = '']): [string, string][] => {
      if (!/^(line|version|(was_)?(msisdn|amount)\d)$/.test(name)) return []
      return [[name, typed[name] ?? / value="([^"]*)"/.exec(input)?.[1] ?? '']]
    })
  const other = formOf(page.text, { msisdn2: number, amount3: '17000' })
  assert.equal((await mariam.post(`${draft}/lines`, [...other, ['drop', '4']], draft)).status, 303)
  const late = await mariam.post(`${draft}/lines`, formOf(page.text, { amount3: '17500', msisdn4: '0700' }), draft)
  assert.equal(late.status, 409)
  const text = await read(late)
  assert.match(text, /Rien n’est encore changé/)
  assert.match(text, /Montant : changé entre-temps en « 17000 »\. Vous aviez écrit « 17500 »/)
  assert.match(text, /name="amount3"[^>]* value="17500"/, 'what was typed stays')
  assert.match(text, /Numéro : changé entre-temps : « 07 84 33 20 » est devenu/)
  assert.match(text, new RegExp(`name="msisdn2"[^>]* value="${number}"`), 'nothing old is written over what is new')
  assert.match(text, /Retirées du brouillon entre-temps/)
  assert.match(text, /Ligne 4 · Numéro : 0700, Montant : 15000/)
  assert.doesNotMatch(text, /Créer le lot/)
  const undeleted = await mariam.post(`${draft}/delete`, { version: '1' }, draft)
  assert.equal(undeleted.status, 409)
  assert.match(await read(undeleted), /Le brouillon n’est pas supprimé/)
  assert.equal((await mariam.post(`${draft}/lines`, formOf(late.text, {}), draft)).status, 303)
  const id = batchIdIn(await makeBatch(shop, draft))
  const { lines } = (await shop.sender.readBatch(id)).json() as { lines: { amount: number }[] }
  assert.deepEqual(
    lines.map(({ amount }) => amount),
    [16_000, 17_500],
  )
})

test('the answer to a file of 50 MB is a page, and nothing of the file is stored', async () => {
  const shop = await newShop(installation)
  const page = await shop.mariam.upload(`${shop.base}/batches/new`, {
    name: 'tout.csv',
    bytes: new Uint8Array(50 * 1024 * 1024).fill(65),
  })
  assert.equal(page.status, 413)
  assert.match(await read(page), /trop lourd : 5 Mo au plus/)
  const rows = await installation.db.sql`
    select id from batch_drafts where merchant_id = ${shop.sender.tenant.merchant_id}`
  assert.equal(rows.length, 0)
})

test('a file that makes no batch is refused with a sentence', async () => {
  const shop = await newShop(installation)
  const refused = async (bytes: string | Uint8Array, words: RegExp) => {
    const page = await shop.mariam.upload(`${shop.base}/batches/new`, { name: 'x.csv', bytes }, { name: 'Primes' })
    assert.equal(page.status, 422, page.text)
    assert.match(await read(page), words)
    assert.match(await read(page), /value="Primes"/, 'what was typed stays')
  }
  await refused('', /Ce fichier est vide|Choisissez un fichier/)
  await refused('\r\n\r\n', /Ce fichier est vide/)
  await refused('bonjour\r\nAwa', /il manque « Nom », « Numéro », « Montant »\. Titres trouvés : « bonjour »/)
  await refused('nom;numero;montant\r\n', /aucune ligne/)
  await refused('nom;numero;montant\r\n"A;0700000001;5', /Ligne 2 : un guillemet s’ouvre/)
  await refused(csv(...Array(501).fill('A;0700000001;;5;')), /501 lignes ; un lot en prend 500/)
  await refused(Uint8Array.of(0x89, 0x50, 0, 0, 1), /n’est pas un tableau/)
  const old = Buffer.from('d0cf11e0a1b11ae1', 'hex')
  await refused(old, /ancien format/)
  await refused(Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]), /protégé par un mot de passe/)
})

test('a file in Latin-1 with commas is read with its accents, and the page says how it was read', async () => {
  const shop = await newShop(installation)
  const text = `Service,Amount,Number,Name\nCaisse,15000,${newNumber()},Aïssata Koné\n`
  const draft = await draftOf(shop, Buffer.from(text, 'latin1'))
  const page = await shop.mariam.get(draft)
  assert.match(await read(page), /Aïssata Koné/)
  assert.match(await read(page), /Windows-1252/)
  assert.match(await read(page), /Colonnes laissées de côté<\/dt><dd>Service/)
})

test('a workbook is read, with the leading zero that a spreadsheet removed from a number', async () => {
  const shop = await newShop(installation)
  const number = newNumber()
  async function* rows() {
    yield [['Awa Koné', Number(number), 16_000]]
  }
  const parts: Uint8Array[] = []
  for await (const part of writeXlsx(['Nom', 'Numéro', 'Montant'], rows())) parts.push(part)
  // The bytes decide, and not the name.
  const misnamed = await draftOf(shop, Buffer.concat(parts), 'salaires.csv')
  assert.match(await read(shop.mariam.get(misnamed)), /1 ligne à confirmer/)
  const text = await draftOf(shop, csv(`A;${newNumber()};;5;`), 'texte.xlsx')
  assert.match(await read(shop.mariam.get(text)), /1 ligne prête/)
  const draft = await draftOf(shop, Buffer.concat(parts), 'salaires.xlsx')
  assert.match(await read(shop.mariam.get(draft)), /1 ligne à confirmer/)
  await answer(shop, draft)
  const page = await read(shop.mariam.get(draft))
  assert.match(page, /1 ligne prête/)
  assert.match(page, /Zéro remis devant/)
  assert.ok(page.includes(number.replace(/\d\d\B/g, '$& ')))
  const { headers } = await shop.mariam.get(`${draft}/file`)
  assert.match(headers.get('content-disposition') ?? '', /salaires\.xlsx/)
})

test('the page warns of a file that was sent before, with a link to its batch, and of a repeated number', async () => {
  const shop = await newShop(installation)
  const number = newNumber()
  const text = csv(`Awa Koné;${number};;16000;`, `Awa Koné;${number};;16000;`)
  const first = await draftOf(shop, text)
  assert.match(await read(shop.mariam.get(first)), /Même numéro que la ligne 2/)
  const id = batchIdIn(await makeBatch(shop, first))
  const second = await draftOf(shop, text, 'autre-nom.csv')
  const page = await shop.mariam.get(second)
  assert.match(await read(page), /Ce fichier est déjà venu/)
  assert.match(await read(page), new RegExp(`href="${shop.base}/batches/${id}"`))
})

test('a draft can be deleted, lapses, and is invisible to other merchants', async () => {
  const shop = await newShop(installation)
  const text = csv(`Awa Koné;${newNumber()};;16000;`)
  const draft = await draftOf(shop, text)
  assert.equal((await shop.viewer.get(draft)).status, 403)
  const mode = shop.sender.tenant.livemode ? 'live' : 'test'
  const elsewhere = draft.replace(`/console/${mode}/`, `/console/${otherMode}/`)
  assert.equal((await shop.mariam.get(elsewhere)).status, 404)
  const other = await newShop(installation)
  assert.equal((await other.mariam.get(draft.replace(shop.base, other.base))).status, 404)
  await shop.mariam.post(`${draft}/delete`, { version: await versionOf(shop, draft) }, draft)
  assert.equal((await shop.mariam.get(draft)).status, 404)
  const lapsing = await draftOf(shop, text)
  await installation.db.sql`
    update batch_drafts set expires_at = clock_now() - interval '1 second' where id = ${lapsing.split('/').at(-1)!}`
  assert.equal((await shop.mariam.get(lapsing)).status, 404)
  const kept = await draftOf(shop, text)
  const id = batchIdIn(await makeBatch(shop, kept))
  await installation.db.sql`
    update batch_drafts set expires_at = clock_now() - interval '1 second' where id = ${kept.split('/').at(-1)!}`
  assert.equal(await dropLapsedDrafts(installation.db.sql), 1)
  assert.match(await read(shop.mariam.get(`${shop.base}/batches/${id}`)), /salaires\.csv/, 'the file of a batch stays')
})

test('the template has the required titles', async () => {
  const shop = await newShop(installation)
  const template = await shop.mariam.get(`${shop.base}/batches/template`)
  assert.match(template.headers.get('content-disposition') ?? '', /modele-lot\.csv/)
  const filled = `${template.text.trimEnd()}\r\nAwa Koné;${newNumber()};orange;16000;S-1\r\n`
  assert.match(await read(shop.mariam.get(await draftOf(shop, filled))), /1 ligne prête/)
})

test('many faults are read page by page, and all faulty lines can be removed at once', async () => {
  const shop = await newShop(installation)
  const draft = await draftOf(shop, csv(`Awa Koné;${newNumber()};;16000;`, ...Array(30).fill('Yves;07 84;;5;')))
  const text = await read(shop.mariam.get(draft))
  assert.match(text, /30 lignes à corriger/)
  const [, next] = /href="([^"]+)">Les 5 autres lignes à corriger/.exec(text) ?? []
  assert.match(await read(shop.mariam.get(next!)), /Ligne 32, Numéro/)
  await mendLines(shop, draft, [['without', 'all']])
  assert.match(await read(shop.mariam.get(draft)), /1 ligne prête/)
})

test('a line may name an entry of the book, which the book confirms', async () => {
  const shop = await newShop(installation)
  const added = await installation.ask(
    post('/v1-beneficiaries', shop.sender.key, { operator: 'orange_ci', name: 'Awa Koné', msisdn: newNumber() }),
  )
  assert.equal(added.status, 201, added.text)
  const { id } = added.json() as { id: string }
  const draft = await draftOf(shop, `carnet;montant\n${id};16000\n00000000-0000-4000-8000-000000000000;5000\n`)
  const text = await read(shop.mariam.get(draft))
  assert.match(text, /Ligne 3, Carnet : cette entrée n’est pas dans le carnet/)
  assert.match(text, /2 · Awa Koné/)
  await mendLines(shop, draft, [['without', 'all']])
  const batch = (await shop.sender.readBatch(batchIdIn(await makeBatch(shop, draft)))).json() as { lines: object[] }
  assert.equal(batch.lines.length, 1)
})
