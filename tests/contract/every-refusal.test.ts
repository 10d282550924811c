import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorMessages } from '../../src/words/error-codes.ts'
import { linesMatching, readTree, textsOf } from '../repository/tree.ts'
import { batchRefusals } from './batch-refusal-cases.ts'
import { beneficiaryRefusals } from './beneficiary-refusal-cases.ts'
import { checkoutRefusals } from './checkout-refusal-cases.ts'
import { elsewhere, refusalsOf, routes } from './interface.ts'
import { payoutRefusals } from './payout-refusal-cases.ts'
import { refusalCases } from './refusal-cases.ts'
import { settlementRefusals } from './settlement-refusal-cases.ts'
import { statementRefusals } from './statement-refusal-cases.ts'
import { addedCodes, catalogue, unmetCodes, unmetRefusals } from './unmet-codes.ts'
import { extensionRefusals } from './x-refusal-cases.ts'

/** One table of cases for each resource, under the name that its test file runs it by. */
const tables: Record<string, readonly { route: string; status: number; code: string }[]> = {
  refusalCases,
  checkoutRefusals,
  payoutRefusals,
  batchRefusals,
  beneficiaryRefusals,
  settlementRefusals,
  statementRefusals,
  extensionRefusals,
}

const line = (route: string, status: number | string, code: string) => `${route} ${status} ${code}`
const promised = routes.flatMap((route) =>
  refusalsOf(route).map(([status, code]) => line(`${route.method} ${route.path}`, status, code)),
)
const met = new Set(
  Object.values(tables)
    .flat()
    .map(({ route, status, code }) => line(route, status, code)),
)
const unmet = unmetRefusals.map(({ route, status, code }) => line(route, status, code))

test('every refusal of every route is met by a case, or listed with the reason why nothing can bring it about', () => {
  assert.ok(promised.length > 150, 'the tables were read')
  const forgotten = promised.filter((refusal) => !met.has(refusal) && !unmet.includes(refusal))
  assert.deepEqual(forgotten, [])
})

test('what is listed as unmet is promised and not met, and each has a reason', () => {
  for (const refusal of unmet) assert.ok(promised.includes(refusal) && !met.has(refusal), refusal)
  for (const why of [...unmetRefusals.map(({ why }) => why), ...Object.values(unmetCodes)]) assert.ok(why.length > 10)
})

test('no case meets what no route promises', () => {
  assert.deepEqual(
    [...met].filter((refusal) => !promised.includes(refusal)),
    [],
  )
})

test('every table of cases is run by a test', async () => {
  const tests = textsOf(await readTree(), /^tests\/contract\/.*\.test\.ts$/).filter(
    ({ path }) => !path.endsWith('every-refusal.test.ts'),
  )
  for (const name of Object.keys(tables)) {
    assert.ok(linesMatching(tests, new RegExp(`\\b${name}\\b.*\\)|of .*\\b${name}\\b`)).length > 0, `${name} is run`)
  }
})

const answered = new Set([
  ...routes.flatMap((route) => refusalsOf(route).map(([status, code]) => `${status} ${code}`)),
  ...refusalsOf({ refusals: elsewhere, added: {} }).map(([status, code]) => `${status} ${code}`),
])
const catalogued = refusalsOf({ refusals: catalogue, added: {} }).map(([status, code]) => `${status} ${code}`)

test("every code of the interface's table of errors is answered somewhere with its status", () => {
  assert.deepEqual(
    catalogued.filter((pair) => !answered.has(pair)),
    [],
  )
})

test('nothing is answered that is not in that table, but for what we added', () => {
  const added = addedCodes.map(({ status, code }) => `${status} ${code}`)
  const own = [...answered].filter((pair) => !catalogued.includes(pair))
  assert.deepEqual(own.sort(), added.sort())
  const codes = new Set([...answered].map((pair) => pair.split(' ')[1]))
  assert.deepEqual(
    Object.keys(errorMessages).filter((code) => !codes.has(code)),
    [],
    'no code without a route',
  )
  for (const code of Object.keys(unmetCodes)) assert.ok(!(code in errorMessages), `${code} is answered by nothing`)
})
