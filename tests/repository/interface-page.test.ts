import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { apiRoutes, webRoutes } from '../../src/app/routes.ts'
import { eventTypes } from '../../src/webhooks/event-types.ts'

// docs/interface.md is for a merchant's developers: it lists exactly the routes that exist.

const page = await readFile(new URL('../../docs/interface.md', import.meta.url), 'utf8')

/** Writes a path as the page does: `/v1-payments/<payment_id>`. */
const written = (path: string) => path.replace(/:(\w+)/g, '<$1>')

/** Returns the path with one name for all variable parts, so that `/x/events/<evt_…>` equals `/x/events/<event_id>`. */
const shape = (route: string) => route.replace(/<[^>]*>/g, '<>')

const keys = { true: 'required', optional: 'optional', undefined: '' } as const

/** Reads the rows of a table of routes under a heading, as cells without their marks. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return section
    .split('\n')
    .filter((line) => /^\| `(?:GET|POST) /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map((cells) => cells.slice(1, -1))
}

test('docs/interface.md lists exactly the routes with an API key, with scope and Idempotency-Key', () => {
  const routes = apiRoutes.map(({ method, path, scope, idempotent }) => [
    `${method} ${written(path)}`,
    scope ?? 'any',
    keys[String(idempotent) as keyof typeof keys],
  ])
  assert.deepEqual(
    rowsUnder('Routes').map(([route, scope, key]) => [route, scope, key]),
    routes,
    'the table "Routes" of docs/interface.md has a row for each route, in the order of src/app/routes.ts',
  )
})

test('docs/interface.md lists exactly the pages and callbacks', () => {
  const routes = webRoutes.map(({ method, path }) => `${method} ${written(path)}`)
  const listed = rowsUnder('Without a key').flatMap(([route]) => route!.split(', '))
  assert.deepEqual(listed.toSorted(), routes.toSorted())
})

test('every route that docs/interface.md names exists', () => {
  const known = new Set([...apiRoutes, ...webRoutes].map(({ method, path }) => shape(`${method} ${written(path)}`)))
  const named = [...page.matchAll(/(?:GET|POST) \/[^\s`,]*/g)].map(([route]) => route)
  assert.deepEqual(
    named.filter((route) => !known.has(shape(route))),
    [],
  )
})

test('docs/interface.md lists exactly the types of events', () => {
  const [, section = ''] = page.split('\nKinds of event today:\n')
  const [table = ''] = section.trimStart().split('\n\n')
  const listed = [...table.matchAll(/`(\w+\.\w+)`/g)].map(([, kind]) => kind!)
  const why = 'the table "Kinds of event" of docs/interface.md names each kind of src/webhooks/event-types.ts'
  assert.deepEqual(listed.toSorted(), eventTypes.toSorted(), why)
})
