import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { connectRaw, openTestServer } from '../../../tests/harness/http-server.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n`

// One after the other: a test that keeps this process busy would delay the others.
describe('a server that stops', () => {
  test('answers what is under way, closes each connection after its answer, and takes no new one', async () => {
    const release = Promise.withResolvers<void>()
    const server = await openTestServer({ deps: { work: () => release.promise } })
    using slow = connectRaw(server.port, get('/v1-things/txn_1'))
    using idle = connectRaw(server.port, get('/x/list'))
    assert.equal((await idle.answer()).headers.get('connection'), 'keep-alive')

    const stopped = server.stop()
    await waitFor(
      () =>
        connected(server.port).then(
          () => false,
          () => true,
        ),
      { what: 'a refusal' },
    )

    // An idle connection is not cut: its next request is answered, and told that it was the last.
    idle.socket.write(get('/readyz'))
    const readiness = await idle.answer()
    assert.equal(readiness.status, 503)
    assert.deepEqual(JSON.parse(readiness.text), { ok: false, checks: { database: true, staying: false } })
    assert.equal(readiness.headers.get('connection'), 'close')
    await idle.closed

    // Longer than idle clients are given: what is under way is not idle.
    await wait(1_500)
    release.resolve()
    const answer = await slow.answer()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('connection'), 'close')
    await slow.closed
    await stopped
  })

  test('answers a request on a connection that the system took just before, while the process was busy', async () => {
    const server = await openTestServer()
    const told = new Int32Array(new SharedArrayBuffer(4))
    using client = requestFromThread(server.port, told)
    // Nothing is accepted meanwhile: the connection waits in the system's queue.
    while (Atomics.load(told, 0) === 0);
    const stopped = server.stop()
    assert.match(await client.answer, /^HTTP\/1\.1 200 /)
    await stopped
  })

  test('does not wait for clients that keep their connection without using it', async () => {
    const server = await openTestServer()
    using idle = connectRaw(server.port, get('/x/list'))
    await idle.answer()
    const began = performance.now()
    await server.stop()
    assert.ok(performance.now() - began < 6_000)
    assert.equal(await idle.closed, '')
  })

  test('stops at once when nobody is connected, and twice is once', async () => {
    const server = await openTestServer()
    const began = performance.now()
    await Promise.all([server.stop(), server.stop()])
    assert.ok(performance.now() - began < 1_500, 'clients that stay would have two seconds')
  })

  test('never fails a request of clients that go on calling', async () => {
    const server = await openTestServer()
    const statuses: number[] = []
    let stopping = false
    const client = async (): Promise<void> => {
      for (;;) {
        using connection = connectRaw(server.port)
        await waitFor(() => connection.socket.readyState === 'open' || connection.socket.destroyed)
        if (connection.socket.destroyed) return
        for (let closing = false; !closing; ) {
          connection.socket.write(get('/v1-things/txn_1'))
          const answer = await connection.answer()
          statuses.push(answer.status)
          closing = answer.headers.get('connection') === 'close'
        }
        if (stopping) return
      }
    }
    const clients = Array.from({ length: 8 }, client)
    await waitFor(() => statuses.length > 200)
    stopping = true
    await Promise.all([server.stop(), ...clients])
    assert.deepEqual([...new Set(statuses)], [200])
  })

  function connected(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve()
      })
      socket.once('error', reject)
    })
  }
})

/** Sends a request from another thread, which goes on while this one is busy. Sets `told` once the request is written. */
function requestFromThread(port: number, told: Int32Array): { answer: Promise<string> } & Disposable {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const socket = require('node:net').connect(workerData.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (piece) => { answer += piece })
    socket.on('error', ({ code }) => { answer = code })
    socket.on('close', () => parentPort.postMessage(answer))
    socket.write(workerData.request, () => Atomics.store(workerData.told, 0, 1))`
  const worker = new Worker(source, { eval: true, workerData: { port, told, request: get('/x/list') } })
  return { answer: once(worker, 'message').then(([answer]) => answer), [Symbol.dispose]: () => void worker.terminate() }
}
