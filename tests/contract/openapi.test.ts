import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiRoutes } from '../../src/app/routes.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkHeaders, checkPayment, checkRefusal } from './answers.ts'
import { refusalsOf, routes, VERSION } from './interface.ts'
import { paymentFields } from './payment-fields.ts'

let installation: Installation
before(async () => {
  installation = await openInstallation({ processes: [['--only', 'api']] })
})
after(() => installation[Symbol.asyncDispose]())

type Json = { [name: string]: unknown }
type Parameter = { name: string; in: string; required: boolean; schema: Json }
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Json }
  responses: Record<string, { description: string; headers: Json; content: Record<string, { schema: Json }> }>
}
type Document = {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties: Json; required: string[] }>; securitySchemes: Json }
  security: Json[]
}

async function readDocument(): Promise<Document> {
  const answer = await installation.ask({ path: '/openapi.json' })
  assert.equal(answer.status, 200)
  checkHeaders(answer)
  return answer.json() as Document
}

/** Each operation with its method and path as the interface writes them. */
async function operations(): Promise<[name: string, operation: Operation][]> {
  const { paths } = await readDocument()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      operation,
    ]),
  )
}

test('the service describes itself in OpenAPI 3.1, without a key', async () => {
  const document = await readDocument()
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual([document.info.title, document.info.version], ['Bandama API', VERSION])
  const known = ['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'webhooks', 'components']
  assert.deepEqual(
    Object.keys(document).filter((name) => !known.includes(name)),
    [],
  )
  assert.deepEqual(Object.keys(document.security[0]!), Object.keys(document.components.securitySchemes))
  checkRefusal(await installation.ask({ path: '/openapi.json', method: 'POST' }), 405, 'method_not_allowed')
})

test('it has every route once, complete', async () => {
  const described = await operations()
  assert.deepEqual(
    described.map(([name]) => name).sort(),
    routes.map(({ method, path }) => `${method} ${path}`).sort(),
    'tests/contract/interface.ts promises the routes under /v1-, and extensions.ts beside it those under /x/',
  )
  assert.equal(described.length, apiRoutes.length)
  assert.equal(new Set(described.map(([, { operationId }]) => operationId)).size, described.length)
  for (const [name, { summary, tags, parameters, requestBody, responses }] of described) {
    assert.ok(summary.length > 0 && tags.length > 0, name)
    const inPath = parameters.filter((one) => one.in === 'path')
    assert.deepEqual(inPath.map((one) => one.name).sort(), [...name.matchAll(/:(\w+)/g)].map(([, one]) => one).sort())
    assert.ok(
      inPath.every(({ required }) => required),
      name,
    )
    for (const { schema } of parameters) assert.ok(schema.type === 'string' || Array.isArray(schema.enum), name)
    if (requestBody !== undefined) assert.deepEqual(Object.keys(requestBody.content), ['application/json'])
    for (const [status, { description, content }] of Object.entries(responses)) {
      assert.match(status, /^[245]\d\d$/)
      assert.ok(description.length > 0 && content['application/json']?.schema !== undefined, `${name} ${status}`)
    }
  }
})

test('it lists the answers of the interface, status by status', async () => {
  const described = new Map(await operations())
  for (const route of routes) {
    const name = `${route.method} ${route.path}`
    const { responses } = described.get(name)!
    const listed = Object.entries(responses).flatMap(([status, { content }]) =>
      codesIn(content['application/json']!.schema).map((code) => `${status} ${code}`),
    )
    assert.deepEqual(
      listed.sort(),
      refusalsOf(route)
        .map((refusal) => refusal.join(' '))
        .sort(),
      name,
    )
    const successes = Object.keys(responses).filter((status) => status < '400')
    assert.deepEqual(successes.map(Number), route.successes, name)
  }
})

/** The codes of a refusal's schema; none for a success. */
function codesIn(schema: Json): string[] {
  const error = (schema.properties as { error?: { properties: { code: { enum: string[] } } } } | undefined)?.error
  return error?.properties.code.enum ?? []
}

test('its references exist, and it holds only JSON Schema', async () => {
  const document = await readDocument()
  const text = JSON.stringify(document)
  assert.doesNotMatch(text, /"~|"\$id"/)
  for (const [, reference] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = reference!.split('/').reduce<unknown>((at, name) => (at as Json | undefined)?.[name], document)
    assert.ok(target !== undefined, String(reference))
  }
  assert.doesNotMatch(text, /"\$ref":"[^#]/)
})

test('its schema of a payment matches the answers', async () => {
  const { Payment } = (await readDocument()).components.schemas
  // Fields that an answer leaves out at times.
  const { next_action, amount_refunded, checkout_session_id, ...properties } = Payment!.properties
  for (const property of [next_action, amount_refunded, checkout_session_id]) assert.ok(property !== undefined)
  const where =
    'tests/contract/payment-fields.ts lists the fields of every payment; this test names those that are left out at times'
  assert.deepEqual(Object.keys(properties), Object.keys(paymentFields), where)
  assert.deepEqual(Payment!.required, Object.keys(paymentFields))
  const { key } = await installation.newMerchant()
  assert.deepEqual(Object.keys(checkPayment(await installation.pay(key, { amount: 1 }), 201)), Payment!.required)
})

test('its page loads nothing from other hosts', async () => {
  const page = await installation.ask({ path: '/docs/try' })
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
  assert.ok(parts.length > 0)
  const home = installation.services[0]!.address
  for (const part of parts) {
    const { origin, pathname } = new URL(part, `${home}/docs/try`)
    assert.equal(origin, home, part)
    const { status, headers, text } = await installation.ask({ path: pathname })
    assert.equal(status, 200, part)
    assert.equal(headers['service-request-id'], headers['legacy-request-id'], part)
    // Style sheets load nothing from elsewhere; the addresses in the library's scripts are in its comments.
    if (pathname.endsWith('.css')) assert.doesNotMatch(text, /(?:@import|url\()\s*["']?(?:https?:)?\/\//)
  }
  assert.doesNotMatch(page.text, /(?:https?:)?\/\/[a-z0-9.-]+\//i)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
})
