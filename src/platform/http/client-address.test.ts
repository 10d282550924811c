import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { createAddressReader } from './client-address.ts'

const proxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']

// The peer, what it forwards, and who is calling.
const cases: [promise: string, peer: string | undefined, forwarded: string | undefined, address: string][] = [
  ['a caller without a proxy', '198.51.100.1', undefined, '198.51.100.1'],
  ['a caller that claims to be another', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
  ['a proxy that forwards nothing', '10.1.2.3', undefined, '10.1.2.3'],
  ['one proxy', '10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['one proxy, and a caller that claims', '10.1.2.3', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
  ['two proxies', '10.1.2.3', '203.0.113.9, 192.0.2.7', '203.0.113.9'],
  ['two proxies, and a caller that claims to be one', '10.1.2.3', '10.9.9.9, 203.0.113.9,192.0.2.7', '203.0.113.9'],
  ['a path of proxies only', '10.1.2.3', '10.4.4.4, 192.0.2.7', '10.4.4.4'],
  ['an entry that is no address', '10.1.2.3', '203.0.113.9, unknown', '10.1.2.3'],
  ['an entry that is empty', '10.1.2.3', '203.0.113.9,', '10.1.2.3'],
  ['an entry with a port', '10.1.2.3', '203.0.113.9:4711', '203.0.113.9'],
  ['an IPv6 entry with a port', '10.1.2.3', '[2001:DB9::1]:4711', '2001:db9::1'],
  ['an IPv6 proxy', '2001:db8::1', '203.0.113.9', '203.0.113.9'],
  ['a proxy seen through an IPv6 socket', '::ffff:10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
  ['an address of this link', 'fe80::1%eth0', undefined, 'fe80::1'],
  ['a connection that is gone', undefined, '203.0.113.9', '0.0.0.0'],
]

describe('the address of a caller', () => {
  for (const [promise, remoteAddress, forwarded, address] of cases) {
    test(promise, () => {
      const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }
      assert.equal(createAddressReader(proxies)(request as unknown as IncomingMessage), address)
    })
  }

  test('without a trusted proxy all forwarded addresses are ignored', () => {
    const request = { socket: { remoteAddress: '10.1.2.3' }, headers: { 'x-forwarded-for': '203.0.113.9' } }
    assert.equal(createAddressReader([])(request as unknown as IncomingMessage), '10.1.2.3')
  })
})
