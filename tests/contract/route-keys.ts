import { payment } from '../harness/installation.ts'
import type { Asked } from './ask.ts'

/** A status that is a success, or the code of the refusal. */
type Outcome = number | keyof typeof statuses
type Row = {
  /** A request to the route. @param id of a payment of the merchant in test mode */
  ask(key: string, id: string): Asked
  /** The outcome for each good key. */
  outcomes: Record<'test collect' | 'test payout' | 'live collect' | 'live payout', Outcome>
}

/** The status of each refusal that the matrix names. */
export const statuses = {
  insufficient_scope: 403,
  resource_not_found: 404,
  destination_introuvable: 404,
  batch_not_cancellable: 409,
  invalid_beneficiary: 422,
  invalid_lines: 422,
} as const

/** The outcomes of a route that needs this scope; a key that has it gets `outcome`. */
const only = (scope: 'collect' | 'payout', outcome: Outcome): Row['outcomes'] => {
  const collect = scope === 'collect' ? outcome : 'insufficient_scope'
  const payout = scope === 'payout' ? outcome : 'insufficient_scope'
  return { 'test collect': collect, 'test payout': payout, 'live collect': collect, 'live payout': payout }
}
const any = (test: Outcome, live = test): Row['outcomes'] => {
  return { 'test collect': test, 'test payout': test, 'live collect': live, 'live payout': live }
}
const nobody = '00000000-0000-4000-8000-000000000000'
const get =
  (path: string): Row['ask'] =>
  (key) => ({ path, key })
const send = (path: string, key: string, body?: unknown): Asked => ({ ...payment(key, body), path })

/** The keys that each route takes, by `POST /v1-payments`. A route that is not here fails `scope-and-keys.test.ts`. */
export const matrix: Record<string, Row> = {
  'POST /v1-payments': { ask: (key) => payment(key, { amount: 100 }), outcomes: only('collect', 201) },
  'GET /v1-payments/:payment_id': {
    ask: (key, id) => ({ path: `/v1-payments/${id}`, key }),
    // Any key reads, and a live key does not see what belongs to test mode.
    outcomes: any(200, 'resource_not_found'),
  },
  'POST /v1-checkout': {
    ask: (key) => ({ method: 'POST', path: '/v1-checkout', key, body: { amount: 100 } }),
    outcomes: only('collect', 201),
  },
  'POST /v1-payouts': {
    ask: (key) => send('/v1-payouts', key, { amount: 100, beneficiary_id: nobody }),
    outcomes: only('payout', 'resource_not_found'),
  },
  'GET /v1-payouts/:id': { ask: get('/v1-payouts/por_1'), outcomes: any('resource_not_found') },
  'POST /v1-payout-batches': {
    ask: (key) => send('/v1-payout-batches', key, { lines: [] }),
    outcomes: only('payout', 'invalid_lines'),
  },
  'GET /v1-payout-batches/:batch_id': { ask: get('/v1-payout-batches/pob_1'), outcomes: any('resource_not_found') },
  'POST /v1-payout-batches/:batch_id/execute': {
    ask: (key) => send('/v1-payout-batches/pob_1/execute', key),
    outcomes: only('payout', 'resource_not_found'),
  },
  'POST /v1-payout-batches/:batch_id/cancel': {
    ask: (key) => send('/v1-payout-batches/pob_1/cancel', key),
    outcomes: only('payout', 'batch_not_cancellable'),
  },
  'GET /v1-beneficiaries': { ask: (key) => ({ path: '/v1-beneficiaries', key }), outcomes: only('payout', 200) },
  'GET /v1-beneficiaries/:beneficiary_id': {
    ask: (key) => ({ path: `/v1-beneficiaries/${nobody}`, key }),
    outcomes: only('payout', 'resource_not_found'),
  },
  'POST /v1-beneficiaries': {
    ask: (key) => send('/v1-beneficiaries', key, {}),
    outcomes: only('payout', 'invalid_beneficiary'),
  },
  'POST /v1-settlements': {
    ask: (key) => send('/v1-settlements', key, { amount: 5_000, beneficiary: nobody }),
    outcomes: only('payout', 'destination_introuvable'),
  },
  'GET /v1-statements': {
    ask: (key) => ({ path: '/v1-statements?from=2026-01-01&to=2026-01-31', key }),
    outcomes: only('collect', 200),
  },
  'GET /v1-settlements': { ask: (key) => ({ path: '/v1-settlements', key }), outcomes: any(200) },
  'POST /x/payments/:payment_id/cancel': {
    ask: (key) => ({ method: 'POST', path: '/x/payments/txn_1/cancel', key }),
    outcomes: only('collect', 'resource_not_found'),
  },
  'POST /x/payments/:payment_id/code': {
    ask: (key) => ({ method: 'POST', path: '/x/payments/txn_1/code', key, body: { code: '123456' } }),
    outcomes: only('collect', 'resource_not_found'),
  },
  'POST /x/payouts/:payout_id/cancel': {
    ask: (key) => ({ method: 'POST', path: '/x/payouts/txn_1/cancel', key }),
    outcomes: only('payout', 'resource_not_found'),
  },
  'POST /x/recipients/check': {
    ask: (key) => ({ method: 'POST', path: '/x/recipients/check', key, body: { beneficiary_id: nobody } }),
    outcomes: only('payout', 'resource_not_found'),
  },
  'POST /x/payout-batches/:batch_id/check': {
    ask: (key) => ({ method: 'POST', path: '/x/payout-batches/pob_1/check', key }),
    outcomes: only('payout', 'resource_not_found'),
  },
  'GET /x/payout-batches/:batch_id/check': {
    ask: get('/x/payout-batches/pob_1/check'),
    outcomes: any('resource_not_found'),
  },
  'GET /x/balances': { ask: (key) => ({ path: '/x/balances', key }), outcomes: only('collect', 200) },
  'GET /x/operators': { ask: (key) => ({ path: '/x/operators', key }), outcomes: any(200) },
  'POST /x/operators/predict': {
    ask: (key) => ({ path: '/x/operators/predict', key, body: { msisdn: '0700000000' } }),
    outcomes: any(200),
  },
  'GET /x/payments': { ask: get('/x/payments'), outcomes: any(200) },
  'GET /x/payouts': { ask: get('/x/payouts'), outcomes: any(200) },
  'GET /x/batches': { ask: get('/x/batches'), outcomes: any(200) },
  'GET /x/settlements': { ask: get('/x/settlements'), outcomes: any(200) },
  // Any key reads events, each those of its own side.
  'GET /x/events': { ask: (key) => ({ path: '/x/events', key }), outcomes: any(200) },
  'GET /x/events/:event_id': { ask: get('/x/events/evt_1'), outcomes: any('resource_not_found') },
  'POST /x/events/:event_id/replay': {
    ask: (key) => ({ method: 'POST', path: '/x/events/evt_1/replay', key }),
    outcomes: any('resource_not_found'),
  },
  'GET /v1-settlements/:settlement_id': { ask: get('/v1-settlements/stl_1'), outcomes: any('resource_not_found') },
}
