import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertCommonHeaders, connectRaw, openTestServer, type RawAnswer } from '../../../tests/harness/http-server.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'

const head = 'Host: x\r\nAuthorization: Bearer good\r\nIdempotency-Key: key-0001\r\nContent-Type: application/json\r\n'
const post = (path = '/v1-things') => `POST ${path} HTTP/1.1\r\n${head}`
const whole = `${post()}Content-Length: 12\r\n\r\n{"amount":5}`
const get = 'GET /x/list HTTP/1.1\r\nHost: x\r\n\r\n'

describe('requests that no client library would send', () => {
  let server: Awaited<ReturnType<typeof openTestServer>>
  before(async () => {
    server = await openTestServer({ arrivalDeadlineMs: 2_000 })
  })
  after(() => server[Symbol.asyncDispose]())

  /** Sends, takes one answer, and waits for the end of the connection; what else came is returned as `rest`. */
  async function sendAndClose(text: string): Promise<RawAnswer & { rest: string }> {
    using connection = connectRaw(server.port, text)
    const answer = await connection.answer()
    const rest = await connection.closed
    return { ...answer, rest }
  }

  const refusedAndClosed: [promise: string, text: string][] = [
    ['bytes that are no HTTP', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
    ['a request line without a version', 'GET /\r\n\r\n'],
    ['HTTP/3.0 in text', 'GET /x/list HTTP/3.0\r\nHost: x\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method that nobody knows', 'BREW /v1-things HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n'],
    [
      'CONNECT, with more behind it',
      `CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n${'GET / '.repeat(4_000)}`,
    ],
    ['an expectation that we do not know', `${post()}Expect: the-moon\r\nContent-Length: 12\r\n\r\n`],
    ['a space before the colon of a header', 'GET /x/list HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['a header folded over two lines', 'GET /x/list HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    ['a control character in a header', 'GET /x/list HTTP/1.1\r\nHost: x\r\nA: b\u0000c\r\n\r\n'],
    ['a bare line feed after a header', 'GET /x/list HTTP/1.1\r\nHost: x\nTransfer-Encoding: chunked\r\n\r\n'],
    ['headers over 16 KiB', `GET /x/list HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`],
    ['an address over 16 KiB', `GET /x/list?${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a length and chunks', `${post()}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks and a length', `${post()}Transfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${post()}Content-Length: 12\r\nContent-Length: 13\r\n\r\n{"amount":5}`],
    ['two lengths in one', `${post()}Content-Length: 12, 12\r\n\r\n{"amount":5}`],
    ['a length that is none', `${post()}Content-Length: +12\r\n\r\n{"amount":5}`],
    ['an encoding that is none', `${post()}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunks that are not last', `${post()}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['a chunk without a size', `${post()}Transfer-Encoding: chunked\r\n\r\nzz\r\n{"amount":5}\r\n0\r\n\r\n`],
  ]
  for (const [promise, text] of refusedAndClosed) {
    test(`${promise}: 400 in our shape, then the connection closes and nothing more is said`, async () => {
      const answer = await sendAndClose(text)
      assert.equal(answer.status, 400)
      assert.match(answer.code ?? '', /^invalid_(request|body)$/)
      assert.equal(answer.headers.get('connection'), 'close')
      assertCommonHeaders(answer)
      assert.equal(answer.rest, '')
    })
  }

  const refusedAndKept: [promise: string, text: string, status: number, code: string][] = [
    ['no Host', 'GET /x/list HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['TRACE', 'TRACE /x/list HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    ['PROPFIND', 'PROPFIND /x/list HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'resource_not_found'],
    [
      'an unknown address with a body',
      'POST /v1-no HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
      404,
      'resource_not_found',
    ],
    [
      'an absolute address of an unknown path',
      'GET http://other/v1-no HTTP/1.1\r\nHost: x\r\n\r\n',
      404,
      'resource_not_found',
    ],
    [
      'a body with the wrong key',
      'POST /v1-things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
      401,
      'authentication_required',
    ],
    [
      'an absolute address and a method that it does not take',
      'DELETE http://other/v1-things HTTP/1.1\r\nHost: x\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    [
      'an upgrade',
      'GET /v1-no HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
      404,
      'resource_not_found',
    ],
  ]
  for (const [promise, text, status, code] of refusedAndKept) {
    test(`${promise}: ${status} ${code}, and the connection serves on`, async () => {
      using connection = connectRaw(server.port, text)
      const answer = await connection.answer()
      assert.deepEqual([answer.status, answer.code], [status, code])
      assertCommonHeaders(answer)
      connection.socket.write(get)
      assert.equal((await connection.answer()).status, 200)
    })
  }

  test('an absolute address is read as its path', async () => {
    using connection = connectRaw(
      server.port,
      'GET http://other.example/x/list?active=true HTTP/1.1\r\nHost: x\r\n\r\n',
    )
    assert.equal((await connection.answer()).text, '{"active":"true","caller":null}')
  })

  test('HTTP/1.0 without Host is answered, and its connection closes', async () => {
    const answer = await sendAndClose('GET /x/list HTTP/1.0\r\n\r\n')
    assert.equal(answer.status, 200)
    assert.equal(answer.rest, '')
  })

  test('requests in one packet are answered in their order', async () => {
    const other = whole.replace('key-0001', 'key-0002')
    using connection = connectRaw(server.port, whole + get + other)
    const statuses = [await connection.answer(), await connection.answer(), await connection.answer()]
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [201, 200, 201],
    )
  })

  test('a body in pieces and in chunks is one body', async () => {
    using connection = connectRaw(server.port, `${post()}Transfer-Encoding: chunked\r\n\r\n5\r\n{"amo\r\n`)
    await new Promise(setImmediate)
    connection.socket.write('7\r\nunt":5}\r\n0\r\n\r\n')
    assert.equal((await connection.answer()).status, 201)
  })

  test('a client that asks before it sends is told to go on', async () => {
    using connection = connectRaw(server.port, `${post()}Expect: 100-continue\r\nContent-Length: 12\r\n\r\n`)
    assert.equal((await connection.answer()).status, 100)
    connection.socket.write('{"amount":5}')
    assert.equal((await connection.answer()).status, 201)
  })

  describe('a request hidden behind another', () => {
    test('after a good request, garbage closes the connection once the request has its answer', async () => {
      const answer = await sendAndClose(`${whole}GARBAGE\r\n\r\n`)
      assert.equal(answer.status, 201)
      assert.equal(answer.rest, '')
    })

    test('bytes after a body of known length are a request of their own, not part of the body', async () => {
      using connection = connectRaw(server.port, `${post()}Content-Length: 2\r\n\r\n{}${get}`)
      assert.equal((await connection.answer()).code, 'invalid_amount')
      assert.equal((await connection.answer()).status, 200)
    })

    test('a refused body is not taken for the next request', async () => {
      const hidden = 'GET /x/list HTTP/1.1\r\nHost: x\r\n\r\n'
      const text = `POST /v1-things HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`
      using connection = connectRaw(server.port, text + get.replace('/x/list', '/v1-after'))
      assert.equal((await connection.answer()).status, 401)
      assert.equal((await connection.answer()).status, 404)
    })
  })

  describe('bodies that are too long', () => {
    test('a length over the limit is refused before a byte of it comes, and the connection serves on', async () => {
      using connection = connectRaw(server.port, `${post()}Content-Length: 1048577\r\n\r\n`)
      const answer = await connection.answer()
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body'])
      connection.socket.write(Buffer.alloc(1_048_577, ' '))
      connection.socket.write(get)
      assert.equal((await connection.answer()).status, 200)
    })

    test('chunks that pass the limit are refused while they come', async () => {
      using connection = connectRaw(server.port, `${post()}Transfer-Encoding: chunked\r\n\r\n`)
      connection.socket.write(`100001\r\n${' '.repeat(0x100001)}\r\n`)
      const answer = await connection.answer()
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body'])
      connection.socket.write(`0\r\n\r\n${get}`)
      assert.equal((await connection.answer()).status, 200)
    })

    test('a client that never stops sending is cut off', async () => {
      using connection = connectRaw(server.port, `${post()}Content-Length: 1000000000\r\n\r\n`)
      assert.equal((await connection.answer()).status, 400)
      const piece = Buffer.alloc(1024 * 1024, ' ')
      let sent = 0
      const send = (): void => {
        while (!connection.socket.destroyed && sent < 64 && connection.socket.write(piece)) sent += 1
      }
      connection.socket.on('drain', send)
      send()
      await connection.closed
      assert.ok(sent < 64, `${sent} MiB were taken`)
    })
  })

  describe('bodies that do not come', () => {
    test('a body that stops is refused at the deadline, its request is not carried out, the connection closes', async () => {
      using connection = connectRaw(server.port, `${post()}Content-Length: 12\r\n\r\n{"amo`)
      const answer = await connection.answer()
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body'])
      assert.equal(answer.headers.get('connection'), 'close')
      assertCommonHeaders(answer)
      await connection.closed
    })

    test('a body that arrives byte by byte is refused at the deadline too', async () => {
      using connection = connectRaw(server.port, `${post()}Content-Length: 1000\r\n\r\n`)
      const drip = setInterval(() => connection.socket.write(' '), 20)
      const answer = await connection.answer()
      clearInterval(drip)
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body'])
    })

    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      test(`a client that leaves in the middle is forgotten (${leave})`, () => leaveInTheMiddle(leave))
    }

    async function leaveInTheMiddle(leave: 'end' | 'destroy' | 'resetAndDestroy'): Promise<void> {
      const before = server.answered.length
      using connection = connectRaw(server.port, `${post()}Content-Length: 12\r\n\r\n{"amo`)
      await waitFor(async () => (await underWay()) === 1)
      connection.socket[leave]()
      await waitFor(async () => (await underWay()) === 0)
      assert.deepEqual(
        server.answered.slice(before).map(({ status }) => status),
        [400],
      )
    }

    test('a body that comes after its refusal is not carried out, while an earlier answer holds the connection', async () => {
      const release = Promise.withResolvers<void>()
      const amounts: number[] = []
      await using patient = await openTestServer({
        arrivalDeadlineMs: 300,
        deps: {
          work(asked) {
            amounts.push((asked as { body: { amount: number } }).body.amount)
            return release.promise
          },
        },
      })
      using connection = connectRaw(patient.port, `${whole}${post()}Content-Length: 12\r\n\r\n{"amo`)
      await waitFor(() => patient.answered.length === 1)
      connection.socket.write(`unt":6}${get}`)
      await waitFor(() => patient.answered.length === 2)
      release.resolve()
      assert.equal((await connection.answer()).status, 201)
      assert.equal((await connection.answer()).code, 'invalid_body')
      await connection.closed
      assert.deepEqual(amounts, [5])
    })

    test("the time for the body does not count towards the handler's deadline", async () => {
      await using slow = await openTestServer({ handlerDeadlineMs: 3_000, deps: { work: () => wait(300) } })
      using connection = connectRaw(slow.port, `${post()}Content-Length: 12\r\n\r\n{"amo`)
      await wait(3_000)
      connection.socket.write('unt":5}')
      assert.equal((await connection.answer()).status, 201)
    })

    const underWay = async () =>
      Number(/bandama_http_requests_in_flight (\d+)/.exec(await server.metrics.metrics())?.[1])
  })
})

test('a client that does not close after a refusal is cut off', async () => {
  await using server = await openTestServer()
  using connection = connectRaw(server.port, 'GARBAGE\r\n\r\n')
  connection.socket.allowHalfOpen = true
  assert.equal((await connection.answer()).status, 400)
  const ended = new Promise((resolve) => connection.socket.once('close', resolve))
  const talk = setInterval(() => connection.socket.write('MORE GARBAGE\r\n\r\n'), 20)
  await ended
  clearInterval(talk)
})

test('a connection that is opened and says nothing, or half a request, is closed after the time for headers', async () => {
  await using server = await openTestServer({ arrivalDeadlineMs: 300 })
  using silent = connectRaw(server.port)
  using half = connectRaw(server.port, 'GET /x/list HTTP/1.1\r\nHost')
  const answer = await half.answer()
  assert.deepEqual([answer.status, answer.code], [400, 'invalid_request'])
  assertCommonHeaders(answer)
  assert.equal(await half.closed, '')
  assert.equal(await silent.closed, '')
})
