import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { type ErrorCode, errorMessages } from '../../values/error-codes.ts'
import { idPattern } from '../../values/ids.ts'
import type { Brand } from '../config.ts'
import { type DescribedWebhook, describeWebhooks, webhookHeaders } from './openapi-webhooks.ts'
import type { ErrorTable, Route } from './route.ts'

type Json = { [name: string]: unknown }

/** The refusals of the authenticator and the server, beside a route's own table. */
function refusalsOfAuth(route: Route): ErrorTable {
  if (route.auth === 'open') return { 400: ['invalid_request'], 429: ['rate_limit_exceeded'] }
  return {
    400: ['invalid_request'],
    401: ['authentication_required', 'invalid_api_key'],
    403: route.scope === undefined || route.scope === 'any' ? [] : ['insufficient_scope'],
    429: ['rate_limit_exceeded'],
  }
}

/** The contents of the description besides the routes. */
export type Described = {
  readonly brand: Pick<Brand, 'name' | 'header_prefix' | 'legacy_header_prefix' | 'key_prefix'>
  /** The introduction that a developer reads first, in Markdown. */
  readonly introduction: string
  readonly webhooks: readonly DescribedWebhook[]
  /** Answers as they were given once, by operation and status. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/**
 * The OpenAPI 3.1 description of the routes and webhooks, written from their declarations. The same routes always give the same text,
 * so that it can be committed and compared. A schema with an `$id` becomes a named component.
 */
export function openApiDocument(
  routes: readonly Route[],
  { brand, version, introduction, webhooks, answers }: Described & { readonly version: string },
): Json {
  const schemas: Json = { Error: errorSchema }
  const paths: { [path: string]: Json } = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operation(route, { brand, version, answers }, schemas),
    }
  }
  const described = describeWebhooks(webhooks, (schema) => plainSchema(schema, schemas))
  const tags = [...new Set([...routes.flatMap((route) => route.tags), 'Webhooks'])]
  return {
    openapi: '3.1.0',
    info: { title: `${brand.name} API`, version, description: introduction },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({ name })),
    security: [{ secretKey: [] }],
    paths,
    webhooks: described,
    components: {
      securitySchemes: {
        secretKey: {
          type: 'http',
          scheme: 'bearer',
          description: `A secret key, \`${brand.key_prefix}_sk_test_…\` or \`${brand.key_prefix}_sk_live_…\`. The key selects the environment.`,
        },
      },
      headers: commonHeaders,
      parameters: webhookHeaders(brand),
      schemas: sorted(schemas),
    },
  }
}

/** The schema of a body, whose optional fields may also be null, as absent ones (`nullRemover`). */
function withNulls(schema: Json): Json {
  const { properties, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] }
  if (properties === undefined) return schema
  const fields = Object.entries(properties).map(([name, property]) => {
    const { description, ...held } = withNulls(property)
    const takesAnything = Object.keys(held).length === 0
    if (required.includes(name) || takesAnything) return [name, { ...held, description }]
    return [name, { anyOf: [held, { type: 'null' }], description }]
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}

/** The names that every operation writes. */
type Written = Pick<Described, 'answers'> & { readonly brand: Pick<Brand, 'header_prefix'>; readonly version: string }

function operation(route: Route, written: Written, schemas: Json): Json {
  return {
    operationId: route.operation,
    summary: route.summary,
    ...(route.description === null ? {} : { description: route.description }),
    ...(route.tags.length === 0 ? {} : { tags: route.tags }),
    ...(route.auth === 'open' ? { security: [] } : {}),
    ...(route.scope === undefined ? {} : { 'x-scope': route.scope }),
    parameters: parameters(route, written),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: `A JSON object of at most ${route.bodyMaxBytes} bytes.`,
            content: {
              'application/json': {
                schema: withNulls(plainSchema(route.body, schemas)),
                ...(route.example.body === undefined ? {} : { example: route.example.body }),
              },
            },
          },
        }),
    responses: responses(route, written, schemas),
  }
}

