import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Registry } from 'prom-client'

/** The registry of metrics of a process. Each part of the service registers its own at its start. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
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
