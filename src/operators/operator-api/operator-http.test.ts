import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { createCertificate } from '../../../tests/harness/certificate.ts'
import { freePort } from '../../../tests/harness/free-port.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { WrittenNumber } from '../../platform/http/json-reader.ts'
import { compressedWords } from './answer-encoding.ts'
import { evidenceOf } from './answer-evidence.ts'
import { baseUrlProblem, createOperatorHttp, type OperatorReply } from './operator-http.ts'

/** A server that keeps every byte it is given and does with a connection as the test says, once a request is whole. */
async function startRaw(react: (socket: Socket, nth: number) => void, options: { key?: string; cert?: string } = {}) {
  let received = ''
  let requests = 0
  const sockets = new Set<Socket>()
  const take = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let waiting = ''
    socket.on('data', (chunk) => {
      received += chunk
      waiting += chunk
      const head = waiting.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(waiting)?.[1] ?? 0)
      if (head === -1 || waiting.length < head + 4 + length) return
      waiting = ''
      requests += 1
      react(socket, requests)
    })
  }
  const server = options.key === undefined ? createServer(take) : createTlsServer(options, take)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    received: () => received,
    requests: () => requests,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const answer = (body: string | Buffer, head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n') =>
  Buffer.concat([Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n`), Buffer.from(body)])

const PAYMENT = { method: 'POST', path: '/v2/deposits', body: '{"amount":"2500"}', deadline_ms: 20_000 } as const

/** Sends one payment to a server that reacts so. */
async function sendTo(
  react: (socket: Socket) => void,
  deadline_ms: number = PAYMENT.deadline_ms,
): Promise<OperatorReply & { received: string }> {
  await using server = await startRaw(react)
  await using http = client(server.origin)
  const reply = await http.call({ ...PAYMENT, deadline_ms })
  return { ...reply, received: server.received() }
}

function client(base_url: string, ca?: string) {
  const http = createOperatorHttp({ base_url, ...(ca === undefined ? {} : { ca }) })
  return { ...http, [Symbol.asyncDispose]: () => http.close() }
}

test('an answer is complete: its status, headers, text and JSON', async () => {
  await using server = await startRaw((socket) => socket.write(answer('{"status":"ACCEPTED","amount":2500.00}')))
  await using http = client(`${server.origin}/pawapay/`)
  const reply = await http.call({ ...PAYMENT, headers: { authorization: 'Bearer t' } })
  assert.ok(reply.kind === 'answered')
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['content-type'], 'application/json')
  assert.deepEqual(reply.json, { status: 'ACCEPTED', amount: new WrittenNumber('2500.00') })
  assert.match(server.received(), /^POST \/pawapay\/v2\/deposits HTTP\/1\.1\r\n/)
  assert.match(server.received(), /authorization: Bearer t\r\n/)
  assert.match(server.received(), /accept-encoding: identity\r\n/)
  assert.match(server.received(), /\r\n\r\n\{"amount":"2500"\}$/)
})

test('with a refused connection, an unknown host or a closed client nothing is sent', async () => {
  const port = await freePort()
  for (const base_url of [`http://127.0.0.1:${port}`, 'https://nowhere.invalid']) {
    await using http = client(base_url)
    assert.equal((await http.call(PAYMENT)).kind, 'not_sent', base_url)
  }
  await using server = await startRaw((socket) => socket.write(answer('{}')))
  const closed = createOperatorHttp({ base_url: server.origin })
  await closed.close()
  assert.equal((await closed.call(PAYMENT)).kind, 'not_sent')
  assert.equal(server.received(), '')
})

test('with an invalid certificate nothing is sent, and with a valid one the request is', async () => {
  const good = createCertificate(['127.0.0.1'])
  const other = createCertificate(['pay.example'])
  const old = createCertificate(['127.0.0.1'], [-3, -1])
  const cases = [
    { server: good, ca: good.cert, kind: 'answered' },
    { server: good, ca: other.cert, kind: 'not_sent' },
    { server: good, ca: undefined, kind: 'not_sent' },
    { server: other, ca: other.cert, kind: 'not_sent' },
    { server: old, ca: old.cert, kind: 'not_sent' },
  ]
  for (const {
    server: { key, cert },
    ca,
    kind,
  } of cases) {
    await using server = await startRaw((socket) => socket.write(answer('{}')), { key, cert })
    await using http = client(`https://127.0.0.1:${server.port}`, ca)
    assert.equal((await http.call(PAYMENT)).kind, kind)
    if (kind === 'not_sent') assert.equal(server.received(), '')
  }
})

