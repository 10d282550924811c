import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { connectRaw, type RawAnswer } from '../harness/http-server.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'

const MEBIBYTE = 1024 * 1024

let installation: Installation
let collects: string
let pays: string
before(async () => {
  installation = await openInstallation()
  const merchant = await installation.newMerchant()
  collects = merchant.key
  pays = (await merchant.newKey('test', 'payout')).key
})
after(() => installation[Symbol.asyncDispose]())

type Door = {
  name: string
  /** Its request line's path and the headers that lead to its body. */
  head: () => string
  limit: number
  /** Of a body within the limit that says nothing. */
  empty: [status: number, code: string | null]
}

const json = (path: string, key: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: ${randomUUID()}\r\n` +
  'Content-Type: application/json\r\n'
const form = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\n`

const doors: Door[] = [
  { name: 'a payment', head: () => json('/v1-payments', collects), limit: 65_536, empty: [422, 'invalid_amount'] },
  { name: 'a batch', head: () => json('/v1-payout-batches', pays), limit: MEBIBYTE, empty: [422, 'invalid_lines'] },
  {
    name: "an operator's callback",
    head: () => form('/operators/simulator/callbacks'),
    limit: 65_536,
    empty: [401, 'authentication_required'],
  },
  { name: 'a page', head: () => form('/pay/token'), limit: 16_384, empty: [404, 'resource_not_found'] },
  { name: "the simulator's page", head: () => form('/simulator/1'), limit: 1_024, empty: [404, 'resource_not_found'] },
]

function connect(text: string) {
  return connectRaw(Number(new URL(installation.services[0]!.address).port), text)
}

/** Sends a body in one chunk, and what ends it. */
async function sendWhole(head: string, body: string): Promise<RawAnswer> {
  const length = Buffer.byteLength(body).toString(16)
  using connection = connect(`${head}Transfer-Encoding: chunked\r\n\r\n${length}\r\n${body}\r\n0\r\n\r\n`)
  return await connection.answer()
}

const inPieces = (body: string) => `${[...body].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`
const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

for (const { name, head, limit, empty } of doors) {
  describe(name, () => {
    const padded = (length: number) => `{${' '.repeat(length - 2)}}`

    test(`may have ${limit} bytes, and not one more`, async () => {
      const taken = await sendWhole(head(), padded(limit))
      assert.deepEqual([taken.status, taken.code], empty)
      const refused = await sendWhole(head(), padded(limit + 1))
      assert.equal(refused.status, 400)
      assert.match(refused.code ?? '', /^invalid_(body|request)$/)
    })

    test('may come in a thousand pieces of one byte', async () => {
      using connection = connect(`${head()}Transfer-Encoding: chunked\r\n\r\n${inPieces(padded(1_000))}`)
      const answer = await connection.answer()
      assert.deepEqual([answer.status, answer.code], empty)
      assert.notEqual(answer.headers.get('connection'), 'close')
    })

    test('in three thousand pieces is refused, and its connection closes', async () => {
      using connection = connect(`${head()}Transfer-Encoding: chunked\r\n\r\n${inPieces(padded(3_000))}${next}`)
      const answer = await connection.answer()
      assert.equal(answer.status, 400)
      assert.match(answer.code ?? '', /^invalid_(body|request)$/)
      // One of fewer bytes was refused for them, while more pieces could come.
      if (limit > 3_000) assert.equal(answer.headers.get('connection'), 'close')
      assert.equal(await connection.closed, '')
    })
  })
}

const unread: [what: string, head: string, status: number][] = [
  ['with a wrong key', json('/v1-payments', 'wrong'), 401],
  ['to an unknown address', json('/v1-nothing', 'wrong'), 404],
  ['of a GET', 'GET /healthz HTTP/1.1\r\nHost: x\r\n', 200],
  ['of a GET of a page', 'GET /verify HTTP/1.1\r\nHost: x\r\n', 200],
]
for (const [what, head, status] of unread) {
  test(`an unread body, ${what}, is dropped for at most three thousand pieces`, async () => {
    using connection = connect(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    assert.equal((await connection.answer()).status, status)
    connection.socket.write(inPieces(' '.repeat(3_000)) + next)
    assert.equal(await connection.closed, '')
  })
}

test('sixty bodies of 60 000 pieces of one byte cost less than 150 MB', async () => {
  const { pid } = installation.services[0]!
  const peak = async () => Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  const before = await peak()
  const pieces = inPieces(' '.repeat(60_000))
  const answers = Array.from({ length: 60 }, async () => {
    using connection = connect(`${doors[2]!.head()}Transfer-Encoding: chunked\r\n\r\n${pieces}`)
    return (await connection.answer()).status
  })
  assert.deepEqual([...new Set(await Promise.all(answers))], [400])
  const grown = (await peak()) - before
  assert.ok(grown < 150, `${Math.round(grown)} MB`)
})
