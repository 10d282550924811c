import type { ErrorTable } from '../../src/platform/http/route.ts'

/** What the page needs of a route. */
export type RouteErrors = { readonly method: string; readonly path: string; readonly errors: ErrorTable }

export type ErrorPage = {
  /** Every code with its sentence. */
  messages: Readonly<Record<string, string>>
  /** Every `failure_code` with its sentence. */
  failures: Readonly<Record<string, string>>
  routes: readonly RouteErrors[]
  /** What every route can answer, whatever its own table says. */
  everywhere: ErrorTable
}

const heading = `# Errors

Written from the declarations of the routes by \`npm run derive\`; a test fails when this page is stale.

Every refusal and fault has the body \`{"error": {"code": "…", "message": "…"}}\`. Test the code, which is stable; the message
is for people and may change. A 5xx is a fault of the service, never of the request: send the same request again with the
same \`Idempotency-Key\`.
`

/** The page docs/errors.md: each code with its sentence, its status and the routes that answer it. */
export function renderErrors({ messages, failures, routes, everywhere }: ErrorPage): string {
  const rows = Object.entries(messages).flatMap(([code, message]) =>
    placesOf(code, routes, everywhere).map(({ status, where }) => ({ code, message, status, where })),
  )
  rows.sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return [
    heading,
    '| Status | Code | Message | Routes |',
    '|---|---|---|---|',
    ...rows.map(({ status, code, message, where }) => `| ${status} | \`${code}\` | ${message} | ${where} |`),
    '',
    '## Why a payment failed',
    '',
    'The closed list of `failure_code`, the same on every operator, with its `failure_message`.',
    '',
    '| failure_code | failure_message |',
    '|---|---|',
    ...Object.entries(failures).map(([code, message]) => `| \`${code}\` | ${message} |`),
    '',
  ].join('\n')
}

/** Where a code is answered, one line for each status it has: some have another one on some routes. */
function placesOf(code: string, routes: readonly RouteErrors[], everywhere: ErrorTable) {
  const places = new Map<number, string[]>()
  const add = (errors: ErrorTable, place: string) => {
    for (const [status, codes] of Object.entries(errors)) {
      if (!(codes as readonly string[]).includes(code)) continue
      places.set(Number(status), [...(places.get(Number(status)) ?? []), place])
    }
  }
  add(everywhere, 'every route')
  for (const { method, path, errors } of routes) add(errors, `\`${method} ${path}\``)
  return [...places].map(([status, where]) => ({
    status,
    where: where.includes('every route') ? 'every route' : where.join(', '),
  }))
}
