import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** The registry of metrics of a process. Each part of the service registers its own at its start. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** A metric with one value. Null: it is absent, as it is before the first value. */
export type SingleGauge = { set(value: number | null): void }

/** Makes a metric without labels that is absent while nobody knows its value; prom-client would show 0. */
export function createSingleGauge(metrics: Registry, name: string, help: string): SingleGauge {
  const gauge = new Gauge({ name, help, registers: [metrics] })
  gauge.remove()
  return {
    set(value) {
      if (value === null) gauge.remove()
      else gauge.set(value)
    },
  }
}

/** Serves the metrics for Prometheus on a separate port, which no proxy forwards. Resolves once it listens. */
export function serveMetrics(metrics: Registry, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.metrics().then(
      (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
