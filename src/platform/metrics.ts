import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Registry } from 'prom-client'

/**
 * Where figures are registered; one for each process. Each part of the service registers its own when it starts.
 * @param name of the process among those of one service, which every figure then carries as the label `process`
 */
export function createMetrics(name?: string): Registry {
  const registry = new Registry()
  if (name !== undefined) registry.setDefaultLabels({ process: name })
  collectDefaultMetrics({ register: registry })
  return registry
}

/**
 * Serves the figures for Prometheus on a port of their own, which no proxy forwards. Resolves once it listens.
 * @param read gives them as text when they are asked for
 */
export function serveMetrics(read: () => Promise<string>, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    read().then(
      (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

/**
 * The figures of several processes as one text. Each of them carries the name of its process, so that all are kept as they are:
 * a sum would fall when a process is replaced, and whoever watches its growth would see a jump that never was.
 */
export function joinFigures(texts: readonly string[]): string {
  const heads = new Map<string, string[]>()
  const figures = new Map<string, string[]>()
  for (const text of texts) {
    let name = ''
    for (const line of text.split('\n')) {
      const [, head, named] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (named !== undefined) name = named
      if (line === '') continue
      // What a figure means is said once, before all of its lines.
      const list = head === undefined ? figures : heads
      const lines = list.get(name) ?? []
      if (head === undefined || !lines.includes(line)) lines.push(line)
      list.set(name, lines)
    }
  }
  return [...heads].map(([name, head]) => [...head, ...(figures.get(name) ?? []), ''].join('\n')).join('\n')
}
