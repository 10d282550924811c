import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { stopParsing } from './bounded-request.ts'
import type { Exchange, Exchanges } from './exchanges.ts'
import { refusalAnswer } from './refusal.ts'

/** What we remember of a connection. */
type Connection = Socket & { newestExchange?: Exchange; refused?: true }

/** Milliseconds that a refused client has to read our answer before the connection is cut. */
const READING_TIME_MS = 1_000

const unparsed = refusalAnswer({ status: 400, code: 'invalid_request' })

/** Remembers on its connection which request came last, to know later what the parser stumbled over. */
export function noteExchange(exchange: Exchange): void {
  const connection: Connection = exchange.request.socket
  connection.newestExchange = exchange
}

/**
 * Answers what never becomes a request: bytes that are not HTTP, headers too long, a request that does not arrive in
 * time, CONNECT, an `Expect` we do not know. Same error shape and headers as everything else; then the connection closes,
 * because nobody can say where the next request would begin.
 */
export function answerParserErrors(
  server: Server,
  exchanges: Exchanges,
  arrive: (request: IncomingMessage, response: ServerResponse) => Exchange,
): void {
  // Fastify's own listener writes another shape.
  server.removeAllListeners('clientError')
  server.on('clientError', (_error, socket) => {
    const connection = socket as Connection
    const newest = connection.newestExchange
    // What keeps coming after a refusal is dropped: closing at once would make the client's system drop our answer too.
    if (connection.refused) return
    if (!connection.writable || connection.bytesRead === 0) connection.destroy()
    else if (newest !== undefined && !newest.request.complete) refuseBody(newest)
    else if (newest === undefined || newest.response.writableFinished) refuseRaw(connection, exchanges)
    // The last request is whole, what follows it is not: it gets its answer, then the connection closes.
    else if (newest.answered) newest.response.once('finish', () => connection.destroySoon())
    else newest.last = true
  })

  function refuseBody(exchange: Exchange): void {
    exchange.last = true
    if (exchange.answered) exchange.request.socket.destroySoon()
    else exchanges.send(exchange, exchange.route?.refuse(exchange.route.unreadable) ?? unparsed)
  }

  server.on('connect', (_request, socket) => {
    stopParsing(socket as Socket)
    socket.on('error', () => socket.destroy())
    refuseRaw(socket as Socket, exchanges)
  })
  server.on('checkExpectation', (request, response) => {
    const exchange = arrive(request, response)
    exchange.last = true
    exchanges.send(exchange, unparsed)
  })
}

/** Writes an answer on a connection that has no request to answer. */
function refuseRaw(connection: Connection, exchanges: Exchanges): void {
  connection.refused = true
  const { status, body } = unparsed
  const headers = [...exchanges.headersOf(randomUUID(), unparsed), 'Connection', 'close']
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  connection.end(`${head}\r\n${body}`)
  setTimeout(() => connection.destroy(), READING_TIME_MS).unref()
}
