import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertCommonHeaders, assertRefusal, openTestServer, sampleRoutes } from '../../../tests/harness/http-server.ts'
import { contractRoutes } from './docs.ts'
import { openApiDocument } from './openapi.ts'

const brand = { name: 'Bandama', header_prefix: 'Service', legacy_header_prefix: 'Legacy', key_prefix: 'bdm' }

const introduction = 'What this is.'

type Schema = { enum?: string[]; $ref?: string; properties?: Record<string, Schema>; allOf?: Schema[] }
type Operation = {
  operationId: string
  security?: unknown[]
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { headers: object; content: Record<string, { schema: Schema }> }>
}
type Document = { openapi: string; paths: Record<string, Record<string, Operation>>; components: { schemas: object } }

describe('the description of the routes', () => {
  const document = openApiDocument(sampleRoutes, {
    brand,
    version: '2026-08-25',
    introduction,
    webhooks: [],
    answers: {},
  }) as unknown as Document
  const codesOf = (operation: Operation, status: number) =>
    operation.responses[status]?.content['application/json']?.schema.properties?.error?.properties?.code?.enum

  test('has every route, and is the same text every time', () => {
    const again = openApiDocument(sampleRoutes, {
      brand,
      version: '2026-08-25',
      introduction,
      webhooks: [],
      answers: {},
    })
    assert.equal(JSON.stringify(document), JSON.stringify(again))
    assert.equal(document.openapi, '3.1.0')
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    )
    assert.deepEqual(operations, [
      'post /v1-things createThing',
      'get /v1-things/{thing_id} getThing',
      'post /v1-things/{thing_id}/execute executeThing',
      'post /v1-book addEntry',
      'get /x/list list',
    ])
  })

  test('lists under each status the codes of the route and those of its authenticator', () => {
    const create = document.paths['/v1-things']!.post!
    assert.deepEqual(Object.keys(create.responses), ['201', '400', '401', '403', '409', '422', '429', '500'])
    assert.deepEqual(codesOf(create, 400), ['idempotency_key_required', 'invalid_body', 'invalid_request'])
    assert.deepEqual(codesOf(create, 401), ['authentication_required', 'invalid_api_key'])
    assert.deepEqual(codesOf(create, 403), ['insufficient_scope'])
    assert.deepEqual(codesOf(create, 422), ['invalid_amount', 'invalid_currency', 'idempotency_key_reused'])
    assert.deepEqual(Object.keys(create.responses[429]!.headers), [
      'Service-Request-Id',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
    ])
    const read = document.paths['/v1-things/{thing_id}']!.get!
    assert.equal(codesOf(read, 403), undefined)
    const list = document.paths['/x/list']!.get!
    assert.deepEqual(list.security, [])
    assert.equal(codesOf(list, 401), undefined)
  })

  test('names the parameters and whether they are required', () => {
    const named = (path: string, method: string) =>
      document.paths[path]![method]!.parameters.map(({ name, required }) => `${name}${required ? '!' : ''}`)
    assert.deepEqual(named('/v1-things', 'post'), ['Idempotency-Key!', 'Service-Version'])
    assert.deepEqual(named('/v1-book', 'post'), ['Idempotency-Key', 'Service-Version'])
    assert.deepEqual(named('/v1-things/{thing_id}', 'get'), ['thing_id!', 'Service-Version'])
    assert.deepEqual(named('/x/list', 'get'), ['active', 'name', 'Service-Version'])
  })

  test('holds plain JSON Schema whose references all lead somewhere', () => {
    const text = JSON.stringify(document)
    assert.doesNotMatch(text, /"~|"\$id"/)
    const references = [...text.matchAll(/"\$ref":"#([^"]+)"/g)].map(([, path]) => path!)
    assert.ok(references.includes('/components/schemas/Thing'))
    for (const reference of references) {
      const target = reference
        .split('/')
        .slice(1)
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
      assert.ok(target !== undefined, reference)
    }
  })
})

describe('the documentation', () => {
  let server: Awaited<ReturnType<typeof openTestServer>>
  before(async () => {
    server = await openTestServer({
      routes: [
        ...sampleRoutes,
        ...(await contractRoutes(
          openApiDocument(sampleRoutes, { brand, version: '2026-08-25', introduction, webhooks: [], answers: {} }),
          brand,
        )),
      ],
    })
  })
  after(() => server[Symbol.asyncDispose]())
  const get = (path: string) => fetch(`${server.url}${path}`)

  test('serves the description, with the headers of every answer', async () => {
    const answer = await get('/openapi.json')
    assertCommonHeaders(answer)
    const served = await answer.text()
    assert.deepEqual(
      JSON.parse(served),
      JSON.parse(
        JSON.stringify(
          openApiDocument(sampleRoutes, { brand, version: '2026-08-25', introduction, webhooks: [], answers: {} }),
        ),
      ),
    )
  })

  test('is a page that asks for nothing outside and holds no script of its own', async () => {
    const page = await get('/docs/try')
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.headers.get('service-request-id') ?? '', /^[0-9a-f-]{36}$/)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|https?:/)
    const html = await page.text()
    assert.match(html, /<title>Bandama API<\/title>/)
    assert.doesNotMatch(html, /\b(?:https?:)?\/\/[a-z]|<script(?![^>]*\bsrc=)|\bon\w+=|<style|\bstyle=/i)

    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    assert.ok(parts.length >= 5)
    for (const part of parts) {
      const answer = await get(new URL(part, `${server.url}/docs/try`).pathname)
      assert.equal(answer.status, 200, part)
      assert.ok(answer.headers.has('service-request-id'), part)
      if (part.endsWith('start.js'))
        assert.doesNotMatch(await answer.text(), /validator\.swagger\.io|https?:\/\/(?!stackoverflow)/)
    }
  })

  test('answers an unknown address in the usual form of an error', async () => {
    await assertRefusal(await get('/docs/static/nothing.js'), 404, 'resource_not_found')
    await assertRefusal(await fetch(`${server.url}/openapi.json`, { method: 'POST' }), 405, 'method_not_allowed')
  })
})
