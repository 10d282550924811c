import { Gauge, type Registry } from 'prom-client'
import type { RequestContext } from './request-context.ts'

/** How often late requests are looked for: they are answered by so much after their deadline at most. */
const WATCH_EVERY_MS = 250

export type InFlight = ReturnType<typeof createInFlight>

/** The requests that wait for their answer. */
export function createInFlight(metrics: Registry) {
  // Not a set: one that changes with every request is written anew every few hundred of them, and what it was written in before, grown
  // old, keeps all that stood there from being collected while it is young.
  const contexts: RequestContext[] = []

  new Gauge({
    name: 'bandama_http_requests_in_flight',
    help: 'Requests that wait for their answer.',
    registers: [metrics],
    collect() {
      this.set(contexts.length)
    },
  })

  return {
    size: () => contexts.length,
    add(context: RequestContext): void {
      context.place = contexts.length
      contexts.push(context)
    },
    /** The last one takes its place. */
    remove({ place }: RequestContext): void {
      const last = contexts.pop()!
      if (last.place === place) return
      contexts[place] = last
      last.place = place
    },
    contexts: () => [...contexts],
  }
}

/**
 * Tells of requests whose answer is late. One glance over those in flight does instead of a timer for each. A body that does not come
 * is not our delay: Node sees to it that requests arrive in time.
 * @param deadlineMs of a route that names none
 * @returns ends it
 */
export function watchDeadlines(
  inFlight: InFlight,
  deadlineMs: number,
  onLate: (context: RequestContext, deadline_ms: number) => void,
): () => void {
  const watch = setInterval(() => {
    const now = performance.now()
    for (const context of inFlight.contexts()) {
      const deadline = context.route?.deadlineMs ?? deadlineMs
      const isLate = now - context.waitingSince > deadline && !context.readingBody && !context.inLine
      if (isLate) onLate(context, deadline)
    }
  }, WATCH_EVERY_MS).unref()
  return () => clearInterval(watch)
}
