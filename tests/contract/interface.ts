import type { ErrorCode } from '../../src/values/error-codes.ts'
import { extensions } from './extensions.ts'
import { everywhere, type Refusals, type RouteInterface, scope, version } from './interface-parts.ts'
import { inline, payout } from './sender.ts'

// The interface's promises for the routes that are built, written from its text and not from the code.

const payments: readonly RouteInterface[] = [
  {
    method: 'POST',
    path: '/v1-payments',
    keys: 'collect',
    good: { body: () => ({ amount: 100 }) },
    successes: [201],
    refusals: {
      400: ['idempotency_key_required', 'invalid_body'],
      401: everywhere[401],
      403: ['merchant_inactive'],
      409: ['idempotency_in_progress', 'duplicate_reference'],
      422: ['invalid_amount', 'invalid_currency', 'idempotency_key_reused', 'amount_above_limit'],
      429: [...everywhere[429], 'too_many_attempts'],
      500: ['payment_creation_failed'],
    },
    added: { ...version, ...scope, 422: ['invalid_operator', 'invalid_msisdn'] },
  },
  {
    method: 'GET',
    path: '/v1-payments/:payment_id',
    keys: 'any',
    successes: [200],
    refusals: { ...everywhere, 404: ['resource_not_found'], 422: ['invalid_id'] },
    added: { ...version, 500: ['payment_failed'] },
  },
]

const payouts: readonly RouteInterface[] = [
  {
    method: 'POST',
    path: '/v1-payouts',
    keys: 'payout',
    good: { body: () => payout(100) },
    successes: [201, 202],
    refusals: {
      ...everywhere,
      ...scope,
      400: ['idempotency_key_required', 'invalid_body'],
      404: ['resource_not_found'],
      409: ['insufficient_funds', 'idempotency_in_progress'],
      422: ['invalid_amount', 'invalid_currency', 'invalid_beneficiary', 'idempotency_key_reused'],
      500: ['payout_failed'],
    },
    added: { ...version, 403: ['merchant_inactive'] },
  },
  {
    method: 'GET',
    path: '/v1-payouts/:id',
    keys: 'any',
    successes: [200],
    refusals: { ...everywhere, 404: ['resource_not_found'], 422: ['invalid_id'] },
    added: { ...version, 500: ['payout_failed'] },
  },
  {
    method: 'POST',
    path: '/v1-payout-batches',
    keys: 'payout',
    good: { body: () => ({ lines: [payout(100)] }) },
    successes: [201],
    refusals: {
      ...everywhere,
      ...scope,
      400: ['idempotency_key_required', 'invalid_body'],
      409: ['idempotency_in_progress'],
      422: ['invalid_lines', 'too_many_lines', 'invalid_amount', 'invalid_beneficiary', 'idempotency_key_reused'],
    },
    added: { ...version, 403: ['merchant_inactive'], 422: ['invalid_currency'], 500: ['payout_failed'] },
  },
  {
    method: 'GET',
    path: '/v1-payout-batches/:batch_id',
    keys: 'any',
    successes: [200],
    refusals: { ...everywhere, 404: ['resource_not_found'], 422: ['invalid_id'] },
    added: { ...version, 500: ['payout_failed'] },
  },
  {
    method: 'POST',
    path: '/v1-payout-batches/:batch_id/execute',
    keys: 'payout',
    successes: [200],
    refusals: {
      ...everywhere,
      ...scope,
      404: ['resource_not_found'],
      409: ['batch_pending_approval', 'batch_not_executable'],
      422: ['invalid_id'],
    },
    added: { ...version, 403: ['merchant_inactive'], 500: ['payout_failed'] },
  },
  {
    method: 'POST',
    path: '/v1-payout-batches/:batch_id/cancel',
    keys: 'payout',
    good: { at: -1 },
    successes: [200],
    refusals: { ...everywhere, ...scope, 409: ['batch_not_cancellable'], 422: ['invalid_id'] },
    added: { ...version, 500: ['payout_failed'] },
  },
]

