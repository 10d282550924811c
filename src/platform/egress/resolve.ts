import { lookup, Resolver } from 'node:dns/promises'

/** Finds every address of a name, IPv4 and IPv6. Rejects if there is none, or if no name server answers. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** The lifetime of a cached answer, so that a burst of events to one merchant needs one query. */
const KEPT_MS = 5_000
const KEPT_NAMES_MAX = 1_000

/**
 * Queries the name servers of this machine directly. The system's `getaddrinfo` runs on four threads of the whole process, so a few
 * merchants whose name servers never answer would block all others.
 *
 * It uses neither /etc/hosts nor search domains. With `system` it looks up unknown names there too, for webhooks inside the company's own
 * network.
 */
export function createResolve({ system }: { system: boolean }): Resolve {
  const servers = new Resolver({ timeout: 2_000, tries: 2 })
  return async (name) => {
    // By RFC 6761 these names always mean this machine.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const answers = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    if (system) return (await lookup(name, { all: true })).map(({ address }) => address)
    throw new Error('The name has no address.')
  }
}

/** Caches answers and failures for five seconds. Simultaneous calls for one name share one query. */
export function rememberAnswers(resolve: Resolve): Resolve {
  const kept = new Map<string, { answer: Promise<readonly string[]>; until: number }>()
  return (name) => {
    const now = performance.now()
    const known = kept.get(name)
    if (known !== undefined && known.until > now) return known.answer
    const answer = resolve(name)
    // The caller gets the failure. This copy of the promise must not end the process.
    answer.catch(() => {})
    kept.delete(name)
    kept.set(name, { answer, until: now + KEPT_MS })
    if (kept.size > KEPT_NAMES_MAX) kept.delete(kept.keys().next().value as string)
    return answer
  }
}
