import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createMerchant } from '../harness/create-merchant.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { type Member, openMember } from '../harness/teams.ts'

// Documents of a merchant's file: what an upload may be, how it is kept, and how it leaves again. `acts.test.ts` walks the other acts.

let installation: Installation
let compliance: Member
let support: Member
let merchant_id: number
let file: string

before(async () => {
  installation = await openInstallation()
  compliance = await openMember(installation, 'Awa Bamba', { staff: ['compliance'] })
  support = await openMember(installation, 'Yves Kacou', { staff: ['support'] })
  merchant_id = await createMerchant(installation.db.sql, 'Maquis Le Wafou')
  file = `/desk/${mode}/merchants/${merchant_id}/file`
})
after(() => installation[Symbol.asyncDispose]())

const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const pdf = (inside: Buffer) => Buffer.concat([bytesOf('%PDF-1.7\n'), inside, bytesOf('\n%%EOF\n')])

/** A JPEG of a first segment, as telephones write it, and the rest. */
const jpeg = (rest: string, first = '') =>
  bytesOf(`\xff\xd8\xff\xe1\x00${String.fromCharCode(first.length + 2)}${first}${rest}`)

/** Asks for a document, and returns its page. */
async function ask(kind = 'identity'): Promise<string> {
  const { location } = await compliance.post(`${file}/documents`, { kind, about: 'Affoué Konan' }, file)
  return location!.replace('?done=saved', '')
}

/** Sends a file to a document, as its form does. */
const send = (page: string, bytes: Buffer, name = 'carte.pdf') => compliance.upload(page, { name, bytes })

const stateOf = async (page: string) => {
  const id = page.split('/').at(-1)!
  const [row] = await installation.db.sql<{ status: string; file_type: string | null }[]>`
    select status, file_type from merchant_documents where id = ${id}`
  return row!
}

test('a file is kept sealed, leaves whole as a download only, and who took it is written down', async () => {
  const page = await ask()
  // More than two pieces, and a text that a copy of the database must not show.
  const secret = bytesOf('CNI C0123456789')
  const sent = pdf(Buffer.concat([randomBytes(2_500_000), secret]))
  assert.equal((await send(page, sent)).status, 303)
  const id = page.split('/').at(-1)!
  const pieces = await installation.db.sql<{ sealed: Buffer }[]>`
    select sealed from merchant_document_bytes where document_id = ${id} order by piece`
  assert.equal(pieces.length, 3)
  assert.ok(!Buffer.concat(pieces.map(({ sealed }) => sealed)).includes(secret))

  const headers = { cookie: compliance.cookie }
  const got = await fetch(new URL(`${page}/file`, installation.services[0]!.address), { headers })
  assert.ok(Buffer.from(await got.arrayBuffer()).equals(sent))
  assert.match(
    got.headers.get('content-disposition')!,
    new RegExp(`^attachment; filename="(?:TEST-)?identity-${id}\\.pdf"$`),
  )
  assert.equal(got.headers.get('x-content-type-options'), 'nosniff')
  assert.match(got.headers.get('content-security-policy')!, /default-src 'none'/)
  const [line] = await installation.db.sql<{ actor: string }[]>`
    select actor from audit_log where act = 'merchant_file.take_document' and subject = ${id}`
  assert.equal(line!.actor, compliance.email)

  // Support reads the state, and not the file.
  assert.match((await support.get(page)).text, /À vérifier/)
  assert.equal((await support.get(`${page}/file`)).status, 403)
  // A second file never takes the place of the first.
  assert.equal((await send(page, pdf(bytesOf('other')))).status, 409)
})

test('scripts, other types, files without their end and too large ones are refused, and what was asked stays', async () => {
  const page = await ask()
  const cases: [name: string, bytes: Buffer, said: RegExp][] = [
    ['carte.pdf', bytesOf('<script>alert(1)</script>'), /Un PDF, ou une photo/],
    ['carte.png', bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), /Un PDF, ou une photo/],
    ['bombe.pdf', bytesOf('PK\x03\x04 a zip'), /Un PDF, ou une photo/],
    ['carte.pdf', bytesOf('%PDF-1.7\nhalf of it'), /Il manque la fin/],
    ['carte.jpg', bytesOf('\xff\xd8\xff\xe0 half of it'), /Il manque la fin/],
    // The end of a preview in the headers is not that of the photo.
    ['carte.jpg', jpeg('\xff\xda\x00\x02 half of the scan', '\xff\xd8 a preview \xff\xd9'), /Il manque la fin/],
    ['carte.png', bytesOf('\x89PNG\r\n\x1a\n half of it'), /Il manque la fin/],
    ['carte.webp', bytesOf('RIFF\xff\x00\x00\x00WEBP half of it'), /Il manque la fin/],
    ['vide.pdf', Buffer.alloc(0), /Choisissez un fichier/],
    ['grand.pdf', pdf(Buffer.alloc(8 * 1024 * 1024)), /dépasse 8 Mo/],
    ['plus-grand.pdf', pdf(Buffer.alloc(12 * 1024 * 1024)), /dépasse 8 Mo/],
  ]
  for (const [name, bytes, said] of cases) {
    const answer = await send(page, bytes, name)
    assert.equal(answer.status, 422, name)
    assert.match(answer.text, said, name)
  }
  assert.deepEqual(await stateOf(page), { status: 'asked', file_type: null })
  // The name of a file decides nothing.
  assert.equal((await send(page, jpeg('\xff\xda\x00\x02 a photo \xff\xd9 more'), 'virus.exe')).status, 303)
  assert.deepEqual(await stateOf(page), { status: 'received', file_type: 'jpeg' })
})

