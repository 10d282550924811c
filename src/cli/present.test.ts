import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from './present.ts'

test('sentences of a list have a line each, and a few words share one', () => {
  const ok = ['PUBLIC_URL: It is https://pay.example.ci.', 'clock: It agrees.']
  assert.equal(
    present({ ok, warnings: ['differs', 'runs_out'] }),
    'ok:\n  PUBLIC_URL: It is https://pay.example.ci.\n  clock: It agrees.\nwarnings: differs, runs_out',
  )
})
