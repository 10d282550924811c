import { setTimeout as sleep } from 'node:timers/promises'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { FaultInput } from '../../src/twin/rules.ts'
import { confirmAll, type KeyedRequest } from '../faults/keyed-requests.ts'
import { countEnds, openLiveInstallation, readOpenOrders } from '../faults/live-installation.ts'
import { readWhole } from '../harness/oracle.ts'
import { seeded } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { happened, never, type Promised, within } from './promised.ts'

/** Nine operators that execute a payout and lie about it. Their answers to inquiries lie too, until the test clears the fault. */
const lies: Record<string, { send: FaultInput; read: string }> = {
  'cuts the connection': { send: { fault: 'lose_answer' }, read: 'say_500' },
  'says 500': { send: { fault: 'say_500' }, read: 'cut' },
  'says 503': { send: { fault: 'say_503', effect: true }, read: 'say_html' },
  'says 429': { send: { fault: 'say_429', effect: true }, read: 'say_503' },
  'shows a page': { send: { fault: 'say_html' }, read: 'say_429' },
  'never answers': { send: { fault: 'hang', effect: true }, read: 'say_500' },
  'answers after our time-out': { send: { fault: 'late_answer', after_seconds: 40 }, read: 'say_500' },
  'answers a few bytes a second': { send: { fault: 'slow_bytes' }, read: 'slow_bytes' },
  'denies it when asked': { send: { fault: 'lose_answer' }, read: 'read_not_found' },
}

/** Seconds during which answers to inquiries lie too: longer than the time-out of a send. */
const LYING_S = 45
const SETTLED_S = 90
/** Five bad answers in a row open a contract's circuit. Then the rest would wait, and no lie would reach it. */
const OF_ONE_CONTRACT = 4
/** Francs. Each lie has its own amount, by which the twin selects the payouts to lie about. */
const AMOUNT = 1_000

type Seen = { lie: string; payouts: number; failed: number; settled: number; slowest_s: number }

/** Sends `payouts` payouts under each lie, all at once, and measures how soon they are settled once the operator tells the truth. */
export async function fireLies(seed: number, payouts: number): Promise<Promised[]> {
  await using live = await openLiveInstallation(seeded(seed), 1)
  const { sql, twin } = live
  twin.script({ outcome: 'succeed' })
  const told = Object.values(lies).map(({ send, read }, at) => {
    const of_send = twin.fault({ ...send, amount: AMOUNT + at })
    return { of_send, of_read: twin.fault({ fault: read, on: 'read', amount: AMOUNT + at }) }
  })
  const requests: KeyedRequest[] = []
  for (let made = 0; made < told.length * payouts; ) {
    const newPayout = await live.newContract(Math.floor(made / OF_ONE_CONTRACT))
    for (let of = 0; of < OF_ONE_CONTRACT && made < told.length * payouts; of += 1, made += 1) {
      requests.push(newPayout(AMOUNT + Math.floor(made / payouts)))
    }
  }
  // A callback would reach another contract than its order's. Without callbacks only inquiries end a payout.
  twin.fault({ fault: 'callback_never' })
  await using service = await live.start()
  await confirmAll(service.address, requests)
  await waitFor(() => twin.operations().length === requests.length, { deadline_ms: 150_000, what: 'all to be sent' })
  await sleep(LYING_S * 1_000)
  const { faults } = twin.rules()
  const least = (of: keyof (typeof told)[number]) =>
    Math.min(...told.map((ids) => faults.find(({ id }) => id === ids[of])!.used))
  const [sends, questions] = [least('of_send'), least('of_read')]
  for (const { of_read } of told) twin.clear('faults', of_read)
  const truth_at = machineMilliseconds()
  const due = await readDue(sql)
  await waitFor(async () => (await readOpenOrders(sql)).length === 0, { deadline_ms: 2 * SETTLED_S * 1_000 }).catch(
    () => {},
  )
  const seen = await readSeen(sql, (id) => Math.max(truth_at, due.get(id) ?? 0))
  await service.stop()
  const ends = await countEnds(live)
  for (const one of seen) process.stderr.write(`${JSON.stringify(one)}\n`)
  return [
    happened('lies about sends, for the lie with the fewest', sends, payouts),
    happened('lies in answers to inquiries, for the lie with the fewest', questions, 1),
    ...seen.flatMap(({ lie, payouts: made, settled, slowest_s }) => [
      happened(`executes, and ${lie}: settled`, settled, made),
      within(`executes, and ${lie}: from the truth or the next inquiry to the last end`, slowest_s, SETTLED_S),
    ]),
    never(
      'payouts that a lie ever moved to failed',
      seen.reduce((all, { failed }) => all + failed, 0),
    ),
    never('telephones that were paid twice under a lie', ends.executed_twice),
    never('results that contradict the lying operator', ends.untrue),
    never('audits with findings after the lies', ends.audit_ok ? 0 : 1),
  ]
}

/** The time of the next inquiry about each open payout, in milliseconds since 1970. */
async function readDue(sql: Sql): Promise<Map<string, number>> {
  const rows = await readWhole(
    sql,
    (tx) => tx<{ subject_id: string; next_check_at: Date }[]>`
      select subject_id, next_check_at from instructions where next_check_at is not null`,
  )
  return new Map(rows.map(({ subject_id, next_check_at }) => [subject_id, next_check_at.getTime()]))
}

async function readSeen(sql: Sql, startOf: (id: string) => number): Promise<Seen[]> {
  const rows = await readWhole(
    sql,
    (tx) => tx<{ id: string; amount: number; status: string; concluded_at: Date | null; failed: number }[]>`
      select p.id, p.amount, p.status, i.concluded_at,
             (select count(*) from payout_transitions_log t where t.payout_id = p.id and t.to_status = 'failed') as failed
        from payouts p
        join instructions i on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)`,
  )
  return Object.keys(lies).map((lie, at) => {
    const ours = rows.filter(({ amount }) => amount === AMOUNT + at)
    const settled = ours.filter(({ status }) => status === 'succeeded')
    const took = ours.map((one) => (one.concluded_at?.getTime() ?? machineMilliseconds()) - startOf(one.id))
    return {
      lie,
      payouts: ours.length,
      failed: ours.filter(({ failed }) => failed > 0).length,
      settled: settled.length,
      slowest_s: Math.max(0, ...took) / 1_000,
    }
  })
}
