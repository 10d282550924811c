import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { createCertificate, type TestCertificate } from '../../../tests/harness/certificate.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createConnections } from './connections.ts'
import { createEgress, type EgressOptions } from './post.ts'

const LOOPBACK = ['127.0.0.0/8']

function openEgress(t: TestContext, options: Partial<EgressOptions> = {}) {
  const egress = createEgress({ allow: LOOPBACK, ...options })
  t.after(() => egress.close())
  const post = (url: string, more: { livemode?: boolean; deadline_ms?: number } = {}) =>
    egress.post({
      url,
      body: '{"hello":"é"}',
      headers: { 'x-test': 'yes' },
      livemode: false,
      deadline_ms: 2_000,
      ...more,
    })
  return { ...egress, post }
}

/** A server that does whatever `behave` does with each connection; counts them, and the bytes of requests. */
async function listen(
  t: TestContext,
  behave: (socket: Socket) => void,
  { host = '127.0.0.1', port = 0, tls }: { host?: string; port?: number; tls?: TestCertificate } = {},
) {
  const sockets = new Set<Socket>()
  const seen = { connections: 0, received: '', names: [] as string[] }
  const accept = (socket: Socket | TLSSocket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      seen.received += data
    })
    if ('servername' in socket) seen.names.push(String(socket.servername))
    behave(socket)
  }
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer({ ...tls }, accept)
  server.on('connection', () => {
    seen.connections += 1
  })
  server.on('tlsClientError', () => {})
  server.listen(port, host)
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { seen, port: (server.address() as AddressInfo).port }
}

/** Answers each request, once its body is there, with these bytes. */
const answering = (answer: string) => (socket: Socket) => {
  socket.on('data', (data) => {
    if (data.toString().includes('"hello"')) socket.write(answer)
  })
}
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

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
  const at = Temporal.Now.instant().add({ seconds: 90 })
  const server = await listen(
    t,
    answering(
      `HTTP/1.1 503 X\r\nretry-after: ${new Date(at.epochMilliseconds).toUTCString()}\r\ncontent-length: 0\r\n\r\n`,
    ),
  )
  const result = await post(`http://127.0.0.1:${server.port}/`)
  assert.ok(result.kind === 'answered' && result.retry_after_seconds !== null)
  assert.ok(result.retry_after_seconds >= 88 && result.retry_after_seconds <= 91, `${result.retry_after_seconds}`)
})

/** Fifty megabytes in fifty kilobytes. */
const bomb = gzipSync(Buffer.alloc(50_000_000))

/** Receivers that do harm (check W4). Every one ends within the deadline; what it may be taken for is listed. */
const hostile: Record<string, { behave: (socket: Socket) => void; expect: string[]; kept?: true }> = {
  'accepts and never answers': { behave: () => {}, expect: ['timeout'] },
  'sends its headers a byte at a time': {
    behave: (socket) => drip(socket, `HTTP/1.1 200 OK\r\nx-slow: ${'a'.repeat(10_000)}`),
    expect: ['timeout'],
  },
  'sends its body a byte at a time': {
    behave: (socket) => drip(socket, 'a'.repeat(10_000), 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'),
    expect: ['timeout'],
  },
  'sends a body without end': { behave: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n\r\n'), expect: ['200'] },
  'sends a body of 10 GB': {
    behave: (socket) => flood(socket, 'HTTP/1.1 500 X\r\ncontent-length: 10000000000\r\n\r\n'),
    expect: ['500'],
  },
  'sends a bomb of gzip': {
    behave: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    },
    expect: ['200'],
    kept: true,
  },
  'sends a header of 64 KB': {
    behave: (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(65_536)}\r\ncontent-length: 0\r\n\r\n`),
    expect: ['too_large'],
  },
  'sends 1,000 headers': {
    behave: (socket) => {
      const headers = Array.from({ length: 1_000 }, (_, at) => `x-header-${at}: some value or other\r\n`).join('')
      socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: 0\r\n\r\n`)
    },
    expect: ['too_large'],
  },
  'says "continue" without end': {
    behave: (socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
    expect: ['connection', 'timeout'],
  },
  'says "early hints" without end': {
    behave: (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    expect: ['timeout'],
  },
  'resets in the middle of its body': {
    behave: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy())
    },
    expect: ['connection'],
  },
  'resets at once': { behave: (socket) => socket.resetAndDestroy(), expect: ['connection'] },
  'hangs up without a word': { behave: (socket) => socket.end(), expect: ['connection'] },
  'answers what is not HTTP': { behave: (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), expect: ['connection'] },
  'switches protocols': {
    behave: (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    expect: ['connection', 'timeout'],
  },
}

function drip(socket: Socket, slowly: string, atOnce = ''): void {
  socket.write(atOnce)
  let at = 0
  const timer = setInterval(() => socket.writable && socket.write(slowly[at++ % slowly.length]!), 10)
  socket.on('close', () => clearInterval(timer))
}

function flood(socket: Socket, head: string): void {
  const chunk = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', more)
  socket.write(head)
  more()
}

function repeat(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.writable && socket.write(text.repeat(10)), 5)
  socket.on('close', () => clearInterval(timer))
}

