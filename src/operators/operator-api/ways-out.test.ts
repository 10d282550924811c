import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProxy } from '../../../tests/harness/connect-proxy.ts'
import { answering, listen, OK, openEgress } from '../../../tests/harness/egress.ts'
import { freePort } from '../../../tests/harness/free-port.ts'
import { CALLED, goodServer, startRefused, trusted } from '../../../tests/harness/refused-servers.ts'
import { proxyFor } from '../../platform/egress/connector.ts'
import { unreachable } from './connection-problems.ts'
import { baseUrlProblem, createOperatorHttp } from './operator-http.ts'

/** `Basic` of awa and p@ss. */
const AWA = `Basic ${Buffer.from('awa:p@ss').toString('base64')}`

/** Addresses of the receiver's name, and the one that the proxy is asked for. */
const vetted = [
  { addresses: ['8.8.8.8'], asked: '8.8.8.8:443' },
  { addresses: ['8.8.4.4', '2606:4700:4700::1111'], asked: '8.8.4.4:443' },
  { addresses: ['2606:4700:4700::1111'], asked: '[2606:4700:4700::1111]:443' },
]
for (const { addresses, asked } of vetted) {
  test(`a webhook to ${addresses} asks the proxy for the address that was checked, and not for the name`, async (t) => {
    await using server = await startRefused(goodServer, answering(OK))
    await using proxy = await startProxy(server.port)
    const settings = { url: proxy.url, except: [] }
    const { post } = openEgress(t, { allow: [], resolve: async () => addresses, ca: trusted, proxy: settings })
    assert.equal((await post(`https://${CALLED}/hooks`, { livemode: true })).kind, 'answered')
    assert.deepEqual(proxy.asked, [{ host: asked, authorization: AWA }])
    const otherName = await post('https://other.test/hooks', { livemode: true })
    assert.equal(otherName.kind === 'failed' && otherName.reason, 'certificate_other_name')
  })
}

for (const address of ['127.0.0.1', '10.0.0.7', '169.254.169.254', '::1', 'fd00:ec2::254', '::ffff:10.0.0.1']) {
  test(`a proxy is not asked for ${address}, which the guard refuses`, async (t) => {
    await using proxy = await startProxy(await freePort())
    const settings = { url: proxy.url, except: [] }
    const { post } = openEgress(t, { allow: [], resolve: async () => [address], proxy: settings })
    const literal = address.includes(':') ? `[${address}]` : address
    for (const url of [`https://${CALLED}/`, `https://${literal}/`]) {
      const result = await post(url, { livemode: true })
      assert.equal(result.kind === 'failed' && result.reason, 'refused_address')
    }
    assert.deepEqual(proxy.asked, [])
  })
}

test('a name that leads inside between the check and the connection is not asked of the proxy', async (t) => {
  await using proxy = await startProxy(await freePort())
  const answers = [['8.8.8.8'], ['10.0.0.7']]
  const settings = { url: proxy.url, except: [] }
  const { post } = openEgress(t, { allow: [], resolve: async () => answers.shift()!, proxy: settings })
  const result = await post(`https://${CALLED}/`, { livemode: true })
  assert.equal(result.kind === 'failed' && result.reason, 'refused_address')
  assert.deepEqual(proxy.asked, [])
})

test('a receiver in EGRESS_ALLOW is called directly', async (t) => {
  const server = await listen(t, answering(OK))
  await using proxy = await startProxy(server.port)
  const { post } = openEgress(t, { proxy: { url: proxy.url, except: [] } })
  assert.equal((await post(`http://127.0.0.1:${server.port}/`)).kind, 'answered')
  assert.deepEqual(proxy.asked, [])
})

test('a call to an operator goes through the proxy by its name, with a certificate for that name', async (t) => {
  await using server = await startRefused(goodServer, (socket) => socket.on('data', () => socket.write(OK)))
  await using proxy = await startProxy(server.port)
  const way = { proxy: { url: proxy.url, except: [] }, http_allow: [] }
  const http = createOperatorHttp({ base_url: `https://${CALLED}`, ca: trusted, way })
  t.after(() => http.close())
  assert.equal((await http.call({ method: 'GET', path: '/' })).kind, 'answered')
  assert.deepEqual(proxy.asked, [{ host: `${CALLED}:443`, authorization: AWA }])
})

