import type { IncomingHttpHeaders } from 'node:http'

/** One request to an operator. Its headers and body may hold secrets and numbers: nothing of them is ever logged. */
export type OperatorRequest = {
  method: 'GET' | 'POST' | 'PUT'
  /** Behind the base address, with its query. */
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** For everything together: name, connection, headers and body. */
  deadline_ms?: number
}

/**
 * How a request ended.
 * - `answered`: the whole answer is here; its status decides nothing by itself. `json` is absent where the body is not JSON;
 * - `not_sent`: this client knows that no byte of the request was written;
 * - `lost`: anything else. The operator may have carried it out.
 */
export type OperatorReply =
  | { kind: 'answered'; status: number; headers: IncomingHttpHeaders; body: string; json?: unknown }
  | { kind: 'not_sent'; reason: string }
  | { kind: 'lost'; reason: string }

/** The one way to operators: nothing is thrown, whatever happens is a reply. */
export type OperatorHttp = {
  call(request: OperatorRequest): Promise<OperatorReply>
  /** Ends every connection. */
  close(): Promise<void>
}
