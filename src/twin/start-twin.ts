import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunningApi } from './api.ts'
import { apis } from './apis.ts'
import { createCallbacks } from './callbacks.ts'
import { createOperations } from './operations.ts'
import { createPhones } from './phones.ts'
import type { TwinState } from './state.ts'
import { openStateFile } from './state-file.ts'
import { createSteering, type Steering } from './steering.ts'
import { serveSteering } from './steering-routes.ts'
import { servePhones } from './telephones/serve.ts'
import { createTime } from './time.ts'
import { FaultInstead, giveAnswer, readBody, type TwinRequest, takeFault, write } from './wire.ts'

export type TwinOptions = {
  /** The port. 0: any free one. */
  port?: number
  host?: string
  /** The file of the state. Null: the state is only in memory. */
  state_file?: string | null
  /** The first balance of a phone's account, in francs. Absent: 250 000. */
  first_balance?: number
}

/** A running twin, with the steering of `/_twin/` as functions. */
export type RunningTwin = Steering & {
  /** The URL, such as http://127.0.0.1:4010, without a path. */
  url: string
  /** Closes every connection, and writes the state to its file if there is one. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the operators' twin in this process: the APIs, the phones and the steering on one port.
 * @throws the error of an unusable port or state file
 */
export async function startTwin(options: TwinOptions = {}): Promise<RunningTwin> {
  const { port = 0, host = '127.0.0.1', state_file = null } = options
  const { state, file } = await openStateFile(state_file)
  const time = createTime(state, file.changed)
  const phones = createPhones(state, time, options.first_balance)
  const running = new Map<string, RunningApi>()
  const callbacks = createCallbacks(state, time, (api) => running.get(api)?.sender)
  let version = 0
  let notice = Promise.withResolvers<void>()
  /** Wakes the phones and helpers that wait for a change. */
  function changed(): void {
    file.changed()
    version += 1
    notice.resolve()
    notice = Promise.withResolvers()
  }
  const operations = createOperations(state, time, phones, (operation) => {
    running.get(operation.api)?.changed(operation)
    changed()
  })
  let url = ''
  for (const api of apis) {
    const kept = state.apis[api.name] ?? { settings: {}, memory: {} }
    const own = { ...kept, settings: { ...structuredClone(api.settings), ...kept.settings } }
    state.apis[api.name] = own
    running.set(api.name, api.open({ own, time, phones, operations, callbacks, url: () => url }))
  }
  const nextChange = (): Promise<void> => notice.promise
  const steering = createSteering({ state, time, phones, operations, running, nextChange, changed })
  const telephones = servePhones({ time, phones, operations, version: () => version, nextChange, changed })

  const parts: Serving = { state, file, running, steering, telephones }
  const server = createServer((incoming, outgoing) => {
    // An error of a client that disconnects needs no answer.
    outgoing.on('error', () => {})
    serve(parts, incoming, outgoing).catch((error: unknown) => {
      if (outgoing.headersSent || incoming.destroyed) outgoing.destroy()
      else write(outgoing, { status: 500, body: { error: `The twin itself failed: ${String(error)}` } })
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  time.start()

  async function close(): Promise<void> {
    time.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await file.close()
  }
  return { ...steering, url, close, [Symbol.asyncDispose]: close }
}

type Serving = {
  readonly state: TwinState
  readonly file: Awaited<ReturnType<typeof openStateFile>>['file']
  readonly running: ReadonlyMap<string, RunningApi>
  readonly steering: Steering
  readonly telephones: ReturnType<typeof servePhones>
}

async function answerApi(
  { state, file }: Serving,
  api: RunningApi,
  name: string,
  request: TwinRequest,
  outgoing: ServerResponse,
): Promise<void> {
  const answer = await api.handle(request).catch((error: unknown) => {
    if (error instanceof FaultInstead) return api.failure(500)
    throw error
  })
  if (!request.matched) takeFault(state.faults, request, 'other', { api: name })
  file.changed()
  await giveAnswer(outgoing, answer, request.fault, api.failure)
}

async function serve(parts: Serving, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { running, telephones, steering } = parts
  const asked = new URL(incoming.url ?? '/', 'http://twin')
  const [, first = ''] = asked.pathname.split('/')
  const body = await readBody(incoming)
  if (body === null) return write(outgoing, { status: 413 })
  const api = running.get(first)
  const request: TwinRequest = {
    method: incoming.method ?? 'GET',
    path: asked.pathname.slice(first.length + 1) || '/',
    whole_path: asked.pathname,
    query: asked.searchParams,
    headers: incoming.headers,
    body,
    fault: null,
    matched: false,
  }
  if (api !== undefined) return await answerApi(parts, api, first, request, outgoing)
  if (first === 'phones') return write(outgoing, await telephones(request))
  if (first === '_twin') return write(outgoing, await serveSteering(steering, request))
  write(outgoing, {
    status: 404,
    body: {
      error: `The twin serves /_twin, /phones and ${[...running.keys()].map((name) => `/${name}`).join(', ')}.`,
    },
  })
}
