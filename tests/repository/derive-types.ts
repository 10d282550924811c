/** A schema of the description, as far as the types of the SDK need it. */
export type Schema = {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  type?: string | string[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  description?: string
}

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
/** An operation of the interface, as far as the types of the SDK need it. */
export type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

/** The description of the interface, as far as the types of the SDK need it. */
export type Typed = {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
}

const HEAD = `// Derived from openapi.json by \`npm run derive\`. Do not edit.

/** A value of a list that may grow. The editor proposes the known ones, and a program must expect others. */
export type Open<T extends string> = T | (string & {})
`

/**
 * Writes the types of the TypeScript SDK: a type for each schema, body and query, and a list of the kinds of events. Lists of values in answers are open, because a later version may
 * add to them; in requests they are closed.
 */
export function renderTypes({ components, paths, webhooks }: Typed): string {
  const answers = Object.entries(components.schemas)
    .filter(([name]) => name !== 'Error')
    .map(([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, true, '')}\n`)
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const events = Object.entries(webhooks).map(([type, { post }]) =>
    field(type, true, typeOf(post.requestBody!.content['application/json'].schema, true, '  '), undefined, ''),
  )
  const byType = `/** Each kind of event, with the event that a webhook brings. */\nexport type EventsByType = {\n${events.join('\n')}\n}\n`
  return [HEAD, ...answers, byType, ...operations.flatMap(requestTypes)].join('\n')
}

function requestTypes({ operationId, parameters = [], requestBody }: Operation): string[] {
  const name = operationId[0]!.toUpperCase() + operationId.slice(1)
  const body = requestBody?.content['application/json'].schema
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const fields = query.map((one) => field(one.name, one.required === true, queryType(one), one.description, ''))
  return [
    ...(body === undefined ? [] : [`export type ${name} = ${typeOf(body, false, '')}\n`]),
    ...(query.length === 0 ? [] : [`export type ${name}Query = {\n${fields.join('\n')}\n}\n`]),
  ]
}

/** All values of a query are texts on the wire. Those of digits may be given as numbers. */
function queryType({ schema }: Parameter): string {
  const digits = /^\^\[?0/.test(String((schema as { pattern?: string }).pattern ?? ''))
  return digits ? 'number | string' : typeOf(schema, false, '  ')
}

function comment(text: string | undefined, pad: string): string {
  return text === undefined ? '' : `${pad}/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */\n`
}

function field(name: string, required: boolean, type: string, description: string | undefined, pad: string): string {
  const key = /^\w+$/.test(name) ? name : literal(name)
  return `${comment(description, `${pad}  `)}${pad}  ${key}${required ? '' : '?'}: ${type}`
}

/** @param open whether lists of values may grow */
function typeOf(schema: Schema, open: boolean, pad: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return listOf(schema.enum, open)
  const many = schema.anyOf ?? schema.oneOf
  if (many !== undefined) return [...new Set(many.map((one) => typeOf(one, open, pad)))].join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map((one) => typeOf(one, open, pad)).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, open, pad)).join(' | ')
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? {}, open, pad)}>`
  if (schema.type === 'object') return objectOf(schema, open, pad)
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  return schema.type ?? 'unknown'
}

function objectOf({ properties = {}, required = [], patternProperties }: Schema, open: boolean, pad: string): string {
  const fields = Object.entries(properties).map(([name, schema]) =>
    field(name, required.includes(name), typeOf(schema, open, `${pad}  `), schema.description, pad),
  )
  const [value] = Object.values(patternProperties ?? {})
  if (fields.length === 0) return `Record<string, ${value === undefined ? 'unknown' : typeOf(value, open, pad)}>`
  return `{\n${fields.join('\n')}\n${pad}}`
}

function listOf(values: unknown[], open: boolean): string {
  const union = values.map(literal).join(' | ')
  return open && values.length > 1 && values.every((value) => typeof value === 'string') ? `Open<${union}>` : union
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}
