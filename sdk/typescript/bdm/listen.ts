import { BandamaError } from '../src/errors.ts'
import type { Attempt } from '../src/options.ts'
import { sleep } from '../src/send.ts'
import type { EventFeed } from '../src/types.ts'
import { connect } from './connect.ts'
import { forwardUntilTaken, receiverAt } from './forward.ts'
import { say } from './print.ts'
import { type Profile, placeOf } from './profile.ts'
import { Sentence } from './sentence.ts'

/** Milliseconds before the feed is asked again after something else answered in the service's place. */
const FIREWALL_MS = 5_000
/** The least time between two lines about the same trouble. */
const TOLD_MS = 60_000

/**
 * Follows the feed and hands each event, signed, to a receiver. The place moves on disk only after a 2xx, so a kill, a cut or a silent receiver
 * loses nothing, and repeats one event at most.
 */
export async function listen(
  profile: Profile,
  options: { 'forward-to'?: string | undefined; from?: string | undefined; skip?: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const url = receiverAt(options['forward-to'])
  const place = placeOf(profile, url)
  const { client, send, seen, mode } = connect(profile, { onAttempt: tellTrouble(profile.url) })
  const from = options.from ?? 'last'
  const kept = from === 'last' ? await place.read() : null
  let after = kept ?? (from === 'last' ? 'now' : from)
  if (after === 'now') {
    // Kept at once: what happens before the first event is forwarded is not lost by a kill.
    after = (await send<EventFeed>({ method: 'GET', path: '/x/events', query: { after }, call: { signal } })).next
    await place.keep(after)
  }
  say(`Forwarding ${mode} events to ${url}, ${kept === null ? 'anew' : 'from where it stopped'}.`)
  say(`Signing secret of your receiver: ${profile.secret}`)
  say(`Your place is kept in ${place.file}.`)
  while (!signal.aborted) {
    try {
      for await (const { event, cursor } of client.events.follow({ after, signal })) {
        const receiver = { url, secret: profile.secret, prefix: seen.prefix }
        if (event.id === options.skip) say(`${event.type}  ${event.id}  skipped`)
        else if (!(await forwardUntilTaken(receiver, event, signal))) return
        await place.keep(cursor)
        after = cursor
      }
    } catch (error) {
      if (!isPassing(error)) throw explain(error, options['forward-to']!)
      await sleep(FIREWALL_MS, signal)
    }
  }
}

/** Whether something else answered, such as a firewall with a page: it may go as it came. A redirect stays. */
function isPassing(error: unknown): boolean {
  const { kind, status } = error instanceof BandamaError ? error : { kind: null, status: null }
  return kind === 'unreadable' && !(status !== null && status > 299 && status < 400)
}

function explain(error: unknown, forward_to: string): unknown {
  if (!(error instanceof BandamaError) || error.code !== 'invalid_request') return error
  const words = `bdm listen --forward-to ${forward_to}`
  return new Sentence(
    `The kept place is refused, because it is that of another merchant or mode, or this instance has no feed: log in with the key of before, or begin anew with ${words} --from now. (${error.message})`,
  )
}

/** Tells of calls to the service that fail while they are repeated, and of the end of that. */
function tellTrouble(url: string) {
  let since: number | null = null
  let told = 0
  return ({ code, status }: Attempt) => {
    const now = Date.now()
    if (code === null || (status !== null && status > 399 && code !== 'unreadable' && status < 500 && status !== 429)) {
      if (since !== null && code === null) say(`${url} answers again, after ${Math.round((now - since) / 1_000)} s.`)
      since = null
      told = 0
      return
    }
    since ??= now
    if (now - told < TOLD_MS) return
    told = now
    const what =
      code === 'no_answer'
        ? `No answer from ${url}: check the network`
        : code === 'unreadable'
          ? `${url} answered ${status} with something that is not its JSON: check the address, and any proxy or firewall`
          : `${url} answered ${status} ${code}`
    say(`${what}. bdm tries again, and your place is kept.`)
  }
}
