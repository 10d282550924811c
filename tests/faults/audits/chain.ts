import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { chainChecks } from '../../../src/app/audit/chain-checks.ts'
import { findLostHeads, parseHead, readChainHeads, writeHead } from '../../../src/audit-log/chain-heads.ts'
import { chainLines } from '../../../src/audit-log/chain-lines.ts'
import { recordAct } from '../../../src/audit-log/record-act.ts'
import type { Sql, Tx } from '../../../src/platform/postgres/database.ts'
import { actor } from '../../harness/actor.ts'
import type { TestDatabase } from '../../harness/database.ts'
import { withoutTriggers } from '../../harness/without-triggers.ts'

const lineOfOne = (line: number) => new RegExp(`^${ONE} line ${line} `)

/** Merchants that have no other line in the audit log. */
const [ONE, TWO, NOBODY] = [900_001, 900_002, 900_007] as const

/** Tests the chain of the audit log, without a service that would chain its lines. */
export function testChain(db: () => TestDatabase): void {
  before(() => chainLines(db().sql, { everything: true }))

  const act = (merchant_id: number, name: string) =>
    db().sql.begin(async (tx) =>
      recordAct(
        tx,
        { merchant_id, livemode: true },
        { actor: actor(name), act: 'caps.set', after: { day: 1, to: 'é' } },
      ),
    )
  const found = async (tx: Tx) => [...(await chainChecks[0]!.contradictions(tx))].map(({ example }) => example)
  const broken = () => db().sql.begin(found)

  /** Runs a change with the triggers off, returns the audit's findings, and rolls the change back. */
  async function whenHarmed(statement: string): Promise<string[]> {
    const undo = new Error('undone')
    let examples: string[] = []
    await assert.rejects(
      db().sql.begin(async (tx) => {
        await withoutTriggers(tx)
        await tx.unsafe(statement)
        examples = await found(tx)
        throw undo
      }),
      undo,
    )
    return examples
  }

  test('concurrent turns chain each line once, and put a line that commits late at the end', async () => {
    for (const name of ['awa', 'issa', 'koffi']) await act(ONE, name)
    await act(TWO, 'awa')
    await Promise.all([1, 2, 3].map(() => chainLines(db().sql)))
    await chainLines(db().sql)
    const late = { at: "clock_now() - interval '10 minutes'" }
    await db().sql.unsafe(
      `insert into audit_log (merchant_id, at, actor, door, act) values (${ONE}, ${late.at}, 'aya', 'console', 'a.b')`,
    )
    assert.equal(await chainLines(db().sql), 1)
    assert.equal(await chainLines(db().sql), 0)
    const chain = await db().sql<{ merchant_id: number; sequence: number; actor: string }[]>`
    select c.merchant_id, c.sequence, l.actor
      from audit_chain c join audit_log l on l.merchant_id = c.merchant_id and l.id = c.line_id
     where c.merchant_id in (${ONE}, ${TWO})
     order by c.merchant_id, c.sequence`
    assert.deepEqual(
      chain.map(({ merchant_id, sequence, actor: who }) => `${merchant_id} ${sequence} ${who}`),
      [`${ONE} 1 awa`, `${ONE} 2 issa`, `${ONE} 3 koffi`, `${ONE} 4 aya`, `${TWO} 1 awa`],
    )
    assert.deepEqual(await broken(), [])
  })

  test('a full turn chains an old line that the quick turns miss', async () => {
    await db().sql`insert into audit_log (merchant_id, at, actor, door, act)
               values (${TWO}, clock_now() - interval '3 days', 'yao', 'console', 'a.b')`
    assert.equal(await chainLines(db().sql), 0)
    assert.equal(await chainLines(db().sql, { everything: true }), 1)
    assert.deepEqual(await broken(), [])
  })

  test('the audit finds a line changed or deleted without the triggers, and names the first broken one', async () => {
    const second = `merchant_id = ${ONE} and actor = 'issa'`
    for (const harm of [
      `update audit_log set after = '{"day": 2}' where ${second}`,
      `update audit_log set livemode = false where ${second}`,
      `update audit_log set from_address = '192.0.2.1' where ${second}`,
      `delete from audit_log where ${second}`,
      `update audit_chain set hash = sha256('x') where merchant_id = ${ONE} and sequence = 2`,
    ]) {
      assert.match((await whenHarmed(harm))[0]!, lineOfOne(2), harm)
    }
    assert.match(
      (await whenHarmed(`delete from audit_chain where merchant_id = ${ONE} and sequence = 2`))[0]!,
      lineOfOne(3),
    )
    assert.deepEqual(await broken(), [])
  })

  test('an end that was removed with its chain is seen by the heads of before, and by nothing else', async () => {
    const heads = (await readChainHeads(db().sql)).filter(({ merchant_id }) =>
      [ONE, TWO].some((one) => one === merchant_id),
    )
    assert.deepEqual(
      heads.map(({ merchant_id, sequence }) => [merchant_id, sequence]),
      [
        [ONE, 4],
        [TWO, 2],
      ],
    )
    for (const head of heads) assert.deepEqual(parseHead(writeHead(head)), head)
    await act(ONE, 'fatou')
    await chainLines(db().sql)
    const lost = (tx: Tx | Sql, some = heads) => findLostHeads(tx, some)
    assert.deepEqual(await lost(db().sql), [], 'a chain that grew has its earlier heads')
    const [ofOne, ofTwo] = heads
    const wrong = [
      { ...ofOne!, sequence: 9 },
      { ...ofOne!, merchant_id: NOBODY },
      { ...ofTwo!, hash: ofOne!.hash },
    ]
    assert.deepEqual(await lost(db().sql, [...heads, ...wrong]), wrong)
    for (const [from, expected] of [
      [5, []],
      [4, [ofOne]],
      [1, [ofOne]],
    ] as const) {
      const undo = new Error('undone')
      await assert.rejects(
        db().sql.begin(async (tx) => {
          await withoutTriggers(tx)
          await tx`delete from audit_log l using audit_chain c
                  where c.merchant_id = ${ONE} and c.sequence >= ${from} and (l.merchant_id, l.id) = (c.merchant_id, c.line_id)`
          await tx`delete from audit_chain where merchant_id = ${ONE} and sequence >= ${from}`
          assert.deepEqual(await found(tx), [], 'the chain alone is unbroken')
          assert.deepEqual(await lost(tx), expected, `from line ${from}`)
          throw undo
        }),
        undo,
      )
    }
  })

  test('a head is one word, and no other text is read as one', () => {
    const head = `0:25:${'9f'.repeat(32)}`
    assert.deepEqual(parseHead(head), { merchant_id: 0, sequence: 25, hash: '9f'.repeat(32) })
    for (const text of [
      '',
      '0:25',
      `0:0:${'9f'.repeat(32)}`,
      `-1:25:${'9f'.repeat(32)}`,
      `${head} `,
      head.toUpperCase(),
      `${head}0`,
    ])
      assert.equal(parseHead(text), null, text)
  })

  test('the chain is append-only', async () => {
    await assert.rejects(db().sql`update audit_chain set sequence = 9`, /append-only/)
    await assert.rejects(db().sql`delete from audit_chain`, /append-only/)
    await assert.rejects(db().sql.unsafe('truncate audit_chain'), /append-only/)
  })
}
