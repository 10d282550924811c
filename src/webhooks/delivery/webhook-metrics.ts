import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type WebhookMetrics = {
  /** Counts an attempt by its end: `delivered`, `answered_otherwise`, or the reason why no answer came. */
  attempted(result: string): void
  /** Observes the seconds from an event to the start of its first attempt. */
  firstAttemptAfter(seconds: number): void
  disabled(): void
}

/** Registers this process's metrics of webhooks. `underWay` is called when the metrics are read. */
export function createWebhookMetrics(registry: Registry, underWay: () => number): WebhookMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'bandama_webhook_attempts_total',
    help: 'Attempts to deliver an event, by result.',
    labelNames: ['result'],
    registers,
  })
  const firstAttempt = new Histogram({
    name: 'bandama_webhook_first_attempt_seconds',
    help: 'Seconds from an event to the start of its first attempt.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
    registers,
  })
  const endpointsDisabled = new Counter({
    name: 'bandama_webhook_endpoints_disabled_total',
    help: 'Endpoints disabled because every attempt failed for days.',
    registers,
  })
  new Gauge({
    name: 'bandama_webhook_attempts_in_flight',
    help: 'Attempts under way in this process.',
    registers,
    collect() {
      this.set(underWay())
    },
  })
  return {
    attempted: (result) => attempts.inc({ result }),
    firstAttemptAfter: (seconds) => firstAttempt.observe(Math.max(0, seconds)),
    disabled: () => endpointsDisabled.inc(),
  }
}
