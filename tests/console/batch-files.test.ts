import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dropLapsedDrafts } from '../../src/batch-files/drop-lapsed-drafts.ts'
import { writeXlsx } from '../../src/listings/write-xlsx.ts'
import { newNumber, newSender, post, type Sender } from '../contract/sender.ts'
import { type Browser, giveTelephone, openBrowser, type Page } from '../harness/console.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { otherMode } from '../harness/mode.ts'
import { waitFor } from '../harness/wait-for.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

type Person = Browser & { code: () => Promise<string> }
type Shop = { sender: Sender; base: string; mariam: Person; aya: Person; viewer: Browser }

async function newShop(funds = 1_000_000): Promise<Shop> {
  const sender = await newSender(installation, { funds })
  const { merchant_id, livemode } = sender.tenant
  const { sql } = installation.db
  const { address } = installation.services[0]!
  const person = async (name: string, roles: string[]): Promise<Person> => {
    const opened = await openBrowser(sql, address, { merchant_id, roles, name })
    return { ...opened, code: await giveTelephone(sql, installation.secret_key, opened) }
  }
  const [mariam, aya, viewer] = await Promise.all([
    person('Mariam Traoré', ['maker', 'approver']),
    person('Aya Kouassi', ['approver']),
    openBrowser(sql, address, { merchant_id, roles: ['viewer'], name: 'Jean Ehui' }),
  ])
  return { sender, base: `/console/${livemode ? 'live' : 'test'}/${merchant_id}`, mariam, aya, viewer }
}

/** The text of a page, with plain spaces. */
const read = async (page: Promise<Page> | Page) => (await page).text.replace(/[\u00a0\u202f]/g, ' ')

const csv = (...lines: string[]) => ['nom;numero;operateur;montant;reference', ...lines].join('\r\n')

/** Sends a file, and answers the path of its draft. */
async function draftOf({ base, mariam }: Shop, text: string | Uint8Array, name = 'salaires.csv'): Promise<string> {
  const page = await mariam.upload(`${base}/batches/new`, { name, bytes: text }, { name: 'Salaires novembre' })
  assert.equal(page.status, 303, page.text)
  return page.location!
}

/** Agrees to an act with a fresh factor. */
async function confirmed(who: Person, path: string, fields: Record<string, string>, from: string): Promise<Page> {
  const question = await who.post(path, fields, from)
  const [, step_up_id] = /name="step_up_id" value="([^"]+)"/.exec(question.text) ?? []
  if (step_up_id === undefined) return question
  return who.post(path, { ...fields, step_up_id, secret_code: await who.code() }, from)
}

async function makeBatch({ mariam }: Shop, draft: string): Promise<Page> {
  const [, version = ''] = /name="version" value="(\d+)"/.exec((await mariam.get(draft)).text) ?? []
  return confirmed(mariam, `${draft}/create`, { version }, draft)
}

const batchIdIn = ({ location }: Page) => /pob_[0-9a-z]+/.exec(location ?? '')![0]

const batchesOf = ({ sender }: Shop) =>
  installation.db.sql<{ id: string; made_by: string; line_count: number }[]>`
    select id, made_by, line_count from payout_batches where merchant_id = ${sender.tenant.merchant_id} order by id`

test('a file becomes a draft, and the draft a batch with the person as its maker; nothing is sent', async () => {
  const shop = await newShop()
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
  assert.deepEqual(await batchesOf(shop), [{ id, made_by: mariam.email, line_count: 2 }])
  const { body } = await mariam.facts(`${base}/batches/${id}`)
  assert.equal((body.file as { file_name: string }).file_name, 'salaires.csv')
  const [act] = await installation.db.sql<{ actor: string; act: string; step_up_id: string | null }[]>`
    select actor, act, step_up_id from audit_log where subject = ${id}`
  assert.equal(act!.actor, mariam.email)
  assert.equal(act!.act, 'payout_batch.create')
  assert.ok(act!.step_up_id !== null)
})

test('a second tap makes no second batch', async () => {
  const shop = await newShop()
  const draft = await draftOf(shop, csv(`Awa Koné;${newNumber()};;16000;`))
  const { mariam } = shop
  const question = await mariam.post(`${draft}/create`, { version: '1' }, draft)
  const [, step_up_id = ''] = /name="step_up_id" value="([^"]+)"/.exec(question.text) ?? []
  const fields = { version: '1', step_up_id, secret_code: await mariam.code() }
  const pages = await Promise.all([
    mariam.post(`${draft}/create`, fields, draft),
    mariam.post(`${draft}/create`, fields, draft),
  ])
  assert.ok(pages.some(({ status }) => status === 303))
  const again = await mariam.post(`${draft}/create`, fields, `/console/test/${shop.sender.tenant.merchant_id}/account`)
  assert.equal(again.status, 303)
  const batches = await batchesOf(shop)
  assert.equal(batches.length, 1)
  assert.match(again.location!, new RegExp(batches[0]!.id))
})

