import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { createCertificate } from '../../../tests/harness/certificate.ts'
import { answering, listen, OK, openEgress } from '../../../tests/harness/egress.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createConnections } from './connections.ts'

test('the bytes, the headers and the answer arrive as they are', async (t) => {
  const { post } = openEgress(t)
  const server = await listen(
    t,
    answering('HTTP/1.1 202 Accepted\r\nretry-after: 7\r\ncontent-length: 9\r\n\r\n\u0000ta\u001bken\r\n'),
  )
  const result = await post(`http://127.0.0.1:${server.port}/hooks?a=1`)
  assert.ok(result.kind === 'answered')
  assert.deepEqual([result.status, result.excerpt, result.retry_after_seconds], [202, 'taken\n', 7])
  assert.match(server.seen.received, /^POST \/hooks\?a=1 HTTP\/1\.1\r\n/)
  assert.match(server.seen.received, /x-test: yes\r\n/)
  assert.match(server.seen.received, /accept-encoding: identity\r\n/)
  assert.ok(server.seen.received.endsWith('\r\n\r\n{"hello":"é"}'))
})

test('a date in Retry-After is counted from now', async (t) => {
  const { post } = openEgress(t)
  const asked_at = Temporal.Now.instant()
  const at = asked_at.add({ seconds: 90 })
  const server = await listen(
    t,
    answering(
      `HTTP/1.1 503 X\r\nretry-after: ${new Date(at.epochMilliseconds).toUTCString()}\r\ncontent-length: 0\r\n\r\n`,
    ),
  )
  const result = await post(`http://127.0.0.1:${server.port}/`)
  assert.ok(result.kind === 'answered' && result.retry_after_seconds !== null)
  // The date has whole seconds, and the answer took its time.
  const least = 90 - 2 - Temporal.Now.instant().since(asked_at).total('seconds')
  assert.ok(result.retry_after_seconds >= least && result.retry_after_seconds <= 91, `${result.retry_after_seconds}`)
})

test('a redirect is an answer and is not followed', async (t) => {
  const { post } = openEgress(t)
  const inside = await listen(t, answering(OK))
  for (const status of [301, 302, 303, 307, 308]) {
    const outside = await listen(
      t,
      answering(`HTTP/1.1 ${status} Moved\r\nlocation: http://127.0.0.1:${inside.port}/\r\ncontent-length: 0\r\n\r\n`),
    )
    const result = await post(`http://127.0.0.1:${outside.port}/`)
    assert.ok(result.kind === 'answered' && result.status === status)
  }
  assert.equal(inside.seen.connections, 0)
})

test('a refused address is never dialled', async (t) => {
  const inside = await listen(t, answering(OK))
  const urls = [
    `http://127.0.0.1:${inside.port}/`,
    `https://127.0.0.1:${inside.port}/`,
    `http://2130706433:${inside.port}/`,
    `http://0x7f.1:${inside.port}/`,
    `http://0:${inside.port}/`,
    `http://[::ffff:127.0.0.1]:${inside.port}/`,
    `http://localhost:${inside.port}/`,
    `http://user@127.0.0.1:${inside.port}/`,
  ]
  const shut = openEgress(t, { allow: [] })
  const elsewhere = openEgress(t, { allow: ['127.0.0.2/32', '198.51.100.0/24'] })
  const home = openEgress(t)
  for (const url of urls) {
    for (const { post } of [shut, elsewhere]) {
      const result = await post(url)
      assert.ok(result.kind === 'failed' && result.reason === 'refused_address', url)
    }
  }
  const live = await home.post(`http://127.0.0.1:${inside.port}/`, { livemode: true })
  assert.ok(live.kind === 'failed' && live.reason === 'refused_address')
  assert.equal(inside.seen.connections, 0)
  // The listener does hear what is allowed, so its silence meant something.
  assert.equal((await home.post(urls[0]!)).kind, 'answered')
  assert.equal(inside.seen.connections, 1)
})

