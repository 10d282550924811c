import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { connectRaw, openTestServer, sampleRoutes } from '../../../tests/harness/http-server.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { defineRoute } from './route.ts'

let stream: AsyncGenerator<string> = (async function* () {})()
/** Called when the handler has begun; it answers when this has resolved. */
let answering = async () => {}

const download = defineRoute({
  auth: 'open',
  about: 'nothing',
  method: 'GET',
  path: '/x/download',
  operation: 'download',
  summary: 'A file that is made while it is sent',
  errors: { 500: ['payment_creation_failed'] },
  fault: 'payment_creation_failed',
  async handle() {
    await answering()
    return { status: 200, body: '', stream, error_code: null, headers: { 'Content-Type': 'text/csv' } }
  },
})

test('a body made while it is sent arrives whole, without Content-Length', async () => {
  const server = await openTestServer({ routes: [...sampleRoutes, download] })
  stream = (async function* () {
    for (let nth = 0; nth < 1_000; nth += 1) yield `${nth}\n`
  })()
  const answer = await fetch(`http://127.0.0.1:${server.port}/x/download`)
  assert.deepEqual([answer.headers.get('content-length'), answer.headers.get('content-type')], [null, 'text/csv'])
  assert.equal((await answer.text()).trimEnd().split('\n').length, 1_000)
  await server.stop()
})

test('one that breaks off cuts the connection: a failed download, never a short file', async () => {
  const server = await openTestServer({ routes: [...sampleRoutes, download] })
  stream = (async function* () {
    yield 'created_at,id\r\n'
    throw new Error('The database went away.')
  })()
  const answer = await fetch(`http://127.0.0.1:${server.port}/x/download`)
  assert.equal(answer.status, 200)
  await assert.rejects(answer.text())
  await server.stop()
})

test('a server that stops cuts a body that is not at its end', async () => {
  const server = await openTestServer({ routes: [...sampleRoutes, download] })
  stream = (async function* () {
    yield 'created_at,id\r\n'
    await new Promise(() => {})
  })()
  const answer = await fetch(`${server.url}/x/download`, { signal: AbortSignal.timeout(30_000) })
  await server.stop()
  await assert.rejects(answer.text(), { message: 'terminated' })
})

/** Opens a download whose client reads so many bytes at each look, or nothing. */
async function readSlowly(downloadWindowMs: number, bytes: number) {
  const server = await openTestServer({ routes: [...sampleRoutes, download], downloadWindowMs })
  const made = await begunStream()
  const { socket } = connectRaw(server.port, 'GET /x/download HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.removeAllListeners('data').pause()
  const read = { bytes: 0 }
  const reading = setInterval(() => {
    read.bytes += (socket.read(bytes) as Buffer | null)?.length ?? 0
  }, 10)
  return {
    made,
    server,
    read,
    async end() {
      clearInterval(reading)
      socket.destroy()
      await server.stop()
    },
  }
}

test('a client that takes nothing is cut after a window, and the making of the body ends', async () => {
  const { made, server, end } = await readSlowly(300, 0)
  await waitFor(() => made.ended)
  await waitFor(() => server.logged.some(({ error }) => /less than 4000 bytes/.test(JSON.stringify(error))))
  await end()
})

test('a client that is behind and keeps taking is not cut', async () => {
  const { made, read, end } = await readSlowly(1_000, 262_144)
  await waitFor(() => read.bytes > 20_000_000)
  assert.equal(made.ended, false)
  await end()
})

test('a body that is made slowly is not cut, because its client waits for us', async () => {
  const server = await openTestServer({ routes: [...sampleRoutes, download], downloadWindowMs: 150 })
  stream = (async function* () {
    for (let nth = 0; nth < 6; nth += 1) {
      yield `${nth}\n`
      await setTimeout(100)
    }
  })()
  assert.equal((await (await fetch(`${server.url}/x/download`)).text()).length, 12)
  await server.stop()
})

test('a client that disconnects ends the making of the body', async () => {
  const server = await openTestServer({ routes: [...sampleRoutes, download] })
  let ended = false
  stream = (async function* () {
    try {
      for (;;) yield 'x'.repeat(10_000)
    } finally {
      ended = true
    }
  })()
  const leaving = new AbortController()
  const answer = await fetch(`http://127.0.0.1:${server.port}/x/download`, { signal: leaving.signal })
  await answer.body!.getReader().read()
  leaving.abort()
  await waitFor(() => ended)
  await server.stop()
})

/** A body that has begun and waits for its reader; whether it was ended. */
async function begunStream(): Promise<{ ended: boolean }> {
  const made = { ended: false }
  stream = (async function* () {
    try {
      for (;;) yield 'x'.repeat(10_000)
    } finally {
      made.ended = true
    }
  })()
  await stream.next()
  return made
}

test('a client that disconnected before its answer ends the making of the body', async () => {
  const server = await openTestServer({ routes: [...sampleRoutes, download] })
  const made = await begunStream()
  const connection = connectRaw(server.port, 'GET /x/download HTTP/1.1\r\nHost: x\r\n\r\n')
  answering = async () => {
    connection.socket.destroy()
    await setImmediate()
  }
  await waitFor(() => made.ended)
  await server.stop()
})

test('a body that comes after the deadline of its answer is ended', async () => {
  const server = await openTestServer({ routes: [...sampleRoutes, download], handlerDeadlineMs: 100 })
  const made = await begunStream()
  const late = Promise.withResolvers<void>()
  answering = () => late.promise
  assert.equal((await fetch(`${server.url}/x/download`)).status, 500)
  late.resolve()
  await waitFor(() => made.ended)
  await server.stop()
})
