import assert from 'node:assert/strict'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { webhooks } from '../../src/app/webhooks.ts'
import type { Answer } from './ask.ts'
import type { SweptRoute } from './sweep-owner.ts'

/** Checks that the body is as the route declares it for its status, without a field that it does not declare. */
export function checkDescribed(route: SweptRoute, answer: Pick<Answer, 'status' | 'json'>, why: string): void {
  const schema = (route.replies as Record<number, TSchema>)[answer.status]!
  const body = answer.json()
  assert.ok(Compile(schema).Check(body), `${why} is not as declared`)
  assert.deepEqual(undeclared(schema as unknown as Declared, body), [], why)
}

/** The compiled schema of each type of event. */
const bodies = new Map(webhooks.map(({ type, body }) => [type, { schema: body, compiled: Compile(body) }]))

/** Checks that the body of a webhook is as openapi.json describes its type, without a field that it does not name. */
export function checkWebhook(event: { readonly type: string }): void {
  const described = bodies.get(event.type)
  assert.ok(described !== undefined, `openapi.json describes no webhook ${event.type}`)
  assert.ok(described.compiled.Check(event), `${event.type} is not as described: ${JSON.stringify(event)}`)
  assert.deepEqual(undeclared(described.schema as unknown as Declared, event), [], event.type)
}

type Declared = { properties?: Record<string, Declared>; items?: Declared; anyOf?: Declared[] }

/** Fields of a value that its schema does not name, however deep. A schema that names none takes any. */
function undeclared(schema: Declared, value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, rank) => undeclared(schema.items ?? {}, item, `${at}[${rank}]`))
  if (schema.anyOf !== undefined) {
    // One of them is meant.
    const found = schema.anyOf.filter(({ properties }) => properties).map((one) => undeclared(one, value, at))
    return found.find((fields) => fields.length === 0) ?? found[0] ?? []
  }
  const { properties } = schema
  if (properties === undefined) return []
  return Object.entries(value).flatMap(([name, inside]) =>
    name in properties ? undeclared(properties[name]!, inside, `${at}.${name}`) : [`${at}.${name}`],
  )
}
