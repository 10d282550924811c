import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageClasses, countAges, isOfAge } from './case-ages.ts'
import type { CaseAbout, DeskCase } from './find-cases.ts'

const now = new Date('2026-11-25T12:00:00Z')
const doubt = { kind: 'doubt', direction: 'collect' } as const
const anomaly = { kind: 'anomaly', anomaly_kind: 'second_success', direction: null } as const

function aged(hours: number, about: CaseAbout = doubt, operator: string | null = 'wave_ci'): DeskCase {
  const rest = { id: 'txn_1', merchant_id: 1, merchant: null, held: 0, first_person: null, began: [], owner: null }
  return { ...rest, about, operator, since: new Date(now.getTime() - hours * 3_600_000) }
}

test('doubts and mismatches are counted by age and operator, and each limit belongs to the older class', () => {
  const cases = [
    aged(0.99),
    aged(1),
    aged(23.99, anomaly),
    aged(24, doubt, 'mtn_ci'),
    aged(72, anomaly, null),
    aged(500),
    aged(0, { kind: 'settlement', validated: true }, null),
  ]
  const { classes, operators } = countAges(cases, now)
  assert.deepEqual(classes, [
    { age: 'hour', doubts: 1, anomalies: 0 },
    { age: 'day', doubts: 1, anomalies: 1 },
    { age: 'three_days', doubts: 1, anomalies: 0 },
    { age: 'older', doubts: 1, anomalies: 1 },
  ])
  assert.deepEqual(operators, [
    { operator: '', counts: [0, 0, 0, 1] },
    { operator: 'mtn_ci', counts: [0, 0, 1, 0] },
    { operator: 'wave_ci', counts: [1, 2, 0, 1] },
  ])
  // Each figure equals the length of the list that it links to.
  for (const { operator, counts } of operators)
    for (const [at, { name: age }] of ageClasses.entries())
      assert.equal(cases.filter((one) => isOfAge(one, { age, operator }, now)).length, counts[at])
  assert.equal(cases.filter((one) => isOfAge(one, { age: null, operator: null }, now)).length, cases.length)
})