function parameters(route: Route, { brand, version }: Written): Json[] {
  const found: Json[] = []
  for (const [name, prefixes] of route.params) {
    const schema = { type: 'string', ...(prefixes === null ? {} : { pattern: idPattern(prefixes.join('|')) }) }
    const description = route.paramDescriptions[name]
    found.push({ name, in: 'path', required: true, ...(description === undefined ? {} : { description }), schema })
  }
  const required = new Set((route.query as { required?: string[] } | undefined)?.required)
  for (const [name, property] of Object.entries(route.query?.properties ?? {})) {
    const { description, ...schema } = plainSchema(property as TSchema, {})
    found.push({
      name,
      in: 'query',
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(route.example.query?.[name] === undefined ? {} : { example: route.example.query[name] }),
    })
  }
  if (route.idempotent !== undefined) {
    found.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: route.idempotent === true,
      description:
        'Your own name for this operation. A repeated request with the same key and body gets the first answer and has no other effect; ' +
        'use a new key for every new operation.',
      schema: { type: 'string', minLength: 8, maxLength: 255, pattern: '^[!-~][ -~]*[!-~]$' },
      ...(route.example.body === undefined ? {} : { example: `try-${route.operation}-1` }),
    })
  }
  found.push({
    name: `${brand.header_prefix}-Version`,
    in: 'header',
    required: false,
    description: 'The version of the interface that the client was written for. Any other is refused.',
    schema: { type: 'string', const: version },
  })
  return found
}

function responses(route: Route, { brand, answers }: Written, schemas: Json): Json {
  const requestId = { [`${brand.header_prefix}-Request-Id`]: { $ref: '#/components/headers/RequestId' } }
  const found: Json = {}
  for (const [status, schema] of Object.entries(route.replies)) {
    const example = answers[route.operation]?.[status]
    found[status] = {
      description: descriptionOf(schema) ?? STATUS_CODES[status] ?? '',
      headers: requestId,
      content: {
        'application/json': { schema: plainSchema(schema, schemas), ...(example === undefined ? {} : { example }) },
      },
    }
  }
  const common = refusalsOfAuth(route)
  const statuses = new Set([...Object.keys(route.errors), ...Object.keys(common)].map(Number))
  for (const status of statuses) {
    const codes = [...new Set([...(route.errors[status] ?? []), ...(common[status] ?? [])])]
    if (codes.length === 0) continue
    found[status] = {
      description: codes.map((code) => `\`${code}\`: ${asMarkdown(errorMessages[code])}`).join('\n\n'),
      headers: status === 429 ? { ...requestId, ...rateHeaders } : requestId,
      content: { 'application/json': { schema: errorSchemaOf(codes), example: errorExample(codes[0]!) } },
    }
  }
  return sorted(found)
}

/** The words of the two fields of a refusal that a schema of some codes repeats. */
const REASON = 'The reason of a refusal or a failure.'
const STABLE = 'Stable: test this one.'

const errorSchema = {
  type: 'object',
  description: 'A refusal, or a failure of the service.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: STABLE },
        message: { type: 'string', description: 'A sentence for people. It may change.' },
      },
      description: REASON,
    },
  },
}

function errorSchemaOf(codes: readonly ErrorCode[]): Json {
  const code = { enum: codes, description: STABLE }
  return {
    allOf: [{ $ref: '#/components/schemas/Error' }],
    properties: { error: { properties: { code }, description: REASON } },
  }
}

function errorExample(code: ErrorCode): Json {
  return { error: { code, message: errorMessages[code] } }
}

const commonHeaders = {
  RequestId: {
    description: 'The identifier of the request, to quote to support.',
    schema: { type: 'string', format: 'uuid' },
  },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer' } },
  RateLimitLimit: { description: 'Requests allowed in a minute.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Requests left in the current window.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'Seconds until the window starts again.', schema: { type: 'integer' } },
}

const rateHeaders = {
  'Retry-After': { $ref: '#/components/headers/RetryAfter' },
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
}

/** Descriptions are Markdown, in which `<key>` would be a tag. */
function asMarkdown(text: string): string {
  return text.replaceAll('<', '&lt;')
}

function descriptionOf(schema: TSchema): string | undefined {
  return (schema as { description?: string }).description
}

/** A TypeBox schema without what only TypeBox reads; named ones are moved to the components and referred to. */
function plainSchema(schema: TSchema, schemas: Json): Json {
  return withoutNamed(JSON.parse(JSON.stringify(schema)), schemas) as Json
}

function withoutNamed(value: unknown, schemas: Json): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withoutNamed(item, schemas))
  const { $id, ...rest } = value as Json
  const plain = Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, withoutNamed(item, schemas)]))
  if (typeof $id !== 'string') return plain
  schemas[$id] = plain
  return { $ref: `#/components/schemas/${$id}` }
}

function sorted(object: Json): Json {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)))
}
