import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress, judgeAddress, parseBlocks } from './address.ts'

/** The first, the last and a middle address of everything that is not the public internet. */
const refused = [
  ['this network', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  [
    'private',
    '10.0.0.0',
    '10.1.2.3',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
  ],
  ['carrier-grade NAT', '100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.1.2.3', '127.255.255.255', '::1'],
  ['link-local, with the metadata of clouds', '169.254.0.0', '169.254.169.254', '169.254.170.2', '169.254.255.255'],
  ['the host at Azure', '168.63.129.16'],
  ['protocol assignments', '192.0.0.1', '192.0.0.192', '192.0.0.255', '2001::1', '2001:1ff::1', '2001:1::1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  ['AS112 and AMT', '192.31.196.1', '192.52.193.1', '192.175.48.1', '2001:4:112::1', '2620:4f:8000::1', '2001:3::1'],
  ['6to4', '192.88.99.1', '2002::1', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1'],
  ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff00::1', 'ff02::1', 'ff0e::1'],
  ['reserved', '240.0.0.1', '254.1.2.3', '255.255.255.254', '255.255.255.255'],
  ['unspecified', '::', '0:0:0:0:0:0:0:0'],
  ['IPv4 after zeros', '::127.0.0.1', '::7f00:1', '::10.0.0.1', '::8.8.8.8', '::2'],
  ['IPv4 mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '::ffff:10.0.0.1', '::ffff:0.0.0.0'],
  ['IPv4 translated', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  ['NAT64 of what is not public', '64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1'],
  ['NAT64 of a network of one’s own', '64:ff9b:1::1', '64:ff9b:1:7f00:1::', '64:ff9b:2::808:808'],
  ['Teredo', '2001::7f00:1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['ISATAP', '2a00:1450::5efe:7f00:1', '2a00:1450::200:5efe:10.0.0.1', 'fe80::5efe:808:808'],
  ['link-local', 'fe80::', 'fe80::1', 'febf:ffff::1', 'fec0::1'],
  ['unique local, with the metadata of AWS', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fdff:ffff::1'],
  ['discard, segment routing, outside global unicast', '100::1', '5f00::1', '4000::1', '1fff::1', '8000::1', 'e000::1'],
  ['the old test network and ORCHID', '3ffe::1', '2001:10::1', '2001:20::1', '2001:30::1'],
  [
    'no address',
    '',
    'localhost',
    '1',
    '127.1',
    '0x7f.0.0.1',
    '1.2.3.4.5',
    'fe80::1%eth0',
    '::1%lo',
    '8.8.8.8/32',
    ' 8.8.8.8',
  ],
] as const

const reachable = [
  '8.8.8.8',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4007:80e::200e',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2c0f:fb50::1',
  '3ffd::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
]

test('every address outside the public internet is refused', () => {
  const forms = refused.flatMap(([kind, ...addresses]) => addresses.map((address) => ({ kind, address })))
  assert.ok(forms.length >= 80, `${forms.length} forms`)
  for (const { kind, address } of forms) assert.equal(judgeAddress(address, []), 'refused', `${address} (${kind})`)
})

test('public addresses, and those at the edge of a closed block, are reachable', () => {
  for (const address of reachable) assert.equal(judgeAddress(address, []), 'public', address)
})

test('an allowed block opens itself and nothing beside it', () => {
  const allowed = parseBlocks(['127.0.0.0/8', '::1/128', '10.20.0.0/16', '192.168.7.9'])
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '10.20.255.1', '192.168.7.9', '::ffff:127.0.0.1']) {
    assert.equal(judgeAddress(address, allowed), 'allowed', address)
  }
  for (const address of ['10.21.0.1', '192.168.7.10', '::2', '::127.0.0.1', '64:ff9b::127.0.0.1', '2002:7f00:1::1']) {
    assert.equal(judgeAddress(address, allowed), 'refused', address)
  }
})

test('an address has one writing', () => {
  assert.equal(canonicalAddress('::FFFF:127.0.0.1'), '127.0.0.1')
  assert.equal(canonicalAddress('2001:0DB8:0:0:0:0:0:1'), canonicalAddress('2001:db8::1'))
  assert.equal(canonicalAddress('fe80::1%eth0'), null)
  assert.equal(canonicalAddress('example.com'), null)
})
