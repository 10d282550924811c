import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { ask as send } from '../contract/ask.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { checkBooks } from '../harness/oracle.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askFor, confirmAll, keyedRequest } from './keyed-requests.ts'
import { idOf } from './payout-merchant.ts'
import {
  availableOf,
  bankOf,
  inFlightOf,
  newSettlementMerchant,
  type SettlementMerchant,
  settlement,
} from './settlement-merchant.ts'

// The tests kill a process after its commit and before its answer: to a request, and to a person's decision.

describe('a service killed while settlements are requested', { concurrency: 2 }, () => {
  for (const point of ['after_hold_insert', 'after_commit_before_ack'] as const) {
    test(`${point}: each request has one settlement and one answer, and its money is taken once`, async () => {
      await using installation = await openInstallation({
        processes: [['--only', 'worker']],
        own: 'reads whole tables',
      })
      const { sql } = installation.db
      const merchant = await merchantOf(installation)
      const first = await installation.start({
        env: { CRASH_POINTS: 'on', CRASH_AT: `${point}:1` },
        args: ['--only', 'api'],
      })
      const requests = Array.from({ length: 30 }, () => keyedRequest(settlement(merchant, 5_000)))
      await Promise.all(requests.map((one) => askFor(first.address, one)))
      assert.equal((await first.ended).signal, 'SIGKILL')

      const second = await installation.start({ args: ['--only', 'api'] })
      await confirmAll(second.address, requests)
      const ids = new Set(requests.map(({ acknowledged }) => idOf(acknowledged!)))
      assert.equal(ids.size, requests.length)
      const rows = await sql<{ id: string }[]>`
        select id from settlements where merchant_id = ${merchant.merchant_id} and livemode = false`
      assert.deepEqual(new Set(rows.map(({ id }) => id)), ids, 'no settlement that nobody was told of')
      assert.equal(await inFlightOf(sql, merchant), 30 * 5_000)
      assert.equal(await availableOf(sql, merchant), 50_000)
      await checkBooks(sql)
    })
  }
})

/** With 200 000 francs: collected by a process of its own, which stays. */
async function merchantOf(installation: Installation): Promise<SettlementMerchant> {
  await using collecting = await installation.start({ args: ['--only', 'api'] })
  const ask: Installation['ask'] = (asked) => send(collecting.address, asked)
  return await newSettlementMerchant({ ...installation, ask }, { available: 200_000 })
}

const program = fileURLToPath(new URL('decide-and-die.ts', import.meta.url))

/** The result of the decision, or the signal that killed its process. */
async function decide(url: string, verb: string, id: string, crash: boolean): Promise<string> {
  const child = spawn(process.execPath, [program, verb, id], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...databaseSettings(url),
      ...(crash ? { CRASH_POINTS: 'on', CRASH_AT: 'during_act' } : {}),
    },
  })
  let said = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const [, signal] = await once(child, 'close')
  return signal ?? said
}

async function standing(sql: Sql, id: string) {
  const [row] = await sql<{ status: string; moves: number; events: number }[]>`
    select s.status, s.transition_count as moves,
           (select count(*) from events e
             where e.merchant_id = s.merchant_id and e.livemode = s.livemode and e.subject_id = s.id) as events
      from settlements s
     where s.id = ${id}`
  return { ...row! }
}

test('a decision whose process is killed before its commit leaves no trace, and succeeds when repeated', async () => {
  await using installation = await openInstallation({ own: 'reads whole tables' })
  const { sql, url } = installation.db
  const merchant = await newSettlementMerchant(installation, { available: 10_000 })
  const [id, rejected] = [
    idOf(await installation.ask(settlement(merchant, 5_000))),
    idOf(await installation.ask(settlement(merchant, 5_000))),
  ]
  const steps = [
    { verb: 'validate', id, status: 'validated', books: [0, 10_000, 0] },
    { verb: 'pay', id, status: 'paid', books: [0, 5_000, 5_000] },
    { verb: 'reject', id: rejected, status: 'rejected', books: [5_000, 0, 5_000] },
  ]
  for (const { verb, id: subject, status, books } of steps) {
    const before = [await standing(sql, subject), await booksOf(sql, merchant)]
    assert.equal(await decide(url, verb, subject, true), 'SIGKILL', verb)
    // The dead process's transaction may still be open on the server for a moment.
    const isOver = async () =>
      (
        await sql`select from pg_stat_activity where application_name = 'decide and die' and datname = current_database()`
      ).length === 0
    await waitFor(isOver, { what: 'the end of its connections' })
    assert.deepEqual([await standing(sql, subject), await booksOf(sql, merchant)], before, `${verb} left nothing`)
    assert.equal(await decide(url, verb, subject, false), 'moved', verb)
    const moves = (before[0] as { moves: number }).moves + 1
    assert.deepEqual(await standing(sql, subject), { status, moves, events: moves })
    assert.deepEqual(await booksOf(sql, merchant), books)
    assert.equal(await decide(url, verb, subject, false), status, `${verb} again`)
  }
  await checkBooks(sql)
})

async function booksOf(sql: Sql, merchant: SettlementMerchant): Promise<number[]> {
  return [await availableOf(sql, merchant), await inFlightOf(sql, merchant), await bankOf(sql, merchant)]
}
