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

/** A page of the port of metrics: its text for the query of the request. */
export type MetricsPage = { readonly type: string; read(query: URLSearchParams): Promise<string> }

/**
 * Serves the metrics for Prometheus, and other pages for the company's own watch, on a separate port, which no proxy forwards. Resolves once it
 * listens.
 * @param pages by their path
 */
export function serveMetrics(
  metrics: Registry,
  { host, port, pages }: { host: string; port: number; pages: Readonly<Record<string, MetricsPage>> },
): Promise<Server> {
  const all: Readonly<Record<string, MetricsPage>> = {
    ...pages,
    '/metrics': { type: Registry.PROMETHEUS_CONTENT_TYPE, read: () => metrics.metrics() },
  }
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://metrics')
    const page = request.method === 'GET' && url !== null ? all[url.pathname] : undefined
    if (page === undefined) {
      response.writeHead(404).end()
      return
    }
    page.read(url!.searchParams).then(
      (text) => response.writeHead(200, { 'content-type': page.type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
