/** The part of an OpenAPI document from which the page is derived. */
export type Described = {
  paths: Record<string, Record<string, { responses: Record<string, DescribedResponse> }>>
}
type DescribedResponse = {
  content?: {
    'application/json'?: { schema?: { properties?: { error?: { properties?: { code?: { enum?: string[] } } } } } }
  }
}

export type ErrorPage = {
  document: Described
  /** Every code with its sentence. */
  messages: Readonly<Record<string, string>>
  /** Every `failure_code` with its sentence. */
  failures: Readonly<Record<string, string>>
}

type Place = { code: string; status: number; route: string }

const heading = `# Errors

Generated from the declarations of the routes by \`npm run derive\`; a test fails when this page is stale.

Every refusal and fault has the body \`{"error": {"code": "…", "message": "…"}}\`. Test the code, which is stable; the message
is for people and may change. A 5xx is a fault of the service, never of the request: send the same request again with the
same \`Idempotency-Key\`.
`

/** The answers without a matching route. The server gives them itself, so no route declares them. */
const elsewhere: readonly Place[] = [
  { code: 'resource_not_found', status: 404, route: 'an unknown address' },
  { code: 'method_not_allowed', status: 405, route: 'a known address with another method' },
]

/**
 * Derives the page docs/errors.md: each code with its sentence, its status and its routes.
 * @throws when no route answers a code, so that it should not be in the list
 */
export function renderErrors({ document, messages, failures }: ErrorPage): string {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      route: `\`${method.toUpperCase()} ${path}\``,
      responses,
    })),
  )
  const places = [...routes.flatMap(({ route, responses }) => placesOf(route, responses)), ...elsewhere]
  const unused = Object.keys(messages).filter((code) => !places.some((place) => place.code === code))
  if (unused.length > 0) throw new Error(`No route answers ${unused.join(', ')}.`)
  return [
    heading,
    '| Status | Code | Message | Answered by |',
    '|---|---|---|---|',
    ...rowsOf(places, messages, routes.length),
    '',
    '## Why a payment or a payout failed',
    '',
    'The closed list of `failure_code`, the same on every operator, with its `failure_message`. A line of a batch can also',
    'say `insufficient_funds`: the transfer balance did not cover it.',
    '',
    '| failure_code | failure_message |',
    '|---|---|',
    ...Object.entries(failures).map(([code, message]) => `| \`${code}\` | ${message} |`),
    '',
  ].join('\n')
}

function placesOf(route: string, responses: Record<string, DescribedResponse>): Place[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    (content?.['application/json']?.schema?.properties?.error?.properties?.code?.enum ?? []).map((code) => ({
      code,
      status: Number(status),
      route,
    })),
  )
}

/** Returns one line for each code and status, because some codes have different statuses on different routes. */
function rowsOf(places: readonly Place[], messages: Readonly<Record<string, string>>, routes: number): string[] {
  const onEvery = (same: readonly Place[]) => same.filter((place) => !elsewhere.includes(place)).length === routes
  const lines = [...Map.groupBy(places, ({ code, status }) => `${status} ${code}`).values()]
  return lines
    .sort(([a], [b]) => a!.status - b!.status || (a!.code < b!.code ? -1 : 1))
    .map((same) => {
      const { code, status } = same[0]!
      const where = onEvery(same) ? 'every route' : same.map(({ route }) => route).join(', ')
      return `| ${status} | \`${code}\` | ${messages[code]} | ${where} |`
    })
}
