import type { ApiContext, RunningApi, TwinApi } from '../api.ts'
import { hasEnded, keyOf, type Operation } from '../state.ts'
import { accessOf, type Memory } from './access.ts'
import { callsOf } from './calls.ts'
import { bodyOf, detailOf } from './data.ts'
import type { NumberOutcome } from './sandbox-numbers.ts'
import { choices, currencyOf, defaults, type Settings } from './settings.ts'
import { gateway, said } from './words.ts'

/** MTN's MoMo Open API: Collection and Disbursement. */
export const mtn: TwinApi = {
  name: 'mtn',
  settings: defaults,
  choices,
  faults: {},
  open: openMtn,
}

function openMtn(context: ApiContext): RunningApi {
  const { own, time, operations, url } = context
  const settings = own.settings as Settings
  const access = accessOf({ settings, memory: own.memory as Memory, time })
  const calls = callsOf({
    ...{ ...context, settings, access },
    taken: (operation, number) => taken(context, settings, operation, number),
  })

  scheduleClaims(context, settings)
  return {
    handle: calls,
    failure: (status) =>
      status === 429
        ? gateway(429, 'Rate limit is exceeded.', 'The body of a 429.')
        : said(status === 503 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_PROCESSING_ERROR'),
    changed(operation) {
      if (hasEnded(operation)) sendCallback(context, settings, operation)
    },
    sender: {
      // One attempt, never repeated.
      retry_seconds: [],
      faults: [],
      sign: () => ({}),
      accepts: (status) => status === 200,
    },
    connector() {
      const { target_environment, collection, disbursement } = settings
      return {
        type: 'mtn_momo',
        settings: {
          base_url: `${url()}/mtn`,
          target_environment,
          currency: currencyOf(settings),
          ...dotted('collection', collection),
          ...dotted('disbursement', disbursement),
        },
      }
    },
    acts: {
      /** Replaces the primary subscription key of each product, or the secondary one. The answer has the new keys. */
      'rotate-keys': ({ secondary }) => {
        const name = secondary === true ? 'secondary_subscription_key' : 'subscription_key'
        access.rotateKey(name)
        return { collection: settings.collection[name], disbursement: settings.disbursement[name] }
      },
      /** Makes every token bad that was given out so far. */
      'forget-tokens': () => {
        access.forgetTokens()
        return {}
      },
      /** Sends the callback of an operation again, whatever its state. */
      'call-back': ({ kind, reference }) => {
        const operation = operations.find({ api: 'mtn', kind: String(kind), reference: String(reference) })
        if (operation !== null) sendCallback(context, settings, operation)
        return { sent: operation !== null }
      },
    },
  }
}

function sendCallback({ time, callbacks }: ApiContext, settings: Settings, operation: Operation): void {
  callbacks.send(operation, (view) => {
    const { callback_url } = detailOf(view)
    if (callback_url === undefined) return null
    const body = bodyOf(view, settings, time.now())
    const named = settings.callback_reference === 'body' ? { referenceId: view.reference } : {}
    return {
      method: settings.callback_method,
      url: callback_url,
      body: JSON.stringify({ ...body, ...named }),
      ...(settings.callback_reference === 'header' ? { headers: { 'X-Reference-Id': view.reference } } : {}),
    }
  })
}

/** An order goes its way: the payer is asked, or its number says what happens. */
function taken(
  { time, operations }: ApiContext,
  settings: Settings,
  operation: Operation,
  number: NumberOutcome | null,
): void {
  const { outcome, msisdn, state } = operation
  if (state !== 'received') return
  if (outcome.outcome === 'ask' && msisdn !== null && operations.byKey(keyOf(operation)) === operation)
    operations.ask(operation, msisdn, settings.payer_seconds)
  if (number?.claims !== undefined && outcome === number.outcome)
    time.after(0, 'mtn.claim', { key: keyOf(operation), reason: number.claims })
}

/** The task of a callback that says `FAILED` with a reason that ends nothing. */
function scheduleClaims(context: ApiContext, settings: Settings): void {
  const { time, operations } = context
  time.handle('mtn.claim', ({ key, reason }) => {
    const operation = operations.byKey(String(key))
    if (operation !== null && !hasEnded(operation))
      sendCallback(context, settings, { ...operation, state: 'failed', reason: String(reason) })
  })
}

function dotted(product: string, keys: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([name, value]) => [`${product}.${name}`, value]))
}
