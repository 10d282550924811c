import type { ApiContext, RunningApi, TwinApi } from '../api.ts'
import { LAPSE_SECONDS } from '../operations.ts'
import { keyOf, type Operation } from '../state.ts'
import { callsOf } from './calls.ts'
import { dataOf, detailOf } from './data.ts'
import { rejected } from './failures.ts'
import { callbackUrl, choices, defaults, type Kind, type Settings, signatureTime } from './settings.ts'
import { createSigningKey, type SigningKey, signatureFaults, signCallback } from './signatures.ts'

/** Seconds between attempts at a callback, for a quarter of an hour in all. */
const RETRY_SECONDS = [5, 10, 15, 30, 60, 120, 180, 240, 240]

/** Seconds that a redirect provider waits for its payer. */
const REDIRECT_LAPSE_SECONDS = 5 * LAPSE_SECONDS

/** pawaPay's Merchant API v2, for the three providers of Côte d'Ivoire. */
export const pawapay: TwinApi = {
  name: 'pawapay',
  settings: defaults,
  choices,
  faults: signatureFaults,
  open: openPawapay,
}

function openPawapay(context: ApiContext): RunningApi {
  const { own, time, operations, callbacks, url } = context
  const settings = own.settings as Settings
  const memory = own.memory as { keys?: SigningKey[] }
  memory.keys ??= [createSigningKey(1)]
  const { keys } = memory
  const calls = callsOf({ ...context, settings, published: () => keys, redirected, sendCallback })

  function sendCallback(operation: Operation): void {
    callbacks.send(operation, (view) => {
      const address = callbackUrl(settings, view.kind as Kind)
      const { clientReferenceId: _, ...body } = dataOf(view, time.text, time.now())
      return address === '' ? null : { url: address, body: JSON.stringify(body) }
    })
  }

  /** A deposit of a redirect provider was taken: its address comes later. */
  function redirected(operation: Operation): void {
    time.after(settings.authorization_url_seconds, 'pawapay.authorize', { key: keyOf(operation) })
  }

  time.handle('pawapay.authorize', ({ key }) => {
    const operation = operations.byKey(String(key))
    if (operation === null || operation.state !== 'received' || operation.msisdn === null) return
    detailOf(operation).authorization_url = `${url()}/phones/pay?operation=${encodeURIComponent(String(key))}`
    if (operation.outcome.outcome === 'ask') operations.ask(operation, operation.msisdn, REDIRECT_LAPSE_SECONDS)
    else sendCallback(operation)
  })

  return {
    handle: calls,
    failure: (status) =>
      status === 500 ? rejected('UNKNOWN_ERROR') : { status, unverified: 'The body of this status.' },
    changed(operation) {
      const ended = operation.state === 'succeeded' || operation.state === 'failed'
      const redirects = operation.state === 'asking' && detailOf(operation).authorization_url !== undefined
      if (ended || redirects) sendCallback(operation)
    },
    settingsChanged() {
      for (const operation of operations.open())
        if (operation.api === 'pawapay' && operation.state === 'queued' && isOperational(settings, operation))
          operations.release(operation)
    },
    sender: {
      retry_seconds: RETRY_SECONDS,
      accepts: (status) => status === 200,
      faults: Object.keys(signatureFaults),
      sign: (callback) =>
        settings.sign_callbacks
          ? signCallback(callback, keys.at(-1)!, {
              encoding: settings.signature_encoding,
              now: signatureTime(settings, time),
            })
          : {},
    },
    connector: () => ({
      type: 'pawapay',
      settings: { base_url: `${url()}/pawapay`, api_token: settings.api_token },
    }),
    acts: {
      /** A new key signs from now on. `forget_old` unpublishes the others. */
      'rotate-keys': ({ forget_old }) => {
        keys.push(createSigningKey(Number(keys.at(-1)!.id.split(':')[1]) + 1))
        if (forget_old === true) keys.splice(0, keys.length - 1)
        return { keys: keys.map(({ id }) => id) }
      },
      /** Sends the callback of an operation again, whatever its state. */
      'call-back': ({ kind, reference }) => {
        const operation = operations.find({ api: 'pawapay', kind: String(kind), reference: String(reference) })
        if (operation !== null) sendCallback(operation)
        return { sent: operation !== null }
      },
    },
  }
}

/** Whether the provider of a payout takes payouts again. */
function isOperational(settings: Settings, operation: Operation): boolean {
  const { provider = '' } = detailOf(operation)
  return (settings.payout_status as Record<string, string>)[provider] === 'OPERATIONAL'
}