test('above the cap the maker cannot approve the batch, and somebody else can', async () => {
  const shop = await newShop(2_000_000)
  const draft = await draftOf(shop, csv(`Awa Koné;${newNumber()};;600000;`))
  assert.match(await read(shop.mariam.get(draft)), /deuxième personne devra approuver/)
  const id = batchIdIn(await makeBatch(shop, draft))
  const approval = `${shop.base}/approvals/${id}`
  assert.match(await read(shop.mariam.get(`${shop.base}/batches/${id}`)), /À approuver/)
  const own = await confirmed(shop.mariam, `${approval}/approve`, {}, `${shop.base}/account`)
  assert.match(own.text, /Cette demande vient de vous/)
  const other = await confirmed(shop.aya, `${approval}/approve`, {}, approval)
  assert.equal(other.status, 303, other.text)
  const batch = (await shop.sender.readBatch(id)).json() as { status: string }
  assert.equal(batch.status, 'brouillon')
})

test('every fault is told at its line and column, mended in place, and the batch waits for that', async () => {
  const shop = await newShop()
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
  assert.match(text, /Zéro remis devant/)
  const early = await mariam.post(`${draft}/create`, { version: '1' }, draft)
  assert.equal(early.status, 409)
  const mended = await mariam.post(
    `${draft}/lines`,
    [
      ['line', '3'],
      ['msisdn3', newNumber()],
      ['line', '4'],
      ['amount4', '17 500,5'],
      ['line', '5'],
      ['operator5', 'mtn_ci'],
      ['line', '6'],
      ['drop', '6'],
    ],
    draft,
  )
  assert.equal(mended.status, 303, mended.text)
  const then = await mariam.get(draft)
  assert.match(await read(then), /1 ligne à corriger/)
  assert.match(await read(then), /value="17 500,5"/, 'what was typed stays')
  await mariam.post(`${draft}/lines`, { line: '4', amount4: '17500' }, draft)
  assert.match(await read(mariam.get(draft)), /5 lignes prêtes/)
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

test('a file of 50 MB is answered with a page, and nothing of it is kept', async () => {
  const shop = await newShop()
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

test('a file that is no batch is refused with a sentence', async () => {
  const shop = await newShop()
  const refused = async (bytes: string | Uint8Array, words: RegExp) => {
    const page = await shop.mariam.upload(`${shop.base}/batches/new`, { name: 'x.csv', bytes }, { name: 'Primes' })
    assert.equal(page.status, 422, page.text)
    assert.match(await read(page), words)
    assert.match(await read(page), /value="Primes"/, 'what was typed stays')
  }
  await refused('', /Ce fichier est vide|Choisissez un fichier/)
  await refused('\r\n\r\n', /Ce fichier est vide/)
  await refused('nom;prix\r\nAwa;5', /il manque « Numéro », « Montant »\. Titres trouvés : « nom », « prix »/)
  await refused('nom;numero;montant;somme\r\nA;0700000001;5;5', /deux colonnes disent « Montant »/)
  await refused('nom;numero;montant\r\n', /aucune ligne/)
  await refused('nom;numero;montant\r\n"A;0700000001;5', /Ligne 2 : un guillemet s’ouvre/)
  await refused(csv(...Array(501).fill('A;0700000001;;5;')), /501 lignes ; un lot en prend 500/)
  await refused(Uint8Array.of(0x89, 0x50, 0, 0, 1), /n’est pas un tableau/)
})

test('a file in Latin-1 with commas is read with its accents, and the page says how it was read', async () => {
  const shop = await newShop()
  const text = `Service,Amount,Number,Name\nCaisse,15000,${newNumber()},Aïssata Koné\n`
  const draft = await draftOf(shop, Buffer.from(text, 'latin1'))
  const page = await shop.mariam.get(draft)
  assert.match(await read(page), /Aïssata Koné/)
  assert.match(await read(page), /Windows-1252/)
  assert.match(await read(page), /Colonnes laissées de côté<\/dt><dd>Service/)
})

test('a workbook is read, with the zero that a spreadsheet took from a number', async () => {
  const shop = await newShop()
  const number = newNumber()
  async function* rows() {
    yield [['Awa Koné', Number(number), 16_000]]
  }
  const parts: Uint8Array[] = []
  for await (const part of writeXlsx(['Nom', 'Numéro', 'Montant'], rows())) parts.push(part)
  const draft = await draftOf(shop, Buffer.concat(parts), 'salaires.xlsx')
  const page = await read(shop.mariam.get(draft))
  assert.match(page, /1 ligne prête/)
  assert.match(page, /Zéro remis devant/)
  assert.ok(page.includes(number.replace(/\d\d\B/g, '$& ')))
  const { headers } = await shop.mariam.get(`${draft}/file`)
  assert.match(headers.get('content-disposition') ?? '', /salaires\.xlsx/)
})

test('the same file sent again is warned of, with the way to its batch; the same number twice as well', async () => {
  const shop = await newShop()
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

test('a draft can be deleted, lapses, and is nobody else’s', async () => {
  const shop = await newShop()
  const text = csv(`Awa Koné;${newNumber()};;16000;`)
  const draft = await draftOf(shop, text)
  assert.equal((await shop.viewer.get(draft)).status, 403)
  const mode = shop.sender.tenant.livemode ? 'live' : 'test'
  const elsewhere = draft.replace(`/console/${mode}/`, `/console/${otherMode}/`)
  assert.equal((await shop.mariam.get(elsewhere)).status, 404)
  const other = await newShop()
  assert.equal((await other.mariam.get(draft.replace(shop.base, other.base))).status, 404)
  await shop.mariam.post(`${draft}/delete`, {}, draft)
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

test('more faults than a page has are read page by page, and all go at once', async () => {
  const shop = await newShop()
  const draft = await draftOf(shop, csv(`Awa Koné;${newNumber()};;16000;`, ...Array(30).fill('Yves;07 84;;5;')))
  const text = await read(shop.mariam.get(draft))
  assert.match(text, /30 lignes à corriger/)
  const [, next] = /href="([^"]+)">Les 5 autres lignes à corriger/.exec(text) ?? []
  assert.match(await read(shop.mariam.get(next!)), /Ligne 32, Numéro/)
  await shop.mariam.post(`${draft}/lines`, { without: 'all' }, draft)
  assert.match(await read(shop.mariam.get(draft)), /1 ligne prête/)
})

test('a line may name an entry of the book, which is judged by the book', async () => {
  const shop = await newShop()
  const added = await installation.ask(
    post('/v1-beneficiaries', shop.sender.key, { operator: 'orange_ci', name: 'Awa Koné', msisdn: newNumber() }),
  )
  assert.equal(added.status, 201, added.text)
  const { id } = added.json() as { id: string }
  const draft = await draftOf(shop, `carnet;montant\n${id};16000\n00000000-0000-4000-8000-000000000000;5000\n`)
  const text = await read(shop.mariam.get(draft))
  assert.match(text, /Ligne 3, Carnet : cette entrée n’est pas dans le carnet/)
  assert.match(text, /2 · Awa Koné/)
  await shop.mariam.post(`${draft}/lines`, { without: 'all' }, draft)
  const batch = (await shop.sender.readBatch(batchIdIn(await makeBatch(shop, draft)))).json() as { lines: object[] }
  assert.equal(batch.lines.length, 1)
})

test('a batch is sent from its page with a fresh factor, and its failed lines make one new draft', async () => {
  const shop = await newShop()
  const { mariam, base } = shop
  const draft = await draftOf(
    shop,
    csv(`Awa Koné;${newNumber()};;16000;A-1`, `Brou Kévin;${newNumber('0001')};;15000;B-2`),
  )
  const id = batchIdIn(await makeBatch(shop, draft))
  const page = `${base}/batches/${id}`
  const sent = await confirmed(mariam, `${page}/execute`, {}, page)
  assert.equal(sent.status, 303, sent.text)
  await shop.sender.untilBatch(id, 'termine_avec_erreurs')
  const text = await read(mariam.get(page))
  assert.match(text, /1 ligne sur 2 est arrivée, 1 a échoué\./)
  assert.match(text, /Lancé par vous/)
  assert.match(text, /Nouveau brouillon avec la ligne échouée/)
  const made = await mariam.post(`${page}/failed`, {}, page)
  assert.equal(made.status, 303, made.text)
  const next = await mariam.get(made.location!)
  assert.match(next.text, /Brou Kévin/)
  assert.doesNotMatch(next.text, /Awa Koné/)
  const again = await mariam.post(`${page}/failed`, {}, page)
  assert.equal(again.location, made.location)
})
