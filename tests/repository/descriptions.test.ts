import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

// A developer reads openapi.json field by field. `derived.test.ts` compares the committed file with the code.

type Json = { readonly [name: string]: unknown }

const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')) as Json

/** The keywords whose members a developer reads one by one. */
const described = new Set(['properties', 'parameters', 'headers', 'responses', 'schemas'])

/** The places at and below `value` where a member of such a keyword says nothing about itself. */
function findMute(value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([keyword, held]) => {
    const inside = `${at}/${keyword}`
    // An example is a value: a `properties` in it is a field of somebody.
    if (keyword === 'example') return []
    const members = described.has(keyword) ? Object.entries(held as Json) : []
    const mute = members.flatMap(([name, member]) => (isDescribed(member as Json) ? [] : [`${inside}/${name}`]))
    return [...mute, ...findMute(held, inside)]
  })
}

/** Whether a member has words of its own, or refers to one that has. */
function isDescribed({ description, $ref }: Json): boolean {
  if (typeof description === 'string') return description.trim() !== ''
  if (typeof $ref !== 'string') return false
  const target = $ref.split('/').slice(1)
  return isDescribed(target.reduce<Json>((held, name) => held[name] as Json, document))
}

test('openapi.json describes each schema, property, parameter, header and answer', () => {
  assert.deepEqual(findMute(document, '#'), [])
})
