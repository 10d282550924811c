import { confirmAll, type KeyedRequest } from '../faults/keyed-requests.ts'
import {
  countEnds,
  killUnder,
  type LiveInstallation,
  type OpenOrder,
  openLiveInstallation,
  readOpenOrders,
} from '../faults/live-installation.ts'
import { liveOperators } from '../harness/live-twin.ts'
import { type Seed, seeded } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { happened, never, type Promised, within } from './promised.ts'

/** Installations that are killed in parallel, because each mostly waits until the jobs of its dead process are free again. */
const SIDE_BY_SIDE = 4
const MERCHANTS = 10
const PAYMENTS = 200
const PAYOUTS = 100
/** Sends under way when the service is killed. */
const UNDER_WAY = 15
const ENDS_S = 90
/** A reference that Wave does not hold counts only a minute after it was sent. */
const WAVE_PAYOUTS_S = 150

type Round = { held: number; never_held: number; ends_s: number; wave_payouts_s: number; open: number }
type Fired = { rounds: Round[]; requests: number; ends: Awaited<ReturnType<typeof countEnds>> }

/**
 * Repeats `kills` times: kills the service at random while it sends 300 live payments and payouts, starts it again and waits until all have
 * ended. The twin's journal says what money moved.
 */
export async function fireKills(seed: number, kills: number): Promise<Promised[]> {
  const shares = Array.from({ length: SIDE_BY_SIDE }, (_, at) => Math.floor((kills + at) / SIDE_BY_SIDE))
  const busy = shares.filter((share) => share > 0)
  const fired = await Promise.all(busy.map((share, at) => fireInstallation(seeded(seed + at), share, at)))
  const rounds = fired.flatMap((one) => one.rounds)
  const sum = (of: (one: Fired) => number) => fired.reduce((total, one) => total + of(one), 0)
  const most = (of: (one: Round) => number) => Math.max(...rounds.map(of))
  const whom = liveOperators.map(({ operator }) => operator).join(', ')
  const wave = liveOperators.some(({ operator }) => operator === 'wave_ci')
  return [
    happened(`kills under ${PAYMENTS + PAYOUTS} live payments and payouts (${whom})`, rounds.length, kills),
    happened(
      'sends under way at the kill whose answer was lost',
      rounds.reduce((all, { held }) => all + held, 0),
      1,
    ),
    happened(
      'sends begun at the kill that had not reached their operator',
      rounds.reduce((all, one) => all + one.never_held, 0),
      1,
    ),
    within(
      'the last end after a restart',
      most(({ ends_s }) => ends_s),
      ENDS_S,
    ),
    ...(wave
      ? [
          within(
            'the last end of a Wave payout',
            most((one) => one.wave_payouts_s),
            WAVE_PAYOUTS_S,
          ),
        ]
      : []),
    never(
      'operations that did not end by themselves',
      rounds.reduce((all, { open }) => all + open, 0),
    ),
    never(
      'telephones that paid or were paid twice',
      sum(({ ends }) => ends.executed_twice),
    ),
    never(
      'results that contradict the operator',
      sum(({ ends }) => ends.untrue),
    ),
    never(
      'operations left to people',
      sum(({ ends }) => ends.for_people),
    ),
    never(
      'orders lost or made twice',
      sum(({ requests, ends }) => Math.abs(ends.orders - requests)),
    ),
    never('audits with findings', fired.filter(({ ends }) => !ends.audit_ok).length),
    happened(
      'sent again, because the operator did not hold them',
      sum(({ ends }) => ends.sent_again),
      1,
    ),
  ]
}

async function fireInstallation(seed: Seed, kills: number, number: number): Promise<Fired> {
  await using live = await openLiveInstallation(seed, MERCHANTS)
  live.twin.fault({ fault: 'late_answer', after_seconds: 0.2 })
  live.twin.script({ outcome: 'succeed' })
  live.twin.script({ outcome: 'fail', direction: 'collection', reason: 'payer_insufficient_funds', share: 0.1 })
  live.twin.script({ outcome: 'fail', direction: 'payout', reason: 'recipient_not_found', share: 0.1 })
  const rounds: Round[] = []
  let requests = 0
  let service = await live.start()
  for (let kill = 1; kill <= kills; kill += 1) {
    const payments = Array.from({ length: PAYMENTS }, live.newPayment)
    const burst = [...payments, ...Array.from({ length: PAYOUTS }, live.newPayout)]
    requests += burst.length
    const under_way = await killUnder(live, service, seed, { requests: burst, enough: UNDER_WAY })
    service = await live.start()
    const round = { ...under_way, ...(await untilEnded(live, service, burst)) }
    rounds.push(round)
    process.stderr.write(`installation ${number + 1}, kill ${kill}: ${JSON.stringify(round)}\n`)
  }
  await service.stop()
  return { rounds, requests, ends: await countEnds(live) }
}

/** Repeats the requests until each is acknowledged, waits until their orders have ended, and returns when the last one ended, in seconds after the restart. */
async function untilEnded({ sql }: LiveInstallation, service: Service, burst: readonly KeyedRequest[]) {
  const restarted = performance.now()
  const passed = () => (performance.now() - restarted) / 1_000
  const isWavePayout = ({ operator, direction }: OpenOrder) => operator === 'wave_ci' && direction === 'payout'
  await confirmAll(service.address, burst)
  let ends_s: number | null = null
  let open: OpenOrder[] = []
  const look = async () => {
    open = await readOpenOrders(sql)
    if (open.every(isWavePayout)) ends_s ??= passed()
    return open.length === 0
  }
  await waitFor(look, { deadline_ms: WAVE_PAYOUTS_S * 1_000 }).catch(() => {
    process.stderr.write(`not ended: ${JSON.stringify(open.slice(0, 5))}\n`)
  })
  const wave_payouts_s = passed()
  return { ends_s: ends_s ?? wave_payouts_s, wave_payouts_s, open: open.length }
}
