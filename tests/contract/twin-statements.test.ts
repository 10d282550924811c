import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStatement, type StatementEnd } from '../../src/statement-files/read-statement.ts'
import type { StatementRow } from '../../src/statement-files/statement-row.ts'
import type { Execution, Operation } from '../../src/twin/state.ts'
import { writeStatement } from '../../src/twin/statements.ts'

const at = Date.UTC(2026, 10, 9, 8)
const movement = (nth: number, direction: Execution['direction'], amount: number, wallet_after: number) =>
  ({
    ...{ at: at + nth * 60_000, kind: direction, reference: `ours-${nth}`, direction, operator: 'mtn_ci' },
    ...{ amount, fee: 10, msisdn: '+2250501020304', wallet_after },
  }) as const

const moved = [movement(1, 'collection', 2_000, 1_990), movement(2, 'payout', 500, 1_480)]

async function written(api: string, plant: string | null): Promise<{ rows: StatementRow[]; end: StatementEnd }> {
  const movements = moved.map((one) => ({ ...one, api })) as Execution[]
  const operationOf = ({ reference }: Execution) => ({ transaction: `their-${reference}` }) as Operation
  const text = (moment: number) => new Date(moment).toISOString().replace('.000', '')
  const csv = writeStatement(api, '2026-11-09', plant, { movements, operationOf, text })
  const reading = readStatement(Buffer.from(csv), { profile: 'guess' })
  const rows: StatementRow[] = []
  for (;;) {
    const next = await reading.next()
    if (next.done) return { rows, end: next.value }
    rows.push(next.value)
  }
}

for (const [api, profile, chain, fees] of [
  ['wave', 'wave_csv_fr', 'whole', [10, 10]],
  // MTN's export has an empty column of balances.
  ['mtn', 'mtn', 'none', [10, 10]],
  ['pawapay', 'pawapay', 'none', [0, 0]],
] as const) {
  test(`the twin's statement of ${api} is read as what it moved`, async () => {
    const { rows, end } = await written(api, null)
    assert.ok(end.kind === 'read', JSON.stringify(end))
    assert.equal(end.profile.profile, profile)
    assert.deepEqual(
      rows.map(({ direction, gross, fee, our_reference }) => [direction, gross, fee, our_reference]),
      [
        ['in', 2_000, fees[0], 'ours-1'],
        ['out', 500, fees[1], 'ours-2'],
      ],
    )
    assert.equal(end.chain.status, chain)
  })
}

test('planted errors change the first line alone', async () => {
  const shown = async (plant: string) =>
    (await written('wave', plant)).rows.map(({ gross, fee, direction }) => [direction, gross, fee])
  const [first, second] = [
    ['in', 2_000, 10],
    ['out', 500, 10],
  ]
  assert.deepEqual(await shown('missing_there'), [second])
  assert.deepEqual(await shown('duplicate'), [first, first, second])
  assert.deepEqual(await shown('amount_differs'), [['in', 2_001, 10], second])
  assert.deepEqual(await shown('reversed'), [first, ['out', 2_000, 0], second])
  assert.deepEqual(await shown('fee'), [['in', 2_000, 11], second])
  await assert.rejects(written('wave', 'nonsense'), /The errors are missing_here/)
  await assert.rejects(written('moov', null), /There are statements of wave/)
})
