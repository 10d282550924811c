import { lookup, Resolver } from 'node:dns/promises'

/** Finds every address of a name, IPv4 and IPv6. Rejects when there is none or nobody answers. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** An answer is used again for this long, so that a burst to one merchant asks once. */
const KEPT_MS = 5_000
const KEPT_NAMES_MAX = 1_000

/**
 * Asks the name servers of this machine directly. The system's own `getaddrinfo` would also do, but runs on four threads
 * shared by the whole process: a few merchants whose name servers never answer would hold up everybody.
 *
 * It knows neither /etc/hosts nor search domains. With `system`, a name that the name servers do not know is looked up
 * there too: for those who send webhooks inside their own network.
 */
export function createResolve({ system }: { system: boolean }): Resolve {
  const servers = new Resolver({ timeout: 2_000, tries: 2 })
  return async (name) => {
    // By RFC 6761 these names are this machine, whatever a name server says.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const answers = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    if (system) return (await lookup(name, { all: true })).map(({ address }) => address)
    throw new Error('The name has no address.')
  }
}

/** Remembers answers, and that there was none, for five seconds; calls for the same name share one question. */
export function rememberAnswers(resolve: Resolve): Resolve {
  const kept = new Map<string, { answer: Promise<readonly string[]>; until: number }>()
  return (name) => {
    const now = performance.now()
    const known = kept.get(name)
    if (known !== undefined && known.until > now) return known.answer
    const answer = resolve(name)
    // The caller hears of the failure; this copy of the promise must not end the process.
    answer.catch(() => {})
    kept.delete(name)
    kept.set(name, { answer, until: now + KEPT_MS })
    if (kept.size > KEPT_NAMES_MAX) kept.delete(kept.keys().next().value as string)
    return answer
  }
}
