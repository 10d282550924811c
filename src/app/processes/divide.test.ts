import assert from 'node:assert/strict'
import { test } from 'node:test'
import { divide, readProcesses, usualProcesses } from './divide.ts'

const both = { api: true, worker: true }

/** The names of the processes, in a line. */
function names(asked: number | 'auto', { roles = both, cores = 2, counts_shared = true } = {}): string {
  return divide(asked, { roles, cores, counts_shared })
    .map(({ name }) => name)
    .join(' ')
}

test('one process does everything; of more, the smaller half answers requests and the larger half works', () => {
  assert.deepEqual(divide(1, { roles: both, cores: 8, counts_shared: false }), [
    { name: 'all', roles: both, answers_alone: false },
  ])
  assert.equal(names(2), 'api-1 worker-1')
  assert.equal(names(3), 'api-1 worker-1 worker-2')
  assert.equal(names(4), 'api-1 api-2 worker-1 worker-2')
  assert.equal(names(5), 'api-1 api-2 worker-1 worker-2 worker-3')
})

test('every process but a single one has one role, and as many are started as were asked for', () => {
  for (let count = 2; count <= 64; count += 1) {
    const shares = divide(count, { roles: both, cores: 1, counts_shared: false })
    assert.equal(shares.length, count)
    assert.equal(new Set(shares.map(({ name }) => name)).size, count)
    assert.ok(shares.every(({ roles }) => roles.api !== roles.worker))
    assert.ok(shares.some(({ roles }) => roles.api) && shares.some(({ roles }) => roles.worker))
  }
})

test('a process knows whether it does nothing but answer, and no other does', () => {
  const alone = (count: number, roles = both) =>
    divide(count, { roles, cores: 1, counts_shared: false })
      .filter(({ answers_alone }) => answers_alone)
      .map(({ name }) => name)
  assert.deepEqual(alone(1), [])
  assert.deepEqual(alone(3), ['api-1'])
  assert.deepEqual(alone(4), [])
  assert.deepEqual(alone(1, { api: true, worker: false }), ['api-1'])
  assert.deepEqual(alone(2, { api: true, worker: false }), [])
  assert.deepEqual(alone(1, { api: false, worker: true }), [])
})

test('auto follows the cores up to four processes', () => {
  assert.equal(names('auto', { cores: 1 }), 'all')
  assert.equal(names('auto', { cores: 2 }), 'api-1 worker-1')
  assert.equal(names('auto', { cores: 4 }), 'api-1 api-2 worker-1 worker-2')
  assert.equal(names('auto', { cores: 96 }), 'api-1 api-2 worker-1 worker-2')
})

test('auto keeps to one process for requests while processes cannot count limits together', () => {
  const alone = { counts_shared: false }
  assert.equal(names('auto', { ...alone, cores: 2 }), 'api-1 worker-1')
  assert.equal(names('auto', { ...alone, cores: 4 }), 'api-1 worker-1 worker-2')
  assert.equal(names('auto', { ...alone, cores: 4, roles: { api: true, worker: false } }), 'api-1')
  assert.equal(names(2, { ...alone, roles: { api: true, worker: false } }), 'api-1 api-2', 'who asks for two gets two')
})

test('all processes have the one role that there is', () => {
  assert.equal(names(1, { roles: { api: true, worker: false } }), 'api-1')
  assert.equal(names(2, { roles: { api: false, worker: true } }), 'worker-1 worker-2')
  assert.equal(names('auto', { cores: 3, roles: { api: false, worker: true } }), 'worker-1 worker-2 worker-3')
})

test('unasked there is one process on the embedded database and for one role, and what suits the cores elsewhere', () => {
  assert.equal(usualProcesses({ embedded: false, only: undefined }), 'auto')
  assert.equal(usualProcesses({ embedded: true, only: undefined }), '1')
  assert.equal(usualProcesses({ embedded: false, only: 'api' }), '1')
  assert.equal(usualProcesses({ embedded: false, only: 'worker' }), '1')
})

test('--processes is auto or a number from 1 to 64', () => {
  assert.deepEqual(['auto', '1', '64', '08'].map(readProcesses), ['auto', 1, 64, 8])
  for (const wrong of ['', '0', '65', '-1', '1.5', '1e1', ' 2', 'two', 'AUTO']) assert.equal(readProcesses(wrong), null)
})