const refusals: readonly (readonly [string, string])[] = [
  ['HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n', 'PROXY_ANSWERED_407'],
  ['HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n', 'PROXY_ANSWERED_403'],
  ['HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n', 'PROXY_ANSWERED_502'],
  ['HTTP/1.1 200 OK\r\n\r\nstray bytes', 'PROXY_ANSWERED_200'],
  ['no HTTP', 'PROXY_HPE_INVALID_CONSTANT'],
  ['', 'PROXY_ECONNRESET'],
]
for (const [answer, code] of refusals) {
  test(`a proxy that answers ${JSON.stringify(answer.split('\r\n')[0])} lets nothing be sent, and is named as the cause`, async (t) => {
    await using proxy = await startProxy(0, answer)
    const settings = { url: proxy.url, except: [] }
    const http = createOperatorHttp({ base_url: `https://${CALLED}`, way: { proxy: settings, http_allow: [] } })
    t.after(() => http.close())
    const reply = await http.call({ method: 'POST', path: '/', body: '{}', deadline_ms: 5_000 })
    assert.deepEqual(reply, { kind: 'not_sent', reason: `the connection failed (${code})` })
    assert.match(
      unreachable(reply as { kind: 'not_sent'; reason: string })[1],
      /The proxy through which the service leaves did not open the way/,
    )
    const { post } = openEgress(t, { allow: [], resolve: async () => ['8.8.8.8'], proxy: settings })
    const result = await post(`https://${CALLED}/`, { livemode: true })
    assert.equal(result.kind === 'failed' && result.reason, 'proxy')
  })
}

test('a proxy that nobody serves is the cause', async (t) => {
  const proxy = { url: new URL(`http://127.0.0.1:${await freePort()}`), except: [] }
  const http = createOperatorHttp({ base_url: `https://${CALLED}`, way: { proxy, http_allow: [] } })
  t.after(() => http.close())
  const reply = await http.call({ method: 'GET', path: '/' })
  assert.deepEqual(reply, { kind: 'not_sent', reason: 'the connection failed (PROXY_ECONNREFUSED)' })
})

const hosts: readonly (readonly [string, readonly string[], boolean])[] = [
  ['api.pawapay.io', [], true],
  ['localhost', [], false],
  ['127.0.0.1', [], false],
  ['[::1]', [], false],
  ['10.1.2.3', [], true],
  ['10.1.2.3', ['10.0.0.0/8'], false],
  ['11.1.2.3', ['10.0.0.0/8'], true],
  ['moov.internal', ['moov.internal'], false],
  ['moov.internal', ['.internal'], false],
  ['internal', ['.internal'], true],
  ['xmoov.internal', ['moov.internal'], true],
  ['MOOV.internal', ['moov.internal'], false],
]
for (const [host, except, through] of hosts) {
  test(`${host} is called ${through ? 'through the proxy' : 'directly'} with PROXY_EXCEPT=${except}`, () => {
    const url = new URL('http://proxy.example:3128')
    assert.equal(proxyFor({ url, except }, host), through ? url : null)
    assert.equal(proxyFor(null, host), null)
  })
}

const plain: readonly (readonly [string, readonly string[], boolean])[] = [
  ['http://10.20.0.7:8080', [], false],
  ['http://10.20.0.7:8080', ['10.20.0.0/16'], true],
  ['http://10.21.0.7', ['10.20.0.0/16'], false],
  ['http://10.20.0.7', ['10.20.0.7'], true],
  ['http://[fd00::7]', ['fd00::/8'], true],
  ['http://[::ffff:10.20.0.7]', ['10.20.0.0/16'], true],
  ['http://0x0a140007', ['10.20.0.0/16'], true],
  ['http://10.20.0.7.example.com', ['10.20.0.0/16'], false],
  ['http://moov.example.com', ['0.0.0.0/0'], false],
  ['http://8.8.8.8', ['10.20.0.0/16'], false],
  ['http://127.0.0.1', [], true],
]
for (const [url, allow, taken] of plain) {
  test(`${url} is ${taken ? 'a' : 'no'} base address with OPERATOR_HTTP_ALLOW=${allow}`, () => {
    assert.equal(baseUrlProblem(url, allow) === null, taken)
  })
}