test('a name whose address changes is dialled only at the vetted address', async (t) => {
  const inside = await listen(t, answering(OK), { host: '127.0.0.1' })
  const outside = await listen(t, answering(OK), { host: '127.0.0.5', port: inside.port })
  // Only 127.0.0.5 may be reached here, as a public address would be; every third answer leads inside.
  const answers = [
    ['127.0.0.5'],
    ['127.0.0.5'],
    ['127.0.0.1'],
    ['127.0.0.5', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['127.0.0.5', '::1'],
    ['169.254.169.254'],
  ]
  let asked = 0
  const resolve = async () => answers[asked++ % answers.length]!
  const { post } = openEgress(t, { allow: ['127.0.0.5/32'], resolve })
  let answered = 0
  for (let attempt = 0; attempt < 700; attempt += 1) {
    const result = await post(`http://rebind.test:${inside.port}/`)
    if (result.kind === 'answered') answered += 1
    else assert.equal(result.reason, 'refused_address')
  }
  assert.ok(asked >= 700, 'asked for each attempt, and again for each connection')
  assert.ok(answered > 0)
  assert.equal(inside.seen.connections, 0)
  assert.match(outside.seen.received, /\r\nhost: rebind\.test:/i)
})

test("a connection is reused, and a new one is dialled at the name's present address", async (t) => {
  let kept: Socket | undefined
  const first = await listen(
    t,
    (socket) => {
      kept = socket
      answering(OK)(socket)
    },
    { host: '127.0.0.5' },
  )
  const second = await listen(t, answering(OK), { host: '127.0.0.6', port: first.port })
  let addresses = ['127.0.0.5']
  const { post } = openEgress(t, { resolve: async () => addresses })
  const url = `http://moving.test:${first.port}/`
  for (let times = 0; times < 5; times += 1) assert.equal((await post(url)).kind, 'answered')
  assert.equal(first.seen.connections, 1)
  addresses = ['127.0.0.6']
  kept!.destroy()
  for (let times = 0; times < 5; times += 1) assert.equal((await post(url)).kind, 'answered')
  assert.deepEqual([first.seen.connections, second.seen.connections], [1, 1])
})

test('the next address is dialled when the first does not answer', async (t) => {
  const server = await listen(t, answering(OK), { host: '127.0.0.6' })
  const { post } = openEgress(t, { resolve: async () => ['127.0.0.5', '127.0.0.6'] })
  assert.equal((await post(`http://two.test:${server.port}/`)).kind, 'answered')
})

test('a kept connection that the receiver closed meanwhile costs no failure', async (t) => {
  const { post } = openEgress(t)
  let requests = 0
  // It resets the connection on its second request instead of answering.
  const server = await listen(t, (socket) => {
    let mine = 0
    socket.on('data', (data) => {
      if (!data.toString().includes('"hello"')) return
      requests += 1
      mine += 1
      if (mine === 1) socket.write(OK)
      else socket.resetAndDestroy()
    })
  })
  for (let times = 0; times < 4; times += 1) {
    assert.equal((await post(`http://127.0.0.1:${server.port}/`)).kind, 'answered', `request ${times}`)
  }
  assert.equal(requests, 6, 'every other one is sent again, on a connection of its own')
})

test('a connection that leads elsewhere than vetted is closed before a byte is written', async (t) => {
  const inside = await listen(t, (socket) => socket.on('data', () => socket.write(OK)))
  const origin = `http://127.0.0.1:${inside.port}`
  // A literal never reaches the lookup, so here only the look at the remote end can notice.
  const vet = async () => ({ kind: 'vetted' as const, url: new URL(origin), addresses: ['127.0.0.9'], inside: true })
  const { kept, close } = createConnections({ vet, proxy: null })
  t.after(close)
  await assert.rejects(kept.request({ origin, path: '/', method: 'POST', body: 'secret' }), {
    code: 'UNVETTED_ADDRESS',
  })
  await waitFor(() => inside.seen.connections === 1)
  assert.equal(inside.seen.received, '')
})

test('over TLS the certificate must prove the name', async (t) => {
  const tls = createCertificate(['shop.test'])
  const server = await listen(t, answering(OK), { tls })
  const resolve = async () => ['127.0.0.1']
  const { post } = openEgress(t, { resolve, ca: tls.cert })
  for (let times = 0; times < 3; times += 1) {
    assert.equal((await post(`https://shop.test:${server.port}/`, { livemode: true })).kind, 'answered')
  }
  assert.deepEqual(server.seen.names, ['shop.test'])
  assert.match(server.seen.received, new RegExp(`host: shop\\.test:${server.port}\r\n`, 'i'))

  const wrongName = await post(`https://other.test:${server.port}/`)
  assert.ok(wrongName.kind === 'failed' && wrongName.reason === 'certificate_other_name')
  const stranger = openEgress(t, { resolve })
  const unknown = await stranger.post(`https://shop.test:${server.port}/`)
  assert.ok(unknown.kind === 'failed' && unknown.reason === 'certificate_self_signed')
})

test('a name server that never answers ends by the deadline, and a refused connection at once', async (t) => {
  const mute = openEgress(t, { resolve: () => new Promise(() => {}) })
  const waited = await mute.post('https://shop.test/', { deadline_ms: 100 })
  assert.ok(waited.kind === 'failed' && waited.reason === 'timeout')
  const unknown = await openEgress(t, { resolve: () => Promise.reject(new Error('no')) }).post('https://shop.test/')
  assert.ok(unknown.kind === 'failed' && unknown.reason === 'dns')

  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const refused = await openEgress(t).post(`http://127.0.0.1:${port}/`)
  assert.ok(refused.kind === 'failed' && refused.reason === 'connection_refused')
})
