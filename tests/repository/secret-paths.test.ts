import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { webRoutes } from '../../src/app/routes.ts'
import { secretPaths, secretPrefix } from '../../src/app/secret-paths.ts'
import { consoleHeaders } from '../../src/console/answers.ts'
import { doorRoutes } from '../../src/console/door-routes.ts'
import { pageHeaders } from '../../src/platform/http/pages/page-answer.ts'

// An address that opens something for its reader is a secret, also in the log of a proxy.

/** Parameters of open routes that everybody may know: names of our files, of connectors and of shops. */
const known = new Set(['name', 'connector', 'handle'])

test('every part of an open address is either known to everybody or secret', () => {
  for (const { path } of [...webRoutes, ...doorRoutes]) {
    const parts = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    const secret = parts.filter((name) => !known.has(name))
    assert.equal(
      secretPrefix(path) === null,
      secret.length === 0,
      `${path}: is ${secret} a secret? See secret-paths.ts`,
    )
    if (secret.length > 0) assert.ok(secretPaths.includes(secretPrefix(path)!), path)
  }
})

test('the secret paths are those of payers, of invitations, of the simulator and of unsigned callbacks', () => {
  assert.deepEqual(secretPaths, [
    '/console/invitation/',
    '/desk/invitation/',
    '/link/',
    '/operators/*/callbacks/',
    '/pay/',
    '/return/',
    '/simulator/',
    '/till/join/',
  ])
})

test('a page names its path to nobody as the referrer, or a log of its style sheet would keep a secret one', () => {
  for (const headers of [consoleHeaders(true), consoleHeaders(false), pageHeaders(["'self'"], true)]) {
    assert.ok(['no-referrer', 'strict-origin'].includes(headers['Referrer-Policy']), headers['Referrer-Policy'])
  }
})

test('nginx leaves out every secret address, and no other', async () => {
  const page = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
  const pattern = new RegExp(/~(\^\(\?:.*\)) 0;/.exec(page)![1]!)
  const filled = (path: string) => path.replace(/:\w+/g, 'x-1')
  for (const { path } of [...webRoutes, ...doorRoutes]) {
    assert.equal(pattern.test(filled(path)), secretPrefix(path) !== null, path)
  }
  for (const path of ['/v1-payments', '/console/live/1', '/desk/test', '/docs', '/readyz', '/operators/x/callbacks'])
    assert.doesNotMatch(path, pattern)
})
