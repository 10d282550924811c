import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

// The README names the decisions that take two people. docs/acts.md, which is derived, has the acts in which the first person is refused.

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The decision of each act in which the first person is refused, as the README names it. Null: nobody does it to themselves, and that is all. */
const decisions: Readonly<Record<string, string | null>> = {
  'payout_request.approve': 'a payout',
  'payout_request.reject': 'a payout',
  'payout_batch.approve': 'a batch',
  'payout_batch.reject': 'a batch',
  'key.confirm': 'a payout key',
  'destination.designate': 'the destination of settlements',
  'destination.refuse': 'the destination of settlements',
  'destination.call': 'the destination of settlements',
  'destination.approve': 'the destination of settlements',
  'destination.reject': 'the destination of settlements',
  'settlement.validate': 'a settlement',
  'settlement.pay': 'a settlement',
  'settlement.reject': 'a settlement',
  'caps.approve': 'a higher cap',
  'caps.refuse': 'a higher cap',
  'person.confirm': 'a role',
  'staff.confirm': 'a role',
  'member.confirm': 'a role',
  'anomaly.approve': 'an operation in doubt',
  'anomaly.refuse': 'an operation in doubt',
  'refund.paid': 'a refund by hand',
  'refund.cancel': 'a refund by hand',
  'adjustment.approve': 'an adjustment',
  'adjustment.refuse': 'an adjustment',
  'payouts.resume': 'resuming payouts',
  'merchant.confirm_single_person': 'the leave of a merchant of one person',
  'merchant_check.approve': 'the check of a merchant',
  'merchant_check.refuse': 'the check of a merchant',
  'deposit.approve': 'a large deposit',
  'deposit.refuse': 'a large deposit',
  'refund.approve': 'a large refund',
  'refund.refuse': 'a large refund',
  'connector.approve': 'a new connector or another address or account of one',
  'connector.refuse': 'a new connector or another address or account of one',
  'route.approve': 'a route to a connector younger than a day',
  'route.refuse': 'a route to a connector younger than a day',
  'reconcile.approve':
    'the opening, a typed statement, the withdrawal of a file or a difference of an external account',
  'reconcile.refuse': 'the opening, a typed statement, the withdrawal of a file or a difference of an external account',
  'person.invite': null,
  'staff.invite': null,
  'owner.invite': null,
  'person.disable': null,
  'person.reset': null,
  'staff.reset': null,
}

const numbers = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
numbers.push('thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty')

test('the README names every decision of two people, and says how many there are', async () => {
  const acts = (await read('docs/acts.md')).matchAll(/^\| `([\w.]+)` \|.*`same_person`/gm)
  assert.deepEqual([...acts].map(([, name]) => name).toSorted(), Object.keys(decisions).toSorted())
  const named = new Set(Object.values(decisions).filter((one) => one !== null))
  const [, count, sentence = ''] =
    /^- \*\*Two people, in these (\w+) decisions:\*\* ((?:.|\n {2})*?)\. The second one/m.exec(
      await read('README.md'),
    ) ?? []
  assert.equal(count, numbers[named.size])
  const said = sentence.replaceAll(/\s+/g, ' ')
  for (const one of named) assert.ok(said.includes(one), one)
})
