import { viewBatch } from '../../src/payout-batches/batch.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { newId } from '../../src/values/ids.ts'
import { emitEvents, type NewEvent } from '../../src/webhooks/emit.ts'
import { freePort } from '../../tests/harness/free-port.ts'
import { createEndpoints } from '../merchants.ts'
import { batchLines, post } from '../requests.ts'
import type { Attack } from './attack.ts'
import { doorAttacks } from './door-attacks.ts'
import { fillBook } from './fill-book.ts'
import type { Body, Shots } from './storm-order.ts'

const KB = 1_024
const MB = KB * KB

/** Every attack that was seen to hurt others, each with less than one key, link or session may do in a minute. */
export const attacks: Record<string, Attack> = {
  ...doorAttacks,
  'event-pages': {
    what: '150 × GET /x/events?limit=100 over payout_batch.finished events of 350 kB',
    judged: [],
    async prepare({ sql, merchant_id, keys, some }) {
      await emitBatchEvents(sql, merchant_id, some(120))
      return { shots: [{ times: some(150), method: 'GET', path: '/x/events?limit=100', key: keys.payout[1]! }] }
    },
  },
  'callbacks-byte-by-byte': {
    what: '90 callbacks of 64 kB in chunks of one byte, without a key',
    judged: [],
    prepare: async ({ some }) => ({
      shots: [shotsOf(some(90), '/operators/simulator/callbacks', null, { kind: 'bytes one by one', bytes: 64 * KB })],
    }),
  },
  'payments-byte-by-byte': {
    what: '6 × POST /v1-payments of 1 MB in chunks of one byte',
    judged: [],
    prepare: async ({ keys, some }) => ({
      shots: [shotsOf(some(6), '/v1-payments', keys.collect[1]!, { kind: 'bytes one by one', bytes: MB })],
    }),
  },
  batches: {
    what: '280 × POST /v1-payout-batches of 500 lines',
    judged: [],
    prepare: async ({ keys, some }) => ({
      shots: [shotsOf(some(280), '/v1-payout-batches', keys.payout[1]!, { kind: 'batch' })],
    }),
  },
  'batch-reads': {
    what: '200 × GET of a batch of 500 lines',
    judged: [],
    async prepare({ address, keys, some }) {
      const { id } = await post(address, keys.payout[0]!, '/v1-payout-batches', { lines: batchLines(0) })
      return { shots: [{ times: some(200), method: 'GET', path: `/v1-payout-batches/${id}`, key: keys.payout[1]! }] }
    },
  },
  book: {
    what: '60 × GET /v1-beneficiaries?limit=1 over a book of a million, and its last page by offset',
    judged: [],
    async prepare({ sql, merchant_id, keys, some }) {
      const entries = some(1_000_000)
      await fillBook(sql, merchant_id, entries)
      const read = (times: number, query: string): Shots => ({
        times,
        method: 'GET',
        path: `/v1-beneficiaries?${query}`,
        key: keys.payout[1]!,
      })
      return { shots: [read(some(60), 'limit=1'), read(1, `limit=100&offset=${entries - 100}`)] }
    },
  },
  'payouts-under-way': {
    what: '12 000 payouts of one merchant, by 24 batches of 500 executed',
    judged: ['whole_payouts'],
    async prepare({ sql, address, merchant_id, keys, some }) {
      const shots: Shots[] = []
      for (let batch = 0; batch < some(24); batch += 1) {
        const { id } = await post(address, keys.payout[0]!, '/v1-payout-batches', { lines: batchLines(batch) })
        shots.push({ times: 1, method: 'POST', path: `/v1-payout-batches/${id}/execute`, key: keys.payout[1]! })
      }
      return { shots, isOver: () => areBatchesFinished(sql, merchant_id) }
    },
  },
  'minus-zeros': {
    what: '60 × POST /v1-payments of 1 MB full of `-0`',
    judged: [],
    prepare: async ({ keys, some }) => ({
      shots: [shotsOf(some(60), '/v1-payments', keys.collect[1]!, { kind: 'minus zeros', bytes: MB, of: 'payment' })],
    }),
  },
  'minus-zeros-in-batches': {
    what: '60 × POST /v1-payout-batches of 1 MB full of `-0`',
    judged: [],
    prepare: async ({ keys, some }) => ({
      shots: [
        shotsOf(some(60), '/v1-payout-batches', keys.payout[1]!, { kind: 'minus zeros', bytes: MB, of: 'batch' }),
      ],
    }),
  },
  'dead-endpoint': {
    what: '6 000 events due at one endpoint that refuses connections',
    judged: ['deliveries'],
    async prepare({ sql, merchant_id, some }) {
      // Nothing listens on a port that was free a moment ago.
      const url = `http://127.0.0.1:${await freePort()}`
      await createEndpoints(sql, [{ merchant_id, key: '' }], { url, event_types: [] })
      const events = Array.from({ length: some(6_000) }, () => paymentEvent(merchant_id))
      let until = Number.POSITIVE_INFINITY
      return {
        shots: [],
        // In one transaction, so that all are due at once.
        async begin() {
          await sql.begin((tx) => emitEvents(tx, events, createClock().now()))
          until = performance.now() + some(DEAD_SECONDS * 1_000)
        },
        isOver: async () => performance.now() > until,
      }
    },
  },
}

/** How long the neighbour is watched beside an endpoint that stays dead. */
const DEAD_SECONDS = 20

function shotsOf(times: number, path: string, key: string | null, body: Body): Shots {
  return { times, method: 'POST', path, key, body }
}

async function areBatchesFinished(sql: Sql, merchant_id: number): Promise<boolean> {
  const [row] = await sql<{ left: number }[]>`
    select count(*)::integer as left
      from payout_batches
     where (merchant_id, livemode) = (${merchant_id}, false)
       and finished_at is null`
  return row!.left === 0
}

/** Events of batches of 500 lines with references of 255 characters, which are 350 kB each. */
async function emitBatchEvents(sql: Sql, merchant_id: number, count: number): Promise<void> {
  const clock = createClock()
  const now = new Date(clock.milliseconds())
  for (let at = 0; at < count; at += 1) {
    const id = newId('pob', clock.milliseconds())
    const batch = {
      merchant_id,
      livemode: false,
      id,
      status: 'termine_avec_erreurs',
      reference: 'wages',
      currency: 'XOF',
      total_amount: 500_000,
      line_count: 500,
      cap_day: 500_000,
      made_by: 'key:bench',
      approved_at: null,
      created_at: now,
      executed_at: now,
      finished_at: now,
    } as const
    const lines = Array.from({ length: 500 }, (_, line) => ({
      rank: line + 1,
      status: 'failed' as const,
      amount: 1_000,
      fee_amount: 0,
      reference: `wage ${line} `.padEnd(255, 'x'),
      payout_id: newId('txn', clock.milliseconds()),
      failure_code: 'recipient_not_found' as const,
      beneficiary_id: '',
      is_inline: true,
      name: 'Awa Koné',
      label: null,
      msisdn: '+2250700000002',
      operator: 'orange_ci',
    }))
    const type = 'payout_batch.finished'
    const event: NewEvent = { merchant_id, livemode: false, type, subject_id: id, data: viewBatch(batch, lines) }
    await sql.begin((tx) => emitEvents(tx, [event], clock.now()))
  }
}

function paymentEvent(merchant_id: number): NewEvent {
  const id = newId('txn', createClock().milliseconds())
  const data = { id, object: 'payment', amount: 10_000, currency: 'XOF', status: 'succeeded' }
  return { merchant_id, livemode: false, type: 'payment.succeeded', subject_id: id, data }
}
