import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newNumber } from '../contract/sender.ts'
import { connectRaw } from '../harness/http-server.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { writeSlowly } from '../harness/slow-line.ts'
import { waitFor } from '../harness/wait-for.ts'
import { csv, newShop, type Shop } from './batch-shop.ts'

// A file that takes long to arrive, from a person with a session or without one.

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** Returns the form with a file, in the bytes of a browser. */
async function formWith({ base, mariam }: Shop, file: string) {
  const page = `${base}/batches/new`
  const [, nonce] = /name="nonce" value="([^"]+)"/.exec((await mariam.get(page)).text)!
  const form = new FormData()
  for (const [name, value] of Object.entries({ nonce: nonce!, name: 'Salaires' })) form.append(name, value)
  form.append('file', new Blob([file]), 'salaires.csv')
  const sent = new Response(form)
  return { page, type: sent.headers.get('content-type')!, body: Buffer.from(await sent.arrayBuffer()) }
}

test('a file of a stranger is refused before it is read', async () => {
  const { base } = await newShop(installation)
  const { address } = installation.services[0]!
  const head = [
    `POST ${base}/batches/new HTTP/1.1`,
    'Host: localhost',
    `Cookie: session=${'a'.repeat(43)}`,
    'Content-Type: multipart/form-data; boundary=x',
    'Content-Length: 5000000',
  ]
  using connection = connectRaw(Number(new URL(address).port), `${head.join('\r\n')}\r\n\r\n`)
  // The connection sends no byte of the file, and has the answer nevertheless.
  const { status, text } = await connection.answer()
  assert.equal(status, 401)
  assert.match(text, /choisi/)
})

test('a person whose session ends while their file arrives signs in and chooses the file again', async () => {
  const shop = await newShop(installation)
  const { address } = installation.services[0]!
  const { page, type, body } = await formWith(shop, csv())
  const { sql } = installation.db
  await sql`update person_sessions set seen_at = seen_at - interval '2 minutes' where person_id = ${shop.mariam.person_id}`
  async function* arriving() {
    yield body.subarray(0, 50)
    // The service has noted the request: it has admitted the file.
    await waitFor(async () => {
      const ended = await sql`
        update person_sessions set ended_at = clock_now(), end_reason = 'signed_out'
         where person_id = ${shop.mariam.person_id} and seen_at > clock_now() - interval '1 minute'`
      return ended.count === 1
    })
    yield body.subarray(50)
  }
  const headers = { cookie: shop.mariam.cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' }
  const answer = await fetch(new URL(page, address), { method: 'POST', headers, body: arriving(), duplex: 'half' })
  assert.equal(answer.status, 401)
  assert.match(await answer.text(), /choisissez de nouveau le fichier/)
})

test('a file of 600 kB becomes a draft from a phone at 400 kbit/s, in more than the ten seconds of other bodies', async () => {
  const shop = await newShop(installation)
  const { port } = new URL(installation.services[0]!.address)
  const lines = csv(`Awa Koné;${newNumber()};orange;16 000;SAL-1`)
  const { page, type, body } = await formWith(shop, lines + '\r\n'.repeat(300_000))
  const head = [
    `POST ${page} HTTP/1.1`,
    'Host: localhost',
    `Cookie: ${shop.mariam.cookie}`,
    'Sec-Fetch-Site: same-origin',
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
  ]
  using connection = connectRaw(Number(port), `${head.join('\r\n')}\r\n\r\n`)
  const began = performance.now()
  writeSlowly(connection.socket, body, 50_000)
  const { status, headers } = await connection.answer()
  assert.equal(status, 303)
  assert.match(headers.get('location')!, new RegExp(`^${page.replace('new', 'drafts')}/pbd_`))
  assert.ok(performance.now() - began > 11_000)
})
