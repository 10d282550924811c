import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueuePartition } from './partition.ts'
import type { TakenJob } from './queue-store.ts'

let seconds = 0
const job = (owner: string, { weight = 1, more = false } = {}): TakenJob => {
  seconds += 1
  const id = `${owner} ${seconds}`
  return {
    id,
    partition_key: '',
    owner,
    weight,
    kind: 'sample',
    payload: {},
    attempts: 1,
    run_at: new Date(seconds * 1_000),
    more,
  }
}
const open = () => new QueuePartition('', { concurrency: 4, ahead: 4 })

test('the owner with the fewest running is next, and of an owner the job due longest', () => {
  const partition = open()
  const jobs = [job('a'), job('a'), job('a'), job('b'), job('c')]
  partition.add(partition.ask(), jobs.toReversed())
  const begun = [1, 2, 3, 4, 5].map(() => partition.begin())
  assert.deepEqual(begun, [jobs[0], jobs[3], jobs[4], jobs[1], null], 'four run at once')
})

test('a partition asks for as much as fits, and for nothing while more than half of what is ahead waits', () => {
  const partition = open()
  assert.equal(partition.slots(), 8)
  partition.add(
    partition.ask(),
    Array.from({ length: 8 }, () => job('a')),
  )
  for (let at = 0; at < 4; at += 1) partition.begin()
  assert.equal(partition.slots(), 0)
  assert.deepEqual(partition.held(), [{ partition_key: '', owner: 'a', held: 8, weight: 8 }])
})

test('it asks again at once if it was full, at the next look if an owner has its share, and otherwise not', () => {
  const rest = open()
  rest.add(rest.ask(), [job('a')])
  assert.equal(rest.wants(), null)

  const full = open()
  full.add(
    full.ask(),
    Array.from({ length: 8 }, () => job('')),
  )
  const begun = [1, 2, 3, 4].map(() => full.begin()!)
  for (const ended of begun.slice(0, 2)) {
    full.end(ended)
    full.begin()
  }
  assert.equal(full.wants(), 'now')

  const shared = open()
  shared.add(shared.ask(), [job('a', { weight: 400 })])
  shared.begin()
  shared.add(shared.ask(), [])
  assert.equal(shared.wants(), 'next')
})

test('leaving gives back jobs that did not begin, and keeps those that run', () => {
  const partition = open()
  partition.add(
    partition.ask(),
    Array.from({ length: 6 }, () => job('a')),
  )
  const running = partition.begin()!
  assert.equal(partition.leave().length, 5)
  assert.equal(partition.held()[0]!.held, 1)
  partition.end(running)
  assert.deepEqual(partition.held(), [])
})
