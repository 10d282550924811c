import type { Operation, Schema, Typed } from './derive-types.ts'

const HEAD = `# Derived from openapi.json by \`npm run derive\`. Do not edit.
"""Everything that the service takes and answers. A list of values in an answer may grow: a program must expect others."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union
`

/** Words that cannot be the name of a field in the usual form of a class. */
const KEYWORDS = /^(from|class|import|in|is|not|pass|return|with)$/

/**
 * Writes the types of the Python SDK: a TypedDict for each object, also for those within others. Lists of values in answers are open, because a later
 * version may add to them; in requests they are closed. The form is that of Python 3.9, which has no NotRequired.
 */
export function renderPythonTypes({ components, paths, webhooks }: Typed): string {
  const written: string[] = []
  for (const [name, schema] of Object.entries(components.schemas).filter(([name]) => name !== 'Error'))
    declare(name, schema, true, written)
  const events = Object.values(webhooks).map(({ post }) =>
    typeOf(post.requestBody!.content['application/json'].schema, true, '', written),
  )
  written.push(`WebhookEvent = Union[${events.map((name) => `\n    ${name},`).join('')}\n]\n`)
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    declareRequest(operation, written)
  return [HEAD, ...written].join('\n\n')
}

function declareRequest({ operationId, parameters = [], requestBody }: Operation, written: string[]): void {
  const name = operationId[0]!.toUpperCase() + operationId.slice(1)
  const body = requestBody?.content['application/json'].schema
  if (body !== undefined) declare(name, body, false, written)
  const query = parameters.filter((parameter) => parameter.in === 'query')
  if (query.length === 0) return
  const fields = query.map(({ name: field, required = false, schema, description }) => {
    const digits = /^\^\[?0/.test(String((schema as { pattern?: string }).pattern ?? ''))
    const type = digits ? 'Union[int, str]' : typeOf(schema, false, '', written)
    return { name: field, required, type, description }
  })
  written.push(classOf(`${name}Query`, undefined, fields))
}

type Field = { name: string; required: boolean; type: string; description: string | undefined }

/** Writes the type of a schema under a name, after those that it needs. */
function declare(name: string, schema: Schema, open: boolean, written: string[]): void {
  if (schema.type !== 'object' || schema.properties === undefined) {
    written.push(`${name} = ${typeOf(schema, open, name, written)}\n`)
    return
  }
  const required = schema.required ?? []
  const fields = Object.entries(schema.properties).map(([field, one]) => ({
    ...{ name: field, required: required.includes(field), description: one.description },
    type: typeOf(one, open, name + pascal(field), written),
  }))
  written.push(classOf(name, schema.description, fields))
}

function classOf(name: string, description: string | undefined, fields: readonly Field[]): string {
  if (fields.some((field) => KEYWORDS.test(field.name))) return functionOf(name, fields)
  const parts: string[] = []
  const optional = fields.filter(({ required }) => !required)
  const required = fields.filter((field) => field.required)
  const isMixed = optional.length > 0 && required.length > 0
  if (isMixed) parts.push(`class _${name}(TypedDict):\n${required.map(fieldOf).join('')}`)
  const base = isMixed ? `_${name}, total=False` : `TypedDict${required.length > 0 ? '' : ', total=False'}`
  const doc = description === undefined ? '' : `    ${docOf(description)}\n\n`
  const own = (isMixed ? optional : fields).map(fieldOf).join('')
  parts.push(`class ${name}(${base}):\n${doc}${own || '    pass\n'}`)
  return parts.join('\n\n')
}

/** The form for fields whose names are words of the language. */
function functionOf(name: string, fields: readonly Field[]): string {
  const of = (some: readonly Field[]) =>
    some.map((field) => `        "${field.name}": "${field.type.replaceAll('"', "'")}",\n`).join('')
  const required = fields.filter((field) => field.required)
  const optional = fields.filter((field) => !field.required)
  if (required.length === 0)
    return `${name} = TypedDict(\n    "${name}",\n    {\n${of(optional)}    },\n    total=False,\n)\n`
  const base = `_${name} = TypedDict(\n    "_${name}",\n    {\n${of(required)}    },\n)\n`
  if (KEYWORDS.test(optional.map((field) => field.name).join())) throw new Error(`${name} has an optional keyword.`)
  return `${base}\n\nclass ${name}(_${name}, total=False):\n${optional.map(fieldOf).join('') || '    pass\n'}`
}

const fieldOf = ({ name, type, description }: Field) =>
  `    ${name}: ${type}\n${description === undefined ? '' : `    ${docOf(description)}\n`}`

const docOf = (text: string) => `"""${text.replaceAll(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"', "'")}"""`

const pascal = (name: string) => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** @param name the type of an object without a name of its own */
function typeOf(schema: Schema, open: boolean, name: string, written: string[]): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`
  if (schema.enum !== undefined) return listOf(schema.enum, open)
  const many = schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : null)
  if (many !== null) return unionOf(many.map((one) => typeOf(one, open, name, written)))
  if (schema.type === 'array') return `List[${typeOf(schema.items ?? {}, open, name, written)}]`
  if (schema.type === 'object' && schema.properties !== undefined) {
    declare(name, schema, open, written)
    return name
  }
  if (schema.type === 'object') return dictOf(schema, open, name, written)
  return plain[String(schema.type)] ?? 'Any'
}

function dictOf({ patternProperties = {} }: Schema, open: boolean, name: string, written: string[]): string {
  const [value] = Object.values(patternProperties)
  return `Dict[str, ${value === undefined ? 'Any' : typeOf(value, open, name, written)}]`
}

const plain: Record<string, string> = { integer: 'int', number: 'float', string: 'str', boolean: 'bool', null: 'None' }

function unionOf(types: readonly string[]): string {
  const different = [...new Set(types)]
  return different.length === 1 ? different[0]! : `Union[${different.join(', ')}]`
}

function listOf(values: readonly unknown[], open: boolean): string {
  const list = `Literal[${values.map(literal).join(', ')}]`
  return open && values.length > 1 && values.every((value) => typeof value === 'string') ? `Union[${list}, str]` : list
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value === null ? 'None' : JSON.stringify(value)
}

/** Writes the resources for asyncio from those for threads: each call is awaited, each list iterated over. Nothing else differs. */
export function renderAsyncResources(resources: string): string {
  const renamed = resources
    .replaceAll('Iterator', 'AsyncIterator')
    .replaceAll(/\bRunner\b/g, 'AsyncRunner')
    .replaceAll(/\bResources\b/g, 'AsyncResources')
    .replace('import TYPE_CHECKING, AsyncIterator', 'import TYPE_CHECKING, AsyncIterator, Awaitable')
  // A method that ends in `.one(…)` gives one result.
  const awaited = renamed.replaceAll(
    /(\n {4}def \w+\((?:(?!\n {4}def )[\s\S])*?\) -> )(.+)(:\n(?:(?!\n {4}def )[\s\S])*?self\._run\.one\()/g,
    '$1Awaitable[$2]$3',
  )
  return `# Derived from _resources.py by \`npm run derive\`. Do not edit.\n${awaited}`
}