test('of two files sent at once one is kept, and a checked document expires after its last day', async () => {
  const page = await ask()
  const answers = await Promise.all(['one', 'two'].map((text) => send(page, pdf(bytesOf(text)))))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 409])
  const over = await compliance.post(`${page}/check`, { valid_until: '2020-01-01' }, page)
  assert.match(over.text, /Ce jour est passé/)
  await compliance.confirm(`${page}/check`, { valid_until: '2099-11-14' }, page)
  assert.match((await support.get(page)).text, /Vérifié[\s\S]*14 nov\. 2099|Vérifié[\s\S]*14 novembre 2099/)
  const id = page.split('/').at(-1)!
  await installation.db.sql`update merchant_documents set valid_until = '2020-01-01' where id = ${id}`
  assert.match((await support.get(page)).text, /Expiré/)
  const shown = (await installation.bandama('merchant-file', 'show', '--merchant', String(merchant_id))) as {
    documents: { id: string; decided_by: string }[]
  }
  assert.equal(shown.documents.find((one) => one.id === id)!.decided_by, compliance.email)
})

test('the file of a refused document is erased for good, its row stays, and no other file goes', async () => {
  const { sql } = installation.db
  const [page, other] = [await ask(), await ask()]
  const [id, otherId] = [page, other].map((one) => one.split('/').at(-1)!) as [string, string]
  for (const one of [page, other]) assert.equal((await send(one, pdf(bytesOf(one)))).status, 303)
  const reason = 'La carte d’une autre personne'
  assert.equal((await compliance.post(`${page}/erase`, { reason }, page)).status, 409)
  await compliance.post(`${page}/refuse`, { reason }, page)
  await assert.rejects(sql`delete from merchant_document_bytes where document_id = ${id}`, /is refused/)
  await compliance.confirm(`${page}/erase`, { reason }, page)

  const rows = await sql<{ id: string; status: string; has_hash: boolean; pieces: number }[]>`
    select id, status, hash is not null as has_hash,
           (select count(*)::integer from merchant_document_bytes b where b.document_id = d.id) as pieces
      from merchant_documents d where id in (${id}, ${otherId}) order by id`
  assert.deepEqual(rows, [
    { id, status: 'erased', has_hash: true, pieces: 0 },
    { id: otherId, status: 'received', has_hash: true, pieces: 1 },
  ])
  assert.equal((await compliance.get(`${page}/file`)).status, 404)
  assert.match((await compliance.get(page)).text, /Refusé, effacé[\s\S]*La carte d’une autre personne/)
})

test('a file that cannot be opened is taken by nobody, and one that lost its end does not download as if whole', async () => {
  const { sql } = installation.db
  const page = await ask()
  const id = page.split('/').at(-1)!
  await send(page, pdf(randomBytes(1_500_000)))
  const loseFrom = (piece: number) =>
    sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`delete from merchant_document_bytes where document_id = ${id} and piece >= ${piece}`
    })
  const headers = { cookie: compliance.cookie }
  const get = () => fetch(new URL(`${page}/file`, installation.services[0]!.address), { headers })
  const taken = () => sql`select from audit_log where act = 'merchant_file.take_document' and subject = ${id}`
  await loseFrom(1)
  await assert.rejects((await get()).arrayBuffer())
  assert.equal((await taken()).length, 1)
  await loseFrom(0)
  assert.equal((await get()).status, 500)
  assert.equal((await taken()).length, 1)
})

test('a merchant has at most 200 documents on which nobody has decided', async () => {
  const { sql } = installation.db
  const crowded = await createMerchant(sql, 'Maquis Le Plein')
  const its = file.replace(String(merchant_id), String(crowded))
  const add = (count: number) => sql`
    insert into merchant_documents (merchant_id, id, kind, status, asked_by, asked_at)
    select ${crowded}, 'mdo_' || gen_random_uuid(), 'other', 'asked', 'awa@example.com', clock_now()
      from generate_series(1, ${count})`
  const again = () => compliance.post(`${its}/documents`, { kind: 'other', about: '' }, its)
  await add(199)
  assert.equal((await again()).status, 303)
  assert.match((await again()).text, /200 documents de ce marchand attendent/)
})
