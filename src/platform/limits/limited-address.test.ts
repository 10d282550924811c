import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitedAddress } from './limited-address.ts'

test('an IPv4 address is counted by itself, a network of IPv6 as one', () => {
  const cases: [address: string, counted: string][] = [
    ['192.0.2.10', '192.0.2.10'],
    ['::ffff:192.0.2.10', '192.0.2.10'],
    ['::ffff:c000:20a', '192.0.2.10'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ]
  for (const [address, counted] of cases) assert.equal(limitedAddress(address), counted, address)
})
