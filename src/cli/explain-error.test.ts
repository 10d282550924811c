import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionLost, PostgresError } from '../platform/postgres/failures.ts'
import { explainError } from './explain-error.ts'

const ofServer = (code: string, severity = 'FATAL') => new PostgresError({ message: 'a quoted value', code, severity })

test('each failure of the database is explained in a sentence with its remedy, and without what the server quotes', () => {
  const cases: [error: Error, words: RegExp][] = [
    [ofServer('53300'), /^The database takes no more connections: .*max_connections/],
    [ofServer('53100', 'ERROR'), /^The database's disk is full/],
    [ofServer('57014', 'ERROR'), /longer than 5 seconds/],
    [ofServer('57P01'), /^The connection to the database was lost\./],
    [new ConnectionLost(new Error('a quoted value')), /^The connection to the database was lost\./],
  ]
  for (const [error, words] of cases) {
    const { message, exit_code, fault } = explainError(error)
    assert.match(message, words)
    assert.doesNotMatch(message, /quoted value/)
    assert.deepEqual([exit_code, fault], [1, false])
  }
})
