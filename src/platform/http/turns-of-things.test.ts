import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectRaw, openTestServer, type SampleDeps } from '../../../tests/harness/http-server.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createOwnerLocks } from '../owner-locks.ts'
import { refusalAnswer } from './refusal.ts'
import { defineRoute } from './route.ts'
import { createTurns } from './turns.ts'

describe('turns of the thing that a call without a key is about', () => {
  const open = {
    auth: 'open',
    method: 'GET',
    summary: 'Show something',
    errors: { 500: ['payment_failed'] },
    fault: 'payment_failed',
  } as const
  const routes = [
    defineRoute({
      ...open,
      path: '/link/:token',
      operation: 'showLink',
      params: { token: 'text' },
      about: { parameter: 'token' },
      async handle(_request, { work }: SampleDeps) {
        await work(null)
        return { status: 200, body: '', error_code: null, headers: null }
      },
    }),
    defineRoute({
      ...open,
      path: '/file',
      operation: 'showFile',
      about: 'nothing',
      handle: () => ({ status: 200, body: '', error_code: null, headers: null }),
    }),
  ] as const

  /** A server whose links answer when they are told to. */
  async function openLinks(waiting_max = 300) {
    const underWay: (() => void)[] = []
    const server = await openTestServer({
      routes,
      openTurns: createTurns({ alone_max: 4, waiting_max, wait_max_ms: 10_000, locks: createOwnerLocks() }),
      rateLimitedPage: (_request, refusal) => ({ ...refusalAnswer(refusal), body: 'Too many people' }),
      deps: { work: () => new Promise<void>((resolve) => void underWay.push(resolve)) },
    })
    return { ...server, underWay, show: (token: string) => fetch(`${server.url}/link/${token}`) }
  }

  test('two calls about one link are under way, others wait, and another link and a file are shown at once', async () => {
    await using server = await openLinks()
    const { underWay, show } = server
    const many = Array.from({ length: 10 }, () => show('busy'))
    await waitFor(() => underWay.length === 2)
    const other = show('calm')
    await waitFor(() => underWay.length === 3)
    assert.equal((await fetch(`${server.url}/file`)).status, 200)
    assert.equal(underWay.length, 3)
    underWay[2]!()
    assert.equal((await other).status, 200)
    await waitFor(() => {
      for (const end of underWay.splice(0)) end()
      return server.answered.length === 12
    })
    assert.deepEqual([...new Set((await Promise.all(many)).map(({ status }) => status))], [200])
  })

  test('a call beyond the line gets a page, and one whose client has gone does not begin', async () => {
    await using server = await openLinks(1)
    const { underWay, show } = server
    const first = [show('busy'), show('busy')]
    await waitFor(() => underWay.length === 2)
    const gone = connectRaw(server.port, 'GET /link/busy HTTP/1.1\r\nHost: x\r\n\r\n')
    await waitFor(async () => /in_flight 3/.test(await server.metrics.metrics()))
    const refused = await show('busy')
    assert.deepEqual([await refused.text(), refused.headers.get('retry-after')], ['Too many people', '1'])
    gone.socket.destroy()
    // The server reads the end of that connection before it reads these.
    for (let read = 0; read < 3; read += 1) await fetch(`${server.url}/file`)
    for (const end of underWay.splice(0)) end()
    await Promise.all(first)
    assert.equal(underWay.length, 0)
  })
})