test('nothing is sent to a server without TLS', async () => {
  await using server = await startRaw(() => {})
  await using http = client(`https://127.0.0.1:${server.port}`)
  const hello = http.call({ ...PAYMENT, deadline_ms: 200 })
  assert.equal((await hello).kind, 'not_sent')
  assert.doesNotMatch(server.received(), /POST/)
})

test('nothing is sent to a server below TLS 1.2', async () => {
  const { key, cert } = createCertificate(['127.0.0.1'])
  const old = { key, cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
  await using server = await startRaw((socket) => socket.write(answer('{}')), old)
  await using http = client(`https://127.0.0.1:${server.port}`, cert)
  assert.equal((await http.call(PAYMENT)).kind, 'not_sent')
  assert.equal(server.received(), '')
})

const lost: [name: string, react: (socket: Socket) => void][] = [
  ['cut before the headers', (socket) => socket.destroy()],
  ['closed before the headers', (socket) => socket.end()],
  ['cut inside the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le')],
  ['cut inside the body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n{"status":')],
  ['cut inside a chunk', (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"st')],
  ['that never comes', () => {}],
  ['of slow bytes', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n'.padEnd(400, ' '))],
  ['of 1 MB', (socket) => socket.write(answer(`"${'x'.repeat(1_048_576)}"`))],
  ['of 1 MB in chunks', (socket) => pour(socket)],
  ['with 64 KB of headers', (socket) => socket.write(answer('{}', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_536)}\r\n`))],
  ['of HTTP nobody speaks', (socket) => socket.end('220 smtp.example ESMTP\r\n')],
  ['with two lengths', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}')],
  ['that only promises one', (socket) => socket.end('HTTP/1.1 102 Processing\r\n\r\n')],
]
for (const [name, react] of lost) {
  test(`an answer ${name} is lost`, async () => {
    const reply = await sendTo(react, 1_000)
    assert.equal(reply.kind, 'lost', JSON.stringify(reply))
    assert.match(reply.received, /^POST/)
    assert.doesNotMatch(JSON.stringify({ ...reply, received: '' }), /smtp|2500|127\.0/, 'the reason quotes nothing')
  })
}

function drip(socket: Socket, text: string, at = 0): void {
  if (socket.destroyed || at === text.length) return
  socket.write(text[at]!)
  setTimeout(drip, 20, socket, text, at + 1)
}

function pour(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
  for (let chunk = 0; chunk < 64; chunk += 1) socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`)
}

test('a redirect is an answer, and is not followed', async () => {
  await using elsewhere = await startRaw((socket) => socket.write(answer('{}')))
  const reply = await sendTo((socket) =>
    socket.write(answer('', `HTTP/1.1 302 Found\r\nlocation: ${elsewhere.origin}/v2/deposits\r\n`)),
  )
  assert.ok(reply.kind === 'answered')
  assert.equal(reply.status, 302)
  assert.equal(elsewhere.requests(), 0)
})

const notJson: [name: string, body: string | Buffer][] = [
  ['nothing', ''],
  ['a page', '<html>Bad gateway</html>'],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
  ['a name twice', '{"status":"ACCEPTED","status":"REJECTED"}'],
  ['a number followed by another', '{"amount":1}{"amount":2}'],
  ['more levels than anybody reads', `${'['.repeat(40)}${']'.repeat(40)}`],
  ['half a surrogate pair', '{"status":"\\ud800"}'],
  ['the start of JSON', '{"status":"ACCEPTED"'],
]
for (const [name, body] of notJson) {
  test(`an answer of ${name} has no JSON`, async () => {
    const reply = await sendTo((socket) => socket.write(answer(body)))
    assert.ok(reply.kind === 'answered')
    assert.ok(!('json' in reply))
  })
}

test('line breaks in texts, many levels and a name of JavaScript are read; a huge number stays as written', async () => {
  const deep = `${'['.repeat(20)}1${']'.repeat(20)}`
  const reply = await sendTo((socket) =>
    socket.write(answer(`{"message":"a\\nb","deep":${deep},"__proto__":{"x":1},"amount":9e999}`)),
  )
  assert.ok(reply.kind === 'answered')
  const json = reply.json as Record<string, unknown>
  assert.equal(json.message, 'a\nb')
  assert.equal((json.amount as WrittenNumber).text, '9e999')
  assert.equal(({} as { x?: unknown }).x, undefined)
})

test('a connection is reused, and a request is lost and not repeated when the connection closes as it is written', async () => {
  await using server = await startRaw((socket, nth) => {
    if (nth < 3) socket.write(answer('{}'))
    else socket.destroy()
  })
  await using http = client(server.origin)
  assert.equal((await http.call(PAYMENT)).kind, 'answered')
  assert.equal((await http.call(PAYMENT)).kind, 'answered')
  assert.equal(server.connections(), 1)
  assert.equal((await http.call(PAYMENT)).kind, 'lost')
  assert.equal(server.requests(), 3)
  assert.equal(server.connections(), 1, 'nothing was tried again')
})

test('a request without a free connection before its deadline is never sent', async () => {
  const held: Socket[] = []
  await using server = await startRaw((socket) => held.push(socket))
  await using http = client(server.origin)
  const busy = Array.from({ length: 256 }, () => http.call({ ...PAYMENT, deadline_ms: 20_000 }))
  await waitFor(async () => held.length === 256, { what: 'every connection to be held' })
  const late = await http.call({ ...PAYMENT, path: '/late', deadline_ms: 100 })
  assert.deepEqual(late, { kind: 'not_sent', reason: 'no connection in time' })
  for (const socket of held) socket.write(answer('{}'))
  for (const reply of await Promise.all(busy)) assert.equal(reply.kind, 'answered')
  assert.equal((await http.call({ ...PAYMENT, path: '/next', deadline_ms: 1_000 })).kind, 'lost')
  assert.doesNotMatch(server.received(), /\/late/)
})

test('a base address is https, or http on this machine', () => {
  const taken = [
    'https://api.example.com',
    'https://api.example.com/v1/',
    'http://127.0.0.1:4010/pawapay',
    'http://[::1]:1',
  ]
  for (const url of [...taken, 'http://localhost:4010']) assert.equal(baseUrlProblem(url), null, url)
  const refused = [
    '',
    'api.example.com',
    'http://api.example.com',
    'http://10.0.0.1',
    'http://127.evil.example',
    'ftp://a/',
  ]
  for (const url of [...refused, 'https://u:p@a.example', 'https://a.example/?q=1', 'https://a.example/#a']) {
    assert.equal(baseUrlProblem(url)?.length, 2, url)
    assert.throws(() => createOperatorHttp({ base_url: url }), TypeError)
  }
})

const named = { name: 'Koné Aïcha' }
const latin = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string, mark = true) => Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')
const head = (type: string, more = '') => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}`
const written = JSON.stringify(named)
const forms: [name: string, bytes: Buffer, head: string, read: 'json' | 'gzip' | 'br' | 'none'][] = [
  ['UTF-8', Buffer.from(written), head('application/json'), 'json'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${written}`), head('application/json; charset=utf-8'), 'json'],
  [
    'UTF-8 with a mark, said to be Latin-1',
    Buffer.from(`\ufeff${written}`),
    head('text/json; charset=iso-8859-1'),
    'json',
  ],
  ['Latin-1', latin(written), head('application/json; charset=ISO-8859-1'), 'json'],
  ['Latin-1 in quotation marks', latin(written), head('application/json;charset="latin1"'), 'json'],
  ['Windows-1252', latin(written), head('application/json; charset=windows-1252'), 'json'],
  ['UTF-16 with a mark', utf16(written), head('application/json'), 'json'],
  ['UTF-16 that is named', utf16(written, false), head('application/json; charset=utf-16le'), 'json'],
  ['UTF-16, big-endian', utf16(written).swap16(), head('application/json'), 'json'],
  ['Latin-1 that is not named', latin(written), head('application/json'), 'none'],
  ['an encoding that nobody knows', Buffer.from(written), head('application/json; charset=x-unknown'), 'json'],
  ['gzip', gzipSync(written), head('application/json', 'content-encoding: gzip\r\n'), 'gzip'],
  ['gzip that is not named', gzipSync(written), head('application/json'), 'gzip'],
  ['brotli', brotliCompressSync(written), head('application/json', 'content-encoding: br\r\n'), 'br'],
  ['a page', Buffer.from('<html>'), head('text/html; charset=iso-8859-1'), 'none'],
]
const readWords = { json: 'read', gzip: 'named gzip', br: 'named br', none: 'no JSON' } as const
for (const [name, bytes, begin, expected] of forms) {
  test(`an answer in ${name} is ${readWords[expected]}`, async () => {
    const reply = await sendTo((socket) => socket.end(answer(bytes, begin)))
    assert.ok(reply.kind === 'answered')
    assert.deepEqual(reply.json, expected === 'json' ? named : undefined)
    const isPacked = expected === 'gzip' || expected === 'br'
    assert.equal(reply.compressed, isPacked ? expected : undefined)
    if (!isPacked) return
    assert.equal(evidenceOf(reply).body, `the answer is ${expected}, although we asked for none`)
    assert.match(compressedWords(reply)![1], new RegExp(`answered in ${expected}, although we asked for none`))
  })
}
