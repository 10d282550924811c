import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin, parseAddress, parseAddressBlock, parseAddressBlocks } from './address-blocks.ts'

const written: [text: string, stored: string | null][] = [
  ['196.201.4.7', '196.201.4.7/32'],
  ['196.201.0.0/16', '196.201.0.0/16'],
  [' 10.1.2.3/8 ', '10.0.0.0/8'],
  ['10.1.2.3/9', '10.0.0.0/9'],
  ['10.255.2.3/9', '10.128.0.0/9'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
  ['::ffff:10.1.2.3', '10.1.2.3/32'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ['::ffff:10.0.0.0/90', null],
  ['10.0.0.0/33', null],
  ['10.0.0.0/8/8', null],
  ['10.0.0.0/', null],
  ['10.0.0.0/-1', null],
  ['10.0.0.0/255.0.0.0', null],
  ['10.1', null],
  ['0x0a000001', null],
  ['010.0.0.1', null],
  ['fe80::1%eth0', null],
  ['example.com', null],
  ['', null],
]

test('a block is read in every form a person writes it, and refused in every other', () => {
  for (const [text, stored] of written) assert.equal(parseAddressBlock(text)?.text ?? null, stored, text)
})

test('a list with one unreadable block is refused whole', () => {
  assert.equal(parseAddressBlocks(['10.0.0.0/8', 'nowhere']), null)
  assert.deepEqual(parseAddressBlocks([]), [])
})

const checks: [address: string, blocks: string[], within: boolean][] = [
  ['10.9.8.7', ['10.0.0.0/8'], true],
  ['11.0.0.1', ['10.0.0.0/8'], false],
  ['::ffff:10.9.8.7', ['10.0.0.0/8'], true],
  ['::ffff:a09:807', ['10.0.0.0/8'], true],
  ['10.9.8.7', ['::ffff:10.0.0.0/104'], true],
  ['10.9.8.7', ['192.0.2.1', '10.9.8.7'], true],
  ['2001:db8::5', ['2001:db8::/32'], true],
  ['2001:db9::5', ['2001:db8::/32'], false],
  ['10.9.8.7', ['::/0'], false],
  ['2001:db8::5', ['0.0.0.0/0'], false],
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['10.9.8.7', [], false],
]

test('an address is compared by its value, in any notation', () => {
  for (const [text, blocks, within] of checks) {
    assert.equal(isWithin(parseAddress(text)!, parseAddressBlocks(blocks)!), within, `${text} in ${blocks}`)
  }
})

test('a text that is no address is refused', () => {
  for (const text of ['', '10.1', '1.2.3.4.5', 'localhost', '10.0.0.0/8']) assert.equal(parseAddress(text), null, text)
})
