import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readRefused, type SaidLater } from '../../src/operators/doubts/ask-refused.ts'
import type { Connector, ReferencePromise } from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import { withSimulator } from '../../src/operators/simulator/with-simulator.ts'
import { openTestDatabase } from '../harness/database.ts'
import { openDoubts, promise, type Said } from './doubts.ts'

// The word of an operator about an order that it had refused, as a person reads it before paying again.

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { inDoubt } = openDoubts(db.sql)

const registryOf = (one: ReferencePromise) =>
  createRegistry(
    withSimulator({ name: 'simulator', promises: { collect: one, payout: one, refund: one } } as Connector),
  )

/** The end of each order, in seconds after its send: ten minutes before the test begins. */
const REFUSED_SECONDS = 300

/** Refuses an order five minutes after its send, with these answers, and reads the operator's word. */
async function saidAfter(answers: readonly Said[], promised = promise): Promise<SaidLater> {
  const { subject_id } = await inDoubt(answers, promised)
  await db.sql`
    update instructions
       set state = 'refused', failure_code = 'operator_refused', concluded_at = sent_at + make_interval(secs => ${REFUSED_SECONDS})
     where subject_id = ${subject_id}`
  const [order] = await readRefused(
    { sql: db.sql, registry: registryOf(promised) },
    { merchant_id: 1, livemode: false },
    [subject_id],
  )
  return order!.said
}

const forgets: ReferencePromise = { ...promise, same_reference: 'unknown' }
const cases: [name: string, answers: Said[], promised: ReferencePromise, said: SaidLater][] = [
  ['nobody asked since', [['refused', 299]], promise, 'to_ask'],
  ['an inquiry that was under way when it refused', [['not_found', 301]], promise, 'to_ask'],
  ['it refuses again', [['refused', 310]], promise, 'refused'],
  ['it does not hold the order', [['not_found', 310]], promise, 'not_held'],
  ['an operator that forgets orders does not hold it', [['not_found', 310]], forgets, 'silent'],
  ['an operator that forgets orders refuses again', [['refused', 310]], forgets, 'refused'],
  ['money moved before the refusal came', [['settled', 200]], promise, 'moved'],
  [
    'money moved, whatever it says later',
    [
      ['settled', 310],
      ['refused', 320],
      ['not_found', 330],
    ],
    promise,
    'moved',
  ],
  [
    'the newest of two answers counts',
    [
      ['pending', 310],
      ['refused', 320],
    ],
    promise,
    'refused',
  ],
  [
    'an answer that tells nothing hides none',
    [
      ['pending', 310],
      ['unknown', 320],
    ],
    promise,
    'under_way',
  ],
  ['only answers that tell nothing', [['unknown', 310]], promise, 'silent'],
  ['a person, who is no operator', [['not_found', 310, 'person']], promise, 'to_ask'],
]

for (const [name, answers, promised, said] of cases) {
  test(`the later word: ${name}: ${said}`, async () => {
    assert.equal(await saidAfter(answers, promised), said)
  })
}