for (const [what, { behave, expect, kept }] of Object.entries(hostile)) {
  test(`a receiver that ${what} ends by the deadline and leaves nothing behind`, async (t) => {
    const { post } = openEgress(t)
    const open = new Set<Socket>()
    const { port } = await listen(t, (socket) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      behave(socket)
    })
    const result = await post(`http://127.0.0.1:${port}/`, { deadline_ms: 300 })
    const outcome = result.kind === 'answered' ? String(result.status) : result.reason
    assert.ok(expect.includes(outcome), outcome)
    assert.ok(result.duration_ms < 600, `${result.duration_ms} ms`)
    if (result.kind === 'answered') assert.ok(result.excerpt.length <= 4_096)
    if (kept) return
    await waitFor(() => open.size === 0, { deadline_ms: 2_000, what: 'the connection to be closed' })
  })
}

test('no more of an answer is read than 64 KB and what lay in the pipe', async (t) => {
  const { post } = openEgress(t)
  let written = 0
  const { port } = await listen(t, (socket) => {
    flood(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n')
    socket.on('close', () => {
      written = socket.bytesWritten
    })
  })
  const before = process.memoryUsage().rss
  for (let times = 0; times < 20; times += 1) {
    const result = await post(`http://127.0.0.1:${port}/`)
    assert.ok(result.kind === 'answered' && result.excerpt === 'x'.repeat(4_096))
  }
  await waitFor(() => written > 0, { deadline_ms: 2_000 })
  assert.ok(written < 16_000_000, `${written} bytes were taken from the receiver`)
  assert.ok(process.memoryUsage().rss - before < 50_000_000)
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

test('nothing that is refused is dialled', async (t) => {
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

test('a name that changes under us is dialled only where it was vetted', async (t) => {
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
  assert.equal(asked, 700, 'asked once for each attempt')
  assert.equal(answered, 200)
  assert.equal(inside.seen.connections, 0)
  assert.match(outside.seen.received, /\r\nhost: rebind\.test:/i)
})

test('a connection is used again while its address is vetted, and left when the name moves', async (t) => {
  const first = await listen(t, answering(OK), { host: '127.0.0.5' })
  const second = await listen(t, answering(OK), { host: '127.0.0.6', port: first.port })
  let addresses = ['127.0.0.5']
  const { post } = openEgress(t, { resolve: async () => addresses })
  const url = `http://moving.test:${first.port}/`
  for (let times = 0; times < 5; times += 1) assert.equal((await post(url)).kind, 'answered')
  assert.equal(first.seen.connections, 1)
  addresses = ['127.0.0.6']
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
  for (let times = 0; times < 3; times += 1) {
    assert.equal((await post(`http://127.0.0.1:${server.port}/`)).kind, 'answered', `request ${times}`)
  }
  assert.equal(requests, 5)
})

test('a connection that leads elsewhere than vetted is closed before a byte is written', async (t) => {
  const inside = await listen(t, (socket) => socket.on('data', () => socket.write(OK)))
  const connections = createConnections({})
  t.after(() => connections.close())
  // A literal never reaches the lookup, so here only the look at the remote end can notice.
  const url = new URL(`http://127.0.0.1:${inside.port}/`)
  const { pool } = connections.to({ kind: 'vetted', url, addresses: ['127.0.0.9'] })
  await assert.rejects(pool.request({ path: '/', method: 'POST', body: 'secret' }), { code: 'UNVETTED_ADDRESS' })
  await waitFor(() => inside.seen.connections === 1, { deadline_ms: 1_000 })
  assert.equal(inside.seen.received, '')
})

test('over TLS the name is what the certificate must prove', async (t) => {
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
  assert.ok(wrongName.kind === 'failed' && wrongName.reason === 'tls')
  const stranger = openEgress(t, { resolve })
  const unknown = await stranger.post(`https://shop.test:${server.port}/`)
  assert.ok(unknown.kind === 'failed' && unknown.reason === 'tls')
})

test('an expired certificate, and no TLS at all, are refused', async (t) => {
  const expired = createCertificate(['shop.test'], [-30, -2])
  const resolve = async () => ['127.0.0.1']
  const { post } = openEgress(t, { resolve, ca: expired.cert })
  const old = await listen(t, answering(OK), { tls: expired })
  const plain = await listen(t, (socket) => socket.write(OK))
  for (const { port } of [old, plain]) {
    const result = await post(`https://shop.test:${port}/`)
    assert.ok(result.kind === 'failed' && result.reason === 'tls', JSON.stringify(result))
  }
})

test('a name server that never answers ends by the deadline, and a refused connection at once', async (t) => {
  const mute = openEgress(t, { resolve: () => new Promise(() => {}) })
  const waited = await mute.post('https://shop.test/', { deadline_ms: 100 })
  assert.ok(waited.kind === 'failed' && waited.reason === 'timeout')
  const unknown = await openEgress(t, { resolve: () => Promise.reject(new Error('no')) }).post('https://shop.test/')
  assert.ok(unknown.kind === 'failed' && unknown.reason === 'dns')

  const server = createHttpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const refused = await openEgress(t).post(`http://127.0.0.1:${port}/`)
  assert.ok(refused.kind === 'failed' && refused.reason === 'connection')
})
