import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { beginCodeSubmission, wasCodeSubmitted } from '../../src/operators/sending/code-store.ts'
import { lapseOfCode } from '../../src/operators/sending/lapse-of-code.ts'
import { findInstruction } from '../../src/operators/store.ts'
import { openTestDatabase } from '../harness/database.ts'
import { openDoubts } from './doubts.ts'

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { sql } = db

/** Creates a collection whose payer was asked for a code the given minutes ago. */
async function waiting(minutes: number) {
  const { subject_id } = await openDoubts(sql).inDoubt([])
  await sql`
    update instructions
       set state = 'sent', next_action = '{"type": "enter_code", "message": "Type."}',
           sent_at = clock_now() - make_interval(mins => ${minutes}::integer)
     where subject_id = ${subject_id}`
  return (await findInstruction(sql, subject_id))!
}

test('a wait for a code lapses even if the worker died before it recorded the lapse', async () => {
  const instruction = await waiting(11)
  for (const _ of ['a worker that dies', 'the next one']) {
    const answer = await lapseOfCode(sql, instruction)
    assert.equal(answer?.kind === 'refused' && answer.failure_code, 'payer_timeout')
  }
  assert.equal(await beginCodeSubmission(sql, instruction), false, 'no code is given any more')
  assert.equal(await wasCodeSubmitted(sql, instruction), false, 'and none is said to be with the operator')
})

test('a wait does not lapse early, nor after the payer has given a code', async () => {
  const early = await waiting(9)
  assert.equal(await lapseOfCode(sql, early), null)
  assert.equal(await beginCodeSubmission(sql, early), true)
  await sql`update instructions set sent_at = clock_now() - interval '1 hour' where subject_id = ${early.subject_id}`
  assert.equal(await lapseOfCode(sql, early), null)
  assert.equal(await wasCodeSubmitted(sql, early), true)
})
