import { Bandama } from '../src/client.ts'
import { version } from '../src/home.ts'
import type { Attempt } from '../src/options.ts'
import { createSend, type Send } from '../src/send.ts'

/** Milliseconds for one attempt of a command, and how often it is repeated. */
const TIMEOUT_MS = 15_000
const RETRIES = 2

/** Facts about the service, from its last answer. */
export type Seen = {
  /** Seconds by which this machine's clock is ahead of the service's. Null: no answer yet. */
  clock_ahead: number | null
  /** The beginning of the names of the service's headers. */
  prefix: string
}

export type Connection = {
  client: Bandama
  /** Calls a route for which the client has no function. */
  send: Send
  seen: Seen
  mode: 'test' | 'live'
}

/** Connects with the package's own client. @throws TypeError when the key or the address cannot be used */
export function connect(
  { url, key }: { url: string; key: string },
  more: { onAttempt?: (attempt: Attempt) => unknown; retries?: number } = {},
): Connection {
  const seen: Seen = { clock_ahead: null, prefix: 'service' }
  const settings = { url: url.replace(/\/+$/, ''), key, timeoutMs: TIMEOUT_MS, retries: RETRIES, ...more }
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    const date = Date.parse(answer.headers.get('date') ?? '')
    if (!Number.isNaN(date)) seen.clock_ahead = Math.round((Date.now() - date) / 1_000)
    answer.headers.forEach((_, name) => {
      seen.prefix = /^(?!x-)(.+)-request-id$/i.exec(name)?.[1] ?? seen.prefix
    })
    return answer
  }
  const client = new Bandama({ ...settings, fetch: watched })
  return { client, send: createSend({ ...settings, fetch: watched, version }), seen, mode: client.mode }
}
