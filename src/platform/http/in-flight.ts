import { Gauge, type Registry } from 'prom-client'
import type { RequestContext } from './request-context.ts'

/** The interval of the search for late requests, and so the longest delay of an answer after its deadline. */
const WATCH_EVERY_MS = 250

export type InFlight = ReturnType<typeof createInFlight>

/** The requests that wait for their answer. */
export function createInFlight(metrics: Registry) {
  // An array, not a Set: V8 copies the table of a Set after every few hundred changes, and the old tables keep finished requests in memory.
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
    /** Removes a context. The last one of the array takes its index. */
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
 * Calls `onLate` for requests whose answer is late. One periodic check replaces a timer for each request. The time in which a body arrives
 * does not count: Node has its own limit for it.
 * @param deadlineMs the deadline of a route that declares none
 * @returns a function that ends the checks
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
