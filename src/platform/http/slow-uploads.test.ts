import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import Type from 'typebox'
import { connectRaw, openTestServer, type RawAnswer } from '../../../tests/harness/http-server.ts'
import { writeSlowly } from '../../../tests/harness/slow-line.ts'
import { defineRoute } from './route.ts'

/** The deadline of every body, short here, and the time of the longest upload. */
const DEADLINE_MS = 150
const LONGEST_MS = 30 * DEADLINE_MS

/** A line of 400 kbit/s. */
const LINE = 50_000

/** The work of the handler. */
let working = async () => {}

const upload = defineRoute({
  auth: 'open',
  about: 'address',
  method: 'POST',
  path: '/x/files',
  operation: 'uploadFile',
  summary: 'Upload a file',
  reads: 'upload',
  bodyMaxBytes: 1024 * 1024,
  replies: { 200: Type.Object({ bytes: Type.Integer() }) },
  errors: { 400: ['invalid_request'], 500: ['payment_creation_failed'] },
  unreadable: 'invalid_request',
  fault: 'payment_creation_failed',
  admit: async ({ headers }) => ({ kind: 'admitted', uploader: headers.cookie ?? null }),
  async handle({ body, reply }) {
    await working()
    return reply(200, { bytes: body?.length ?? -1 })
  },
})

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer({ arrivalDeadlineMs: DEADLINE_MS, routes: [upload] })
})
after(() => server[Symbol.asyncDispose]())

type Sent = {
  /** The signed-in person; absent: a stranger. */
  person?: string
  /** The bytes that are announced. */
  bytes: number
  /** The bytes that arrive at once. The others arrive at the rate. */
  at_once?: number
  rate?: number
}

/** Sends a file over a slow line. Returns the answer and how long it took. */
async function send({ person, bytes, at_once = 0, rate = LINE }: Sent): Promise<RawAnswer & { took_ms: number }> {
  const began = performance.now()
  const cookie = person === undefined ? '' : `Cookie: ${person}\r\n`
  using connection = connectRaw(
    server.port,
    `POST /x/files HTTP/1.1\r\nHost: x\r\n${cookie}Content-Length: ${bytes}\r\n\r\n`,
  )
  connection.socket.write(Buffer.alloc(at_once))
  const stop = writeSlowly(connection.socket, Buffer.alloc(bytes - at_once), rate)
  try {
    const answer = await connection.answer()
    return { ...answer, took_ms: performance.now() - began }
  } finally {
    stop()
  }
}

test('the file of a signed-in person arrives after the deadline of other bodies, and its connection closes', async () => {
  const { status, text, headers, took_ms } = await send({ person: 'awa', bytes: 60_000, at_once: 10_000 })
  assert.deepEqual([status, JSON.parse(text), headers.get('connection')], [200, { bytes: 60_000 }, 'close'])
  assert.ok(took_ms > 5 * DEADLINE_MS, `${took_ms} ms`)
})

test('a slow file of nobody, and one that drips, end at the deadline', async () => {
  for (const sent of [
    { bytes: 200_000, at_once: 10_000 },
    { person: 'issa', bytes: 200_000, rate: 1_000 },
  ]) {
    const { status, code, took_ms } = await send(sent)
    assert.deepEqual([status, code], [400, 'invalid_request'])
    assert.ok(took_ms < LONGEST_MS, `${took_ms} ms`)
  }
})

test('a file that stops in the middle ends when it is below the least rate', async () => {
  const { status, took_ms } = await send({ person: 'yao', bytes: 60_000, at_once: 8_000, rate: 0 })
  assert.equal(status, 400)
  assert.ok(took_ms > 1_000 - DEADLINE_MS && took_ms < LONGEST_MS, `${took_ms} ms`)
})

test('no file takes longer than thirty deadlines', async () => {
  const { status, took_ms } = await send({ person: 'adjoua', bytes: 1_000_000 })
  assert.equal(status, 400)
  assert.ok(took_ms > LONGEST_MS, `${took_ms} ms`)
})

test('a slow file that has arrived is not late while it is carried out', async (t) => {
  // At the least rate, 16 000 bytes take two seconds.
  working = () => wait(2_500)
  t.after(() => {
    working = async () => {}
  })
  const { status } = await send({ person: 'mariam', bytes: 16_000 })
  assert.equal(status, 200)
})

test('of a person’s slow files one goes on, and then the next one may', async () => {
  const both = await Promise.all([1, 2].map(() => send({ person: 'koffi', bytes: 120_000, at_once: 20_000 })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
  assert.equal((await send({ person: 'koffi', bytes: 120_000, at_once: 20_000 })).status, 200)
})

test('sixteen people have slow files at once, and those of further people end at the deadline', async () => {
  const all = await Promise.all(
    Array.from({ length: 18 }, (_, n) => send({ person: `person-${n}`, bytes: 120_000, at_once: 20_000 })),
  )
  assert.equal(all.filter(({ status }) => status === 200).length, 16)
})