const beneficiaries: readonly RouteInterface[] = [
  {
    method: 'GET',
    path: '/v1-beneficiaries',
    keys: 'payout',
    successes: [200],
    refusals: { ...everywhere, ...scope },
    added: { ...version, 500: ['payment_failed'] },
  },
  {
    method: 'GET',
    path: '/v1-beneficiaries/:beneficiary_id',
    keys: 'payout',
    successes: [200],
    refusals: { ...everywhere, ...scope, 404: ['resource_not_found'] },
    added: { ...version, 500: ['payment_failed'] },
  },
  {
    method: 'POST',
    path: '/v1-beneficiaries',
    keys: 'payout',
    good: { body: () => inline() },
    successes: [200, 201],
    refusals: { ...everywhere, ...scope, 400: ['invalid_request'], 422: ['invalid_beneficiary'] },
    added: { ...version, 403: ['merchant_inactive'], 500: ['payment_failed'] },
  },
]

const checkout: readonly RouteInterface[] = [
  {
    method: 'POST',
    path: '/v1-checkout',
    keys: 'collect',
    good: { body: () => ({ amount: 100 }) },
    successes: [201],
    refusals: {
      ...everywhere,
      ...scope,
      409: ['session_expired', 'session_closed', 'lien_indisponible'],
      422: [
        'invalid_amount',
        'invalid_currency',
        'invalid_return_url',
        'amount_too_small',
        'amount_too_large',
        'invalid_msisdn',
        'invalid_operator',
      ],
      500: ['checkout_creation_failed', 'payment_failed', 'bornes_illisibles'],
    },
    added: {
      400: [...version[400], 'idempotency_key_required', 'invalid_body'],
      403: ['merchant_inactive'],
      409: ['idempotency_in_progress'],
      422: ['idempotency_key_reused', 'amount_above_limit'],
      429: ['too_many_attempts'],
    },
  },
]

const settlements: readonly RouteInterface[] = [
  {
    method: 'POST',
    path: '/v1-settlements',
    keys: 'payout',
    good: { body: ({ destination }) => ({ amount: 5_000, beneficiary: destination }) },
    successes: [202],
    refusals: {
      ...everywhere,
      ...scope,
      400: ['invalid_body'],
      404: ['destination_introuvable'],
      409: ['idempotency_key_reused', 'idempotency_in_progress'],
      422: [
        'idempotency_key_required',
        'invalid_amount',
        'invalid_beneficiary',
        'sous_le_plancher',
        'montant_non_eligible',
        'destination_non_designee',
        'destination_trop_recente',
      ],
      500: ['settlement_failed'],
    },
    added: { ...version, 403: ['merchant_inactive'] },
  },
  {
    method: 'GET',
    path: '/v1-settlements',
    keys: 'any',
    successes: [200],
    refusals: everywhere,
    added: { ...version, 500: ['settlement_failed'] },
  },
  {
    method: 'GET',
    path: '/v1-settlements/:settlement_id',
    keys: 'any',
    successes: [200],
    refusals: { ...everywhere, 404: ['resource_not_found'] },
    added: { ...version, 500: ['settlement_failed'] },
  },
]

const statements: readonly RouteInterface[] = [
  {
    method: 'GET',
    path: '/v1-statements',
    keys: 'collect',
    good: { query: '?from=2026-01-01&to=2026-01-31' },
    successes: [200],
    refusals: { ...everywhere, ...scope, 422: ['invalid_period'], 500: ['statement_failed'] },
    added: { ...version },
  },
]

export const routes: readonly RouteInterface[] = [
  ...payments,
  ...checkout,
  ...payouts,
  ...beneficiaries,
  ...settlements,
  ...statements,
  ...extensions,
]

/** The route that a method and a path name. */
export function routeNamed(name: string): RouteInterface {
  const found = routes.find(({ method, path }) => `${method} ${path}` === name)
  if (found === undefined) throw new Error(`The interface has no ${name}.`)
  return found
}

/** The answers where no route takes the request: nothing there, another method, no HTTP. */
export const elsewhere: Refusals = {
  400: ['invalid_request'],
  404: ['resource_not_found'],
  405: ['method_not_allowed'],
  429: everywhere[429],
}

/** The refusals of a route as [status, code], the interface's and ours. */
export function refusalsOf({ refusals, added }: Pick<RouteInterface, 'refusals' | 'added'>): [number, ErrorCode][] {
  const found = new Map<string, [number, ErrorCode]>()
  for (const table of [refusals, added]) {
    for (const [status, codes] of Object.entries(table)) {
      for (const code of codes) found.set(`${status} ${code}`, [Number(status), code])
    }
  }
  return [...found.values()]
}

/** The version of the interface. */
export const VERSION = '2026-08-25'
