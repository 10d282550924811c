import type { WebhookEvent } from '../src/events.ts'
import { sleep } from '../src/send.ts'
import { sign } from '../src/webhooks.ts'
import { say } from './print.ts'
import { Sentence } from './sentence.ts'

/** Milliseconds for which a receiver may think, as the service allows it. */
const RECEIVER_MS = 10_000
const PAUSE_MS = 1_000
const PAUSE_MAX_MS = 30_000
/** Characters of an answer that are shown. */
const SHOWN = 300

/** Where events go, and how they are signed there. */
export type Receiver = { url: string; secret: string; prefix: string }

/** The receiver's status, and the first words of its answer. Null: none came. */
export type Forwarded = { status: number | null; text: string }

/** @throws Sentence when a receiver cannot have this address */
export function receiverAt(url: string | undefined): string {
  if (url === undefined) throw new Sentence('--forward-to is missing: such as http://localhost:3000/webhooks.')
  const read = URL.canParse(url) ? new URL(url) : null
  if (read !== null && /^https?:$/.test(read.protocol) && read.username === '' && read.hash === '') return read.href
  throw new Sentence('--forward-to must be an address of a receiver, such as http://localhost:3000/webhooks.')
}

/** Sends an event once, signed as the service would sign it. @param signature another than the right one */
export async function forward(
  { url, secret, prefix }: Receiver,
  event: WebhookEvent,
  { signature, signal }: { signature?: string; signal?: AbortSignal } = {},
): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'bdm-Webhooks/1.0',
    [`${prefix}-event-id`]: event.id,
    [`${prefix}-signature`]: signature ?? (await sign(body, secret)),
  }
  const timeout = AbortSignal.timeout(RECEIVER_MS)
  try {
    const answer = await fetch(url, {
      ...{ method: 'POST', body, headers, redirect: 'manual' },
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    })
    return { status: answer.status, text: (await answer.text()).slice(0, SHOWN).replaceAll(/\s+/g, ' ').trim() }
  } catch (error) {
    if (timeout.aborted) return { status: null, text: `nothing came within ${RECEIVER_MS / 1_000} s` }
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
    return { status: null, text: cause?.code ?? cause?.message ?? message }
  }
}

export const isTaken = ({ status }: Forwarded) => status !== null && status > 199 && status < 300

/** The remedy for an answer that is no 2xx. */
export function remedyOf({ status, text }: Forwarded, url: string): string {
  if (status === null) return `no answer from ${url} (${text}): start your receiver, or check its address`
  const said = text === '' ? '' : `: ${text}`
  if (status === 400) return `400${said} (its secret must be the one printed above)`
  if (status === 404 || status === 405) return `${status}: check the path of ${url}, and that it takes POST`
  if (status > 299 && status < 400) return `${status}: give --forward-to the final address, redirects are not followed`
  return `${status}${said}`
}

/** Refusals of one event after which its way round is told. */
const REFUSALS = 3

/** Sends an event until the receiver takes it with a 2xx. @returns false when the signal ended it first */
export async function forwardUntilTaken(receiver: Receiver, event: WebhookEvent, signal: AbortSignal) {
  let told = ''
  let refusals = 0
  for (let pause = PAUSE_MS; ; pause = Math.min(PAUSE_MAX_MS, pause * 2)) {
    const answer = await forward(receiver, event, { signal })
    if (isTaken(answer)) {
      say(`${event.type}  ${event.id}  ${answer.status}`)
      return true
    }
    if (signal.aborted) return false
    const remedy = remedyOf(answer, receiver.url)
    // The same trouble is told once for each event.
    if (remedy !== told) say(`${event.type}  ${event.id}  ${remedy}. It will be sent again.`)
    told = remedy
    if (answer.status !== null) refusals += 1
    if (answer.status !== null && refusals === REFUSALS)
      say(`${event.id} holds up what follows, so that nothing is lost. To go on without it: add --skip ${event.id}.`)
    await sleep(pause, signal)
    if (signal.aborted) return false
  }
}
