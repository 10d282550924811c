import type { RequestLog } from '../../src/request-log/request-log.ts'

/** No call is noted. */
export * from '../../src/request-log/request-log.ts'
export function createRequestLog(): RequestLog {
  return { record() {}, async close() {} }
}
