import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, openInstallation } from '../harness/installation.ts'
import fc from '../harness/property.ts'
import { seedOfFile } from '../harness/seed.ts'
import { checkRefusal, codeOf } from './answers.ts'
import { hostileBodies } from './hostile-bodies.ts'
import { refusalsOf, routeNamed } from './interface.ts'
import { newNumber, post } from './sender.ts'
import { newSettler, SETTLEMENTS } from './settler.ts'

/** A failed run prints its seed; SEED repeats it. */
const seed = seedOfFile()

/** The balance in francs, so large that one request cannot take it all and hide the other refusals. */
const AVAILABLE = 2_000_000

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

const promised = new Set(refusalsOf(routeNamed('POST /v1-settlements')).map((refusal) => refusal.join(' ')))

test('600 hostile requests are refused by a declared code or accepted whole, without a fault, and the money adds up', async () => {
  const settler = await newSettler(installation, { available: AVAILABLE })
  const wallet = await settler.newWallet(newNumber())
  const amounts = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 20_000 }).map(String) },
    fc.constantFrom(
      '0',
      '-1',
      '5000.0',
      '5e3',
      '"5000"',
      'null',
      '200000',
      String(AVAILABLE + 1),
      '9223372036854775808',
      '[5000]',
    ),
    fc.json({ maxDepth: 2 }),
  )
  const ids = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(settler.destination, settler.destination.toUpperCase(), wallet) },
    fc.uuid(),
    fc.constantFrom('', "'; drop table settlements; --", '%00', '00000000-0000-0000-0000-000000000000'),
    fc.string({ unit: 'binary' }),
  )
  const shaped = fc
    .record({ amount: amounts, beneficiary: ids.map((id) => JSON.stringify(id)), more: fc.json({ maxDepth: 2 }) })
    .map(({ amount, beneficiary, more }) => `{"amount":${amount},"beneficiary":${beneficiary},"status":${more}}`)
  const texts = fc.oneof(
    { weight: 4, arbitrary: shaped.map((text): string | Uint8Array => text) },
    hostileBodies.map(({ bytes }): string | Uint8Array => bytes),
  )
  let taken = 0
  const outcomes = new Map<string, number>()
  for (const text of fc.sample(texts, { seed, numRuns: 600 })) {
    const { body: _, ...asked } = post(SETTLEMENTS, settler.key, null)
    const answer = await installation.ask({ ...asked, text })
    const why = `seed ${seed}: ${Buffer.from(text).toString('utf8').slice(0, 300)}`
    const code = codeOf(answer) ?? 'accepted'
    outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
    if (answer.status === 202) taken += (answer.json() as { amount: number }).amount
    else {
      assert.ok(answer.status < 500 && promised.has(`${answer.status} ${code}`), `${why}\n${answer.text}`)
      checkRefusal(answer, answer.status, code, why)
    }
  }
  const reached = ['accepted', 'invalid_body', 'invalid_amount', 'invalid_beneficiary', 'destination_introuvable']
  for (const code of [...reached, 'destination_non_designee', 'sous_le_plancher']) {
    assert.ok((outcomes.get(code) ?? 0) >= 3, `seed ${seed}: ${code} in ${JSON.stringify([...outcomes])}`)
  }
  const { available, settlements_in_flight } = await settler.balances()
  assert.deepEqual([available, settlements_in_flight], [AVAILABLE - taken, taken], `seed ${seed}`)
})
