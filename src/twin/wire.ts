import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type Fault, placeOf, takeRule } from './rules.ts'
import { claimedBy, withMoney } from './stated-money.ts'

/** The most bytes of a body that the twin reads. */
export const BODY_BYTES_MAX = 1024 * 1024

/** A request with its raw bytes, for signatures. */
export type TwinRequest = {
  method: string
  /** The path after the API's prefix, without the query, such as `/v2/deposits`. */
  path: string
  /** The whole path without the query, which a signature over `@path` covers. */
  whole_path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: Buffer
  /** The fault of the answer, set when the order or the read is matched. */
  fault: Fault | null
  /** Whether the faults were already matched. */
  matched: boolean
}

export type TwinAnswer = {
  status: number
  /** The body: an object is sent as JSON, a text as it is. Absent: an empty body. */
  body?: object | string
  headers?: Record<string, string>
  /** The header `Twin-Unverified`: the parts of this answer that we could not verify with the operator. ASCII. */
  unverified?: string
}

/** The order is not executed, and its fault gives the answer. */
export class FaultInstead extends Error {
  override name = 'FaultInstead'
}

/** Finds the fault that matches a call, and stores it in the request for the answer. */
export function takeFault(
  faults: Fault[],
  request: TwinRequest,
  place: 'send' | 'read' | 'other',
  subject: Parameters<typeof takeRule>[1],
): Fault | null {
  request.matched = true
  request.fault = takeRule(faults, subject, ({ on, fault }) => {
    // Faults of callbacks apply to the callback, not to this call.
    return on === place || (on === 'any' && placeOf(fault) !== 'callback')
  })
  return request.fault
}

/** Reads a whole body. Null if it is too large. */
export function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>()
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
    else resolve(null)
  })
  incoming.on('end', () => resolve(Buffer.concat(chunks)))
  incoming.on('error', reject)
  return promise
}

/**
 * Answers a call to an API, with its fault.
 * @param failure makes the API's answer 500, 503 or 429
 */
export async function giveAnswer(
  outgoing: ServerResponse,
  answer: TwinAnswer,
  fault: Fault | null,
  failure: (status: number) => TwinAnswer,
): Promise<void> {
  switch (fault?.fault) {
    case 'lose_answer':
    case 'cut':
      outgoing.destroy()
      return
    case 'hang':
      return
    case 'say_500':
      return write(outgoing, failure(500))
    case 'say_503':
      return write(outgoing, failure(503))
    case 'say_429':
      return write(outgoing, failure(429))
    case 'say_html':
      return write(outgoing, {
        status: 200,
        headers: { 'Content-Type': 'text/html' },
        body: '<html><body><h1>Service</h1></body></html>',
      })
    case 'late_answer':
      await pause((fault.after_seconds ?? 30) * 1000)
      return write(outgoing, answer)
    case 'slow_bytes':
      return await writeSlowly(outgoing, answer)
    default: {
      const claimed = fault === null ? null : claimedBy(fault)
      if (claimed === null || typeof answer.body !== 'object') return write(outgoing, answer)
      return write(outgoing, { ...answer, body: withMoney(answer.body, claimed) })
    }
  }
}

export function write(outgoing: ServerResponse, answer: TwinAnswer): void {
  const { headers, text } = prepared(answer)
  // A text is sent in one piece with its headers.
  outgoing.writeHead(answer.status, headers).end(text)
}

async function writeSlowly(outgoing: ServerResponse, answer: TwinAnswer): Promise<void> {
  const { headers, text } = prepared(answer)
  const bytes = Buffer.from(text)
  outgoing.writeHead(answer.status, headers)
  for (let at = 0; at < bytes.length && !outgoing.destroyed; at += 4) {
    outgoing.write(bytes.subarray(at, at + 4))
    await pause(250)
  }
  outgoing.end()
}

function prepared({ body, headers = {}, unverified }: TwinAnswer): { headers: Record<string, string>; text: string } {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'object' ? { 'Content-Type': 'application/json' } : {}
  const honest = unverified === undefined ? {} : { 'Twin-Unverified': unverified }
  const length = { 'Content-Length': String(Buffer.byteLength(text)) }
  return { headers: { ...type, ...honest, ...headers, ...length }, text }
}

/** Waits in real time, because a client measures its time-out with its own clock. Does not keep the process alive. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}
