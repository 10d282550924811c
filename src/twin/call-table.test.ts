import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCall } from './call-table.ts'

const rows = [
  { method: 'GET', path: 'payouts' },
  { method: 'GET', path: 'payouts/search' },
  { method: 'GET', path: 'payouts/{id}' },
  { method: 'POST', path: 'payouts/{id}/refund' },
  { method: 'GET', path: 'holders/{type}/*' },
]

const find = (method: string, path: string) => {
  const found = findCall(rows, method, path.split('/'))
  return found && [found.row.path, ...found.values]
}

test('a call is found by its method and path, with the values in the path', () => {
  assert.deepEqual(find('GET', 'payouts'), ['payouts'])
  assert.deepEqual(find('GET', 'payouts/search'), ['payouts/search'])
  assert.deepEqual(find('GET', 'payouts/pt-1'), ['payouts/{id}', 'pt-1'])
  assert.deepEqual(find('POST', 'payouts/pt-1/refund'), ['payouts/{id}/refund', 'pt-1'])
  assert.deepEqual(find('GET', 'holders/msisdn'), ['holders/{type}/*', 'msisdn'])
  assert.deepEqual(find('GET', 'holders/msisdn/225/active'), ['holders/{type}/*', 'msisdn', '225', 'active'])
})

test('another method, a shorter path and a longer one are no call', () => {
  for (const [method, path] of [
    ['POST', 'payouts'],
    ['GET', 'payouts/pt-1/refund'],
    ['GET', 'payouts/pt-1/more'],
    ['GET', 'holders'],
    ['GET', ''],
  ] as const)
    assert.equal(find(method, path), null, `${method} ${path}`)
})
