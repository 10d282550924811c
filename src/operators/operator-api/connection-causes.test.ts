import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answering, OK, openEgress } from '../../../tests/harness/egress.ts'
import { CALLED, goodServer, refusedServers, startRefused, trusted } from '../../../tests/harness/refused-servers.ts'
import {
  type ConnectionFailure,
  codeOfError,
  failureOfCode,
  failureSentences,
} from '../../platform/egress/connection-failure.ts'
import { unreachable } from './connection-problems.ts'
import { createOperatorHttp } from './operator-http.ts'

const resolve = async () => ['127.0.0.1']
const lookup = ((_name, { all }, done) =>
  all
    ? done(null, [{ address: '127.0.0.1', family: 4 }])
    : done(null, '127.0.0.1', 4)) as import('node:net').LookupFunction

for (const { what, is, cause } of refusedServers) {
  test(`a webhook tells ${what} as ${cause}, and an operator's check in a sentence of its own`, async (t) => {
    await using server = await startRefused(is)
    const url = `https://${CALLED}:${server.port}`
    const { post } = openEgress(t, { resolve, ca: trusted })
    const result = await post(`${url}/`)
    assert.equal(result.kind === 'failed' ? result.reason : result.kind, cause)

    const http = createOperatorHttp({ base_url: url, ca: trusted, lookup })
    t.after(() => http.close())
    const reply = await http.call({ method: 'GET', path: '/', deadline_ms: 5_000 })
    assert.ok(reply.kind !== 'answered')
    const [french, english] = unreachable(reply)
    assert.equal(reply.kind, 'not_sent')
    assert.ok(french.includes(failureSentences[cause][0]), french)
    assert.ok(english.includes(failureSentences[cause][1]), english)
  })
}

test('a server with the whole chain of a trusted authority is called', async (t) => {
  await using server = await startRefused(goodServer, answering(OK))
  const { post } = openEgress(t, { resolve, ca: trusted })
  assert.equal((await post(`https://${CALLED}:${server.port}/`)).kind, 'answered')
})

const codes: readonly (readonly [string, ConnectionFailure])[] = [
  ['ENETUNREACH', 'no_route'],
  ['EHOSTUNREACH', 'no_route'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['PROXY_ANSWERED_407', 'proxy'],
  ['PROXY_ECONNREFUSED', 'proxy'],
  ['CERT_REVOKED', 'tls'],
  ['EE_KEY_TOO_SMALL', 'tls'],
  ['EMFILE', 'connection'],
  ['', 'connection'],
]
for (const [code, cause] of codes) {
  test(`the code ${code || 'that is missing'} means ${cause}`, () => assert.equal(failureOfCode(code), cause))
}

test('each cause has a sentence that no other has, in both languages', () => {
  for (const at of [0, 1]) {
    const sentences = Object.values(failureSentences).map((words) => words[at]!)
    assert.equal(new Set(sentences).size, sentences.length)
    for (const sentence of sentences) assert.match(sentence, /^[^.]+\.$/)
  }
})

test('of several addresses a refusal or a silence tells more than a missing route', () => {
  const failed = (...all: string[]) =>
    Object.assign(new AggregateError(all.map((code) => Object.assign(new Error(code), { code }))), { code: all[0] })
  assert.equal(codeOfError(failed('ENETUNREACH', 'ECONNREFUSED')), 'ECONNREFUSED')
  assert.equal(codeOfError(failed('ENETUNREACH', 'ETIMEDOUT')), 'ETIMEDOUT')
  assert.equal(codeOfError(failed('ENETUNREACH', 'EHOSTUNREACH')), 'ENETUNREACH')
})
