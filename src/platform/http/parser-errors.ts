import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { stopParsing } from './bounded-request.ts'
import { refusalAnswer } from './refusal.ts'
import type { RequestContext } from './request-context.ts'
import type { Responder } from './responder.ts'
import { createSlowUploads } from './slow-uploads.ts'

/** A connection with its newest request, and whether it was refused. */
type Connection = Socket & { newestContext?: RequestContext; refused?: true }

/** Milliseconds that a refused client has to read our answer before the connection is cut. */
const READING_TIME_MS = 1_000

const unparsed = refusalAnswer({ status: 400, code: 'invalid_request' })

/** Stores the newest request of a connection, to know later where the parser failed. */
export function noteContext(context: RequestContext): void {
  const connection: Connection = context.request.socket
  connection.newestContext = context
}

/**
 * Answers input that never becomes a request: bytes that are not HTTP, headers too long, a request that does not arrive in
 * time, CONNECT, an unknown `Expect`. The answer has the usual error format and headers. Then the connection closes, because the
 * beginning of the next request is unknown.
 */
export function answerParserErrors(
  server: Server,
  responder: Responder,
  begin: (request: IncomingMessage, response: ServerResponse) => RequestContext,
): void {
  const slowUploads = createSlowUploads(server.requestTimeout)
  // Fastify's own listener writes another format.
  server.removeAllListeners('clientError')
  server.on('clientError', (error, socket) => {
    const connection = socket as Connection
    const newest = connection.newestContext
    // Further bytes after a refusal are dropped: if we closed at once, the client's system would discard our answer.
    if (connection.refused) return
    if (!connection.writable || connection.bytesRead === 0) connection.destroy()
    else if (newest !== undefined && !newest.request.complete) refuseUnlessSlow(newest, error)
    else if (newest === undefined || newest.response.writableFinished) refuseRaw(connection, responder)
    // The last request is complete, and the bytes after it are invalid: answer it, then close the connection.
    else if (newest.answered) newest.response.once('finish', () => connection.destroySoon())
    else newest.last = true
  })

  function refuseUnlessSlow(context: RequestContext, error: NodeJS.ErrnoException): void {
    const refuse = () => refuseBody(context)
    const goesOn = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && slowUploads.letGoOn(context, refuse)
    if (!goesOn) refuse()
  }

  function refuseBody(context: RequestContext): void {
    context.last = true
    if (context.answered) context.request.socket.destroySoon()
    else responder.send(context, context.route?.refuse(context.route.unreadable) ?? unparsed)
  }

  server.on('connect', (_request, socket) => {
    stopParsing(socket as Socket)
    socket.on('error', () => socket.destroy())
    refuseRaw(socket as Socket, responder)
  })
  server.on('checkExpectation', (request, response) => {
    const context = begin(request, response)
    context.last = true
    responder.send(context, unparsed)
  })
}

/** Writes the refusal on a connection without a request. */
function refuseRaw(connection: Connection, responder: Responder): void {
  connection.refused = true
  const { status, body } = unparsed
  const headers = [...responder.headersOf(randomUUID(), unparsed), 'Connection', 'close']
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  connection.end(`${head}\r\n${body}`)
  setTimeout(() => connection.destroy(), READING_TIME_MS).unref()
}
