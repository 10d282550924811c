import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOf } from '../../sdk/typescript/src/index.ts'
import { stateTables } from '../repository/state-tables.ts'

/** The resources of which `outcomeOf` speaks, as docs/states.md names them. */
const titles = ['Payment', 'Payout', 'Payout request', 'Payout batch', 'Checkout session', 'Settlement']

test('no state that the service can still leave for money that moves is not_paid', () => {
  for (const title of titles) {
    const { transitions } = stateTables.find((table) => table.title === title)!
    const object = title.toLowerCase().replace(' ', '_')
    const said = (status: string) => outcomeOf({ object, status })
    const onward = (status: string): string[] =>
      transitions.filter(({ from, to }) => from === status && to !== status).map(({ to }) => to)
    const states = new Set(transitions.flatMap(({ from, to }) => [from, to]))
    for (const status of states) {
      if (said(status) === 'not_paid') assert.deepEqual(onward(status), [], `${object} ${status}`)
      if (said(status) === 'paid') for (const next of onward(status)) assert.match(said(next), /^(paid|returned)$/)
    }
    assert.ok(
      [...states].some((status) => said(status) === 'waiting'),
      object,
    )
  }
})
