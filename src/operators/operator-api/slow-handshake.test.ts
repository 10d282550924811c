import assert from 'node:assert/strict'
import type { LookupFunction } from 'node:net'
import { test } from 'node:test'
import { startBusyServer } from '../../../tests/harness/busy-server.ts'
import { openEgress } from '../../../tests/harness/egress.ts'
import { createOperatorHttp } from './operator-http.ts'

/** Addresses of a name, one of which answers slowly. Documentation addresses (RFC 3849) lead nowhere. */
const names: Record<string, readonly string[]> = {
  'IPv4 only': ['127.0.0.1'],
  'IPv4 and IPv6': ['127.0.0.1', '2001:db8::1'],
  'IPv6 first': ['2001:db8::1', '127.0.0.1'],
  'two of each': ['127.0.0.1', '2001:db8::1', '127.0.0.1', '2001:db8::2'],
}

for (const [what, addresses] of Object.entries(names)) {
  test(`a name with ${what} and a handshake of a second is reached by a webhook`, async (t) => {
    await using server = await startBusyServer()
    const allow = ['127.0.0.0/8', '2001:db8::/32']
    const { post } = openEgress(t, { allow, resolve: async () => addresses })
    await server.beBusy()
    const result = await post(`http://shop.test:${server.port}/`, { deadline_ms: 10_000 })
    assert.equal(result.kind, 'answered', JSON.stringify(result))
    assert.ok(result.duration_ms > 900, `a fast handshake proves nothing: ${result.duration_ms} ms`)
  })

  test(`a name with ${what} and a handshake of a second is reached by a call to an operator`, async (t) => {
    await using server = await startBusyServer()
    const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const lookup: LookupFunction = (_name, options, done) =>
      options.all ? done(null, all) : done(null, all[0]!.address, all[0]!.family)
    const http = createOperatorHttp({ base_url: `http://localhost:${server.port}`, lookup })
    t.after(() => http.close())
    await server.beBusy()
    const reply = await http.call({ method: 'GET', path: '/', deadline_ms: 15_000 })
    assert.equal(reply.kind, 'answered', JSON.stringify(reply))
  })
}
