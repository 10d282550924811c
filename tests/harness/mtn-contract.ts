import { mtnMomo } from '../../src/operators/mtn-momo/connector.ts'
import type { MtnMomoSettings } from '../../src/operators/mtn-momo/settings.ts'
import { createOperatorHttp } from '../../src/operators/operator-api/operator-http.ts'
import type { Order } from '../../src/operators/port.ts'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { Msisdn } from '../../src/values/msisdn.ts'
import { type ReceivedRequest, type ScriptedAnswer, startReceiver } from './receiver.ts'

/** The reference of the order. */
export const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
/** Our address for callbacks. */
export const CALLBACKS = 'https://pay.example.ci/operators/main/callbacks/token'

/** A collection. */
export const order: Order = {
  merchant_id: 1,
  livemode: true,
  direction: 'collect',
  operator: 'mtn_ci',
  reference: ID,
  operator_reference: null,
  operator_state: null,
  amount: 2_500,
  currency: 'XOF',
  msisdn: Msisdn.parse('0506123456'),
  refund_of: null,
  sent_at: null,
  sent_ms_ago: null,
  sent_again: 0,
}

/** The keys of each product. */
export const collection = {
  'collection.subscription_key': 'key-of-collection',
  'collection.api_user': '5b0c0b5e-3f0a-4d0e-9a51-c011ec7104e5',
  'collection.api_key': 'secret-of-collection',
}
export const disbursement = {
  'disbursement.subscription_key': 'key-of-disbursement',
  'disbursement.api_user': 'd15b0c5e-8f6e-4c39-8d2f-d15b0125e3e5',
  'disbursement.api_key': 'secret-of-disbursement',
}
/** The settings without their address. */
export const usual = { target_environment: 'mtnivorycoast', ...collection, ...disbursement }

/** An answer in JSON. */
export const json = (body: object, status = 200): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** An MTN whose tokens are `token-1`, `token-2` …, that takes every order, and whose balance is in francs. */
export function mtn(): (request: ReceivedRequest) => ScriptedAnswer {
  let tokens = 0
  return ({ method, path }) => {
    if (path.endsWith('/token/')) {
      tokens += 1
      return json({ access_token: `token-${tokens}`, token_type: 'access_token', expires_in: 3600 })
    }
    if (path.endsWith('/balance')) return json({ availableBalance: '150000', currency: 'XOF' })
    return method === 'POST' ? { status: 202 } : json({ externalId: ID, status: 'PENDING' })
  }
}

/** A connector at an address. */
export function createMtnConnector(base_url: string, settings: Partial<MtnMomoSettings>, livemode = true) {
  const http = createOperatorHttp({ base_url })
  const connector = mtnMomo.create(
    { base_url, ...usual, ...settings },
    {
      name: 'main',
      livemode,
      http,
      callback_url: CALLBACKS,
      return_url: 'https://pay.example.ci/return',
      now: () => new Date(machineMilliseconds()),
    },
  )
  return { http, connector }
}

/** A contract on a server that answers as the test says. */
export async function openMtnContract(
  settings: Partial<MtnMomoSettings> = {},
  { script = mtn(), livemode = true } = {},
) {
  const server = await startReceiver(script)
  const { http, connector } = createMtnConnector(`${server.url}/mtn`, settings, livemode)
  const calls = (path: RegExp) => server.requests.filter((request) => path.test(request.path))
  return {
    server,
    connector,
    calls,
    async [Symbol.asyncDispose]() {
      await http.close()
      await server[Symbol.asyncDispose]()
    },
  }
}
