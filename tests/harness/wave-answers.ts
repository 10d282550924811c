import { createOperatorHttp } from '../../src/operators/operator-api/operator-http.ts'
import type { Order } from '../../src/operators/port.ts'
import { wave } from '../../src/operators/wave/connector.ts'
import type { WaveSettings } from '../../src/operators/wave/settings.ts'
import { machineMilliseconds } from '../../src/platform/clock.ts'
import { Msisdn } from '../../src/values/msisdn.ts'
import { type ReceivedRequest, type ScriptedAnswer, startReceiver } from './receiver.ts'

export const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'

export const order: Order = {
  merchant_id: 1,
  livemode: true,
  direction: 'collect',
  operator: 'wave_ci',
  reference: ID,
  operator_reference: null,
  operator_state: null,
  amount: 2_500,
  currency: 'XOF',
  msisdn: Msisdn.parse('0758412077'),
  refund_of: null,
  sent_at: null,
  sent_ms_ago: null,
  sent_again: 0,
}

export const session = {
  id: 'cos-1',
  amount: '2500',
  currency: 'XOF',
  client_reference: ID,
  checkout_status: 'open',
  payment_status: 'processing',
  wave_launch_url: 'https://pay.wave.com/c/cos-1?a=2500&c=XOF',
}
export const paid = { ...session, checkout_status: 'complete', payment_status: 'succeeded', transaction_id: 'T_1' }

export function json(body: object, status = 200): ScriptedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** A contract on a server that answers as the test says. */
export async function open(
  script: (request: ReceivedRequest) => ScriptedAnswer,
  settings: Partial<WaveSettings> = {},
  now = () => new Date(machineMilliseconds()),
) {
  const server = await startReceiver(script)
  const base_url = `${server.url}/wave`
  const http = createOperatorHttp({ base_url })
  const connector = wave.create(
    { base_url, api_key: 'a-key-of-the-wallet', webhook_secret: 'a-secret-of-webhooks', ...settings },
    {
      name: 'main',
      livemode: true,
      http,
      callback_url: 'https://pay.example.ci/operators/main/callbacks',
      return_url: 'https://pay.example.ci/return',
      now,
    },
  )
  return {
    server,
    connector,
    async [Symbol.asyncDispose]() {
      await http.close()
      await server[Symbol.asyncDispose]()
    },
  }
}
