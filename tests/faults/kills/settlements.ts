import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sql } from '../../../src/platform/postgres/database.ts'
import { ask as send } from '../../contract/ask.ts'
import { databaseSettings } from '../../harness/database.ts'
import type { Installation } from '../../harness/installation.ts'
import { livemode } from '../../harness/mode.ts'
import { checkBooks } from '../../harness/oracle.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { askFor, confirmAll, keyedRequest } from '../keyed-requests.ts'
import { idOf } from '../payout-merchant.ts'
import {
  availableOf,
  bankOf,
  inFlightOf,
  newSettlementMerchant,
  type SettlementMerchant,
  settlement,
} from '../settlement-merchant.ts'
import { decide, type Verb } from './decide.ts'
import type { Moment } from './moment.ts'

// The moments after a process wrote a settlement and before its answer: to a request, and to a person's decision.

/** Returns a merchant that is owed so many francs, collected by the service at an address. */
function merchantAt(installation: Installation, address: string, available: number): Promise<SettlementMerchant> {
  return newSettlementMerchant({ ...installation, ask: (asked) => send(address, asked) }, { available })
}

/** The moments of requests. They are the same in live mode, which leaves them out: no order leaves. */
export function settlementMoments(): Moment[] {
  const points = livemode ? [] : (['after_hold_insert', 'after_commit_before_ack'] as const)
  return points.map((point) => ({
    point,
    time: 1,
    by: 'settlements',
    async prepare(installation, address) {
      const { sql } = installation.db
      const merchant = await merchantAt(installation, address, 200_000)
      const requests = Array.from({ length: 30 }, () => keyedRequest(settlement(merchant, 5_000)))
      return {
        run: (at) => Promise.all(requests.map((one) => askFor(at, one))),
        confirm: (at) => confirmAll(at, requests),
        async check() {
          const ids = new Set(requests.map(({ acknowledged }) => idOf(acknowledged!)))
          assert.equal(ids.size, requests.length)
          const rows = await sql<{ id: string }[]>`
            select id from settlements where merchant_id = ${merchant.merchant_id} and livemode = false`
          assert.deepEqual(new Set(rows.map(({ id }) => id)), ids, 'no settlement that nobody was told of')
          assert.equal(await inFlightOf(sql, merchant), 30 * 5_000)
          assert.equal(await availableOf(sql, merchant), 50_000)
        },
      }
    },
  }))
}

const program = fileURLToPath(new URL('decide-and-die.ts', import.meta.url))

/** Decides in a process that dies before its commit. Returns its signal, or what it printed. */
async function decideAndDie(url: string, verb: Verb, id: string): Promise<string> {
  const child = spawn(process.execPath, [program, verb, id], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...databaseSettings(url), CRASH_POINTS: 'on', CRASH_AT: 'during_act' },
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
  const [row] = await sql<{ status: string; moves: number; events: number; lines: number }[]>`
    select s.status, s.transition_count as moves,
           (select count(*) from events e
             where e.merchant_id = s.merchant_id and e.livemode = s.livemode and e.subject_id = s.id) as events,
           (select count(*) from audit_log l where l.merchant_id = s.merchant_id and l.subject = s.id) as lines
      from settlements s
     where s.id = ${id}`
  return { ...row! }
}

/** Kills the process of each decision before its commit, which leaves no trace, and repeats it. */
export async function killDecisions(installation: Installation, address: string): Promise<void> {
  const { sql, url } = installation.db
  const merchant = await merchantAt(installation, address, 10_000)
  const [id, rejected] = [
    idOf(await send(address, settlement(merchant, 5_000))),
    idOf(await send(address, settlement(merchant, 5_000))),
  ]
  const steps = [
    { verb: 'validate', id, status: 'validated', books: [0, 10_000, 0] },
    { verb: 'pay', id, status: 'paid', books: [0, 5_000, 5_000] },
    { verb: 'reject', id: rejected, status: 'rejected', books: [5_000, 0, 5_000] },
  ] as const
  for (const { verb, id: subject, status, books } of steps) {
    const before = [await standing(sql, subject), await booksOf(sql, merchant)]
    assert.equal(await decideAndDie(url, verb, subject), 'SIGKILL', verb)
    // The dead process's transaction may still be open on the server for a moment.
    const isOver = async () =>
      (
        await sql`select from pg_stat_activity where application_name = 'decide and die' and datname = current_database()`
      ).length === 0
    await waitFor(isOver, { what: 'the end of its connections' })
    assert.deepEqual([await standing(sql, subject), await booksOf(sql, merchant)], before, `${verb} left nothing`)
    assert.equal(await decide(sql, verb, subject), 'moved', verb)
    const moves = (before[0] as { moves: number }).moves + 1
    assert.deepEqual(await standing(sql, subject), { status, moves, events: moves, lines: moves })
    assert.deepEqual(await booksOf(sql, merchant), books)
    assert.equal(await decide(sql, verb, subject), status, `${verb} again`)
  }
  await checkBooks(sql)
}

async function booksOf(sql: Sql, merchant: SettlementMerchant): Promise<number[]> {
  return [await availableOf(sql, merchant), await inFlightOf(sql, merchant), await bankOf(sql, merchant)]
}
