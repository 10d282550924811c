import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { failureOf, PostgresError, violatedConstraint } from './failures.ts'

// As the coordinator of Citus 13.2 passes on what one of its machines refused; of a server alone each has a code and a name.

function passedOn(code: string, message: string): PostgresError {
  const error = new pg.DatabaseError(message, 0, 'error')
  error.code = code
  const failure = failureOf(error)
  assert.ok(failure instanceof PostgresError)
  return failure
}

for (const { kind, code, name } of [
  { kind: 'duplicate key value violates unique constraint', code: '23505', name: 'payments_reference_key' },
  {
    kind: 'insert or update on table "refunds_102142" violates foreign key constraint',
    code: '23503',
    name: 'refunds_fkey',
  },
  { kind: 'new row for relation "payouts_102150" violates check constraint', code: '23514', name: 'payouts_check1' },
]) {
  test(`${name} is known by its name when a machine of Citus refuses, with the code or without`, () => {
    for (const told of [code, 'XX000']) {
      for (const constraint of [`${name}_102119`, name]) {
        const failure = passedOn(told, `${kind} "${constraint}"`)
        assert.deepEqual([failure.code, violatedConstraint(failure)], [code, name])
      }
    }
  })
}

test("a missing day's partition has the same code on a machine of Citus as here, and no name", () => {
  const failure = passedOn('XX000', 'no partition of relation "request_log_102050" found for row')
  assert.deepEqual([failure.code, violatedConstraint(failure)], ['23514', null])
})

test("a constraint's name inside a quoted text is not taken for the violated constraint", () => {
  const failure = passedOn('22P02', 'invalid input syntax for type uuid: "x violates check constraint "y"')
  assert.deepEqual([failure.code, violatedConstraint(failure)], ['22P02', null])
})

test('any other internal error of a server stays an internal error', () => {
  const failure = passedOn('XX000', 'cache lookup failed for constraint 4711')
  assert.deepEqual([failure.code, violatedConstraint(failure)], ['XX000', null])
})
