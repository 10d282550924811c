import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

// `openapi.json` against the text of OpenAPI 3.1, as far as this document uses it: which fields each object may have and
// must have, and what stands in them. A keyword that is not in these tables is one that nobody has thought about.

type Json = { [name: string]: unknown }
type Check = (value: unknown, at: string) => void

const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')) as Json

const text: Check = (value, at) => assert.ok(typeof value === 'string' && value.length > 0, `${at} is a text`)
const flag: Check = (value, at) => assert.equal(typeof value, 'boolean', at)
const count: Check = (value, at) => assert.ok(Number.isSafeInteger(value) && Number(value) >= 0, `${at} is a count`)
const number: Check = (value, at) => assert.equal(typeof value, 'number', at)
const anything: Check = () => {}

const list =
  (check: Check): Check =>
  (value, at) => {
    assert.ok(Array.isArray(value), `${at} is a list`)
    for (const [rank, item] of value.entries()) check(item, `${at}[${rank}]`)
  }

const map =
  (check: Check, name = /./): Check =>
  (value, at) => {
    for (const [key, held] of Object.entries(value as Json)) {
      assert.match(key, name, at)
      check(held, `${at}.${key}`)
    }
  }

/** An object with these fields and no others; those whose name ends with `!` must be there. */
function object(fields: () => Record<string, Check>): Check {
  return (value, at) => {
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${at} is an object`)
    const known = new Map(Object.entries(fields()).map(([name, check]) => [name.replace('!', ''), check]))
    for (const name of Object.keys(fields())) {
      if (name.endsWith('!')) assert.ok(name.slice(0, -1) in value, `${at} has ${name}`)
    }
    for (const [name, held] of Object.entries(value)) {
      const check = known.get(name)
      assert.ok(check !== undefined, `${at} knows no ${name}`)
      check(held, `${at}.${name}`)
    }
  }
}

const reference = object(() => ({ '$ref!': refersTo }))
const refersTo: Check = (value, at) => {
  assert.match(String(value), /^#\/components\/(?:schemas|headers|parameters)\/\w+$/, at)
  const [, , kind, name] = String(value).split('/')
  assert.ok((document.components as Record<string, Json>)[kind!]![name!] !== undefined, `${at} leads somewhere`)
}
const orReference =
  (check: Check): Check =>
  (value, at) =>
    (typeof value === 'object' && value !== null && '$ref' in value ? reference : check)(value, at)

const jsonTypes = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']
const schemaFields = object(() => ({
  type: (value, at) => assert.ok(jsonTypes.includes(String(value)), at),
  properties: map(schema),
  patternProperties: map(schema),
  additionalProperties: (value, at) => (typeof value === 'boolean' ? undefined : schema(value, at)),
  items: schema,
  required: list(text),
  enum: (value, at) => {
    list(anything)(value, at)
    assert.equal(new Set(value as unknown[]).size, (value as unknown[]).length, `${at}: each once`)
  },
  const: anything,
  anyOf: list(schema),
  allOf: list(schema),
  description: text,
  format: (value, at) => assert.ok(['date', 'date-time', 'uuid', 'uri'].includes(String(value)), `${at}: ${value}`),
  pattern: (value, at) => void new RegExp(String(value), 'u').test(at),
  minimum: number,
  maximum: number,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  maxProperties: count,
  default: anything,
}))
function schema(value: unknown, at: string): void {
  orReference(schemaFields)(value, at)
  const { required = [], properties = {}, type, allOf } = value as { required?: string[] } & Json
  for (const name of required) assert.ok(name in (properties as Json), `${at} requires ${name}, which it has not`)
  if ('properties' in (value as Json) && allOf === undefined && !/\.properties\.error$/.test(at)) {
    assert.equal(type, 'object', at)
  }
}

const header = object(() => ({ description: text, 'schema!': schema }))
const content = map(
  object(() => ({ 'schema!': schema, example: anything })),
  /^application\/json$/,
)
const response = object(() => ({ 'description!': text, headers: map(orReference(header)), content }))
const parameter = object(() => ({
  'name!': text,
  'in!': (value, at) => assert.ok(['path', 'query', 'header'].includes(String(value)), at),
  'required!': flag,
  description: text,
  'schema!': schema,
  example: anything,
}))
const webhookOperation = object(() => ({
  'operationId!': text,
  'summary!': text,
  'tags!': list(text),
  'security!': list(map(list(text))),
  'parameters!': list(reference),
  'requestBody!': object(() => ({ 'required!': flag, 'content!': content, 'description!': text })),
  'responses!': map(response, /^2XX$/),
}))
const operation = object(() => ({
  'operationId!': text,
  'summary!': text,
  description: text,
  'tags!': list(text),
  security: list(map(list(text))),
  'x-scope': (value, at) => assert.ok(['collect', 'payout', 'any'].includes(String(value)), at),
  'parameters!': list(parameter),
  requestBody: object(() => ({ 'required!': flag, 'content!': content, description: text })),
  'responses!': map(response, /^[245]\d\d$/),
}))
const pathItem = object(() => ({
  get: operation,
  post: operation,
  put: operation,
  patch: operation,
  delete: operation,
}))

const wholeDocument = object(() => ({
  'openapi!': (value, at) => assert.match(String(value), /^3\.1\.\d+$/, at),
  'info!': object(() => ({ 'title!': text, 'version!': text, description: text })),
  servers: list(object(() => ({ 'url!': text }))),
  tags: list(object(() => ({ 'name!': text }))),
  security: list(map(list(text))),
  'paths!': map(pathItem, /^\//),
  'webhooks!': map(
    object(() => ({ 'post!': webhookOperation })),
    /^\w+\.\w+$/,
  ),
  components: object(() => ({
    securitySchemes: map(object(() => ({ 'type!': text, scheme: text, description: text }))),
    headers: map(header, /^[\w.-]+$/),
    parameters: map(parameter, /^[\w.-]+$/),
    schemas: map(schema, /^[\w.-]+$/),
  })),
}))

test('the committed description is OpenAPI 3.1 throughout', () => wholeDocument(document, 'openapi.json'))

type Operation = { operationId: string; tags: string[]; parameters: { name: string; in: string; required: boolean }[] }
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, declared]) => ({ path, method, ...declared })),
)

test('no two operations, parameters of an operation or tags have the same name, and every tag is declared', () => {
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  const tags = new Set((document.tags as { name: string }[]).map(({ name }) => name))
  for (const { path, method, parameters, tags: used } of operations) {
    const names = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
    assert.equal(new Set(names).size, names.length, `${method} ${path}`)
    for (const tag of used) assert.ok(tags.has(tag), tag)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = parameters.filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      declared.map(({ name, required }) => [name, required]),
      inPath.map((name) => [name, true]),
    )
  }
})

test('every named schema is used', () => {
  const written = JSON.stringify(document)
  const { schemas } = document.components as Record<string, Json>
  const unused = Object.keys(schemas!).filter((name) => !written.includes(`"#/components/schemas/${name}"`))
  assert.deepEqual(unused, [])
})
