import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** A request, as a test writes it. */
export type Asked = {
  /** GET without a body, POST with one. */
  method?: string
  path: string
  /** Sent as `Authorization: Bearer …`. */
  key?: string | null
  idempotency_key?: string | null
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  text?: string | Uint8Array
  /** Headers that override all others. Undefined removes one. */
  headers?: Record<string, string | string[] | undefined>
  /** The time after which a missing answer counts as a hang. Absent: 15 s. */
  patience_ms?: number
  /** Ends the call. */
  signal?: AbortSignal
}

export type Answer = {
  status: number
  headers: IncomingHttpHeaders
  /** Header names and values in turn, in their original order and case. */
  raw_headers: string[]
  text: string
  /** The text read as JSON. @throws when it is none */
  json(): unknown
}

const PATIENCE_MS = 15_000

// Connections are kept, as a merchant's server keeps them, and do not hold the process when the tests are over.
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** Calls the service as a merchant's server would. @throws when no answer comes */
export function ask(address: string, asked: Asked): Promise<Answer> {
  const text = asked.text ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body))
  const method = asked.method ?? (text === undefined ? 'GET' : 'POST')
  const { hostname, port } = new URL(address)
  const timeout = asked.patience_ms ?? PATIENCE_MS
  return new Promise((resolve, reject) => {
    const outgoing = request(
      // The raw path, because a URL object would normalise it.
      {
        agent,
        hostname,
        port,
        method,
        path: asked.path,
        headers: headersOf(asked, text),
        timeout,
        signal: asked.signal,
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const answered = Buffer.concat(chunks).toString('utf8')
          resolve({
            status: incoming.statusCode!,
            headers: incoming.headers,
            raw_headers: incoming.rawHeaders,
            text: answered,
            json: () => JSON.parse(answered),
          })
        })
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error(`No answer to ${method} ${asked.path} in ${timeout} ms.`)))
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}

function headersOf(asked: Asked, text: string | Uint8Array | undefined): Record<string, string | string[]> {
  const headers: Record<string, string | string[] | undefined> = {
    ...(text === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) }),
    ...(asked.key == null ? {} : { Authorization: `Bearer ${asked.key}` }),
    ...(asked.idempotency_key == null ? {} : { 'Idempotency-Key': asked.idempotency_key }),
    ...asked.headers,
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string | string[]
  >
}
