import type { ApiContext, RunningApi, TwinApi } from '../api.ts'
import { hasEnded, keyOf, type Operation } from '../state.ts'
import { accessOf, type Memory } from './access.ts'
import { callsOf } from './calls.ts'
import { detailOf } from './orders.ts'
import { payPageOf } from './pay-page.ts'
import { choices, defaults, type Settings } from './settings.ts'
import { refusal, statusOf, transactionOf } from './words.ts'

/** Orange Money Web Payment: orders to collect, paid on a page of Orange's. */
export const orange: TwinApi = {
  name: 'orange',
  settings: defaults,
  choices,
  faults: {},
  open: openOrange,
}

function openOrange(context: ApiContext): RunningApi {
  const { own, time, operations, callbacks, url } = context
  const settings = own.settings as Settings
  const access = accessOf({ settings, memory: own.memory as Memory, time })
  const calls = callsOf({ settings, access, operations, url, taken })
  const page = payPageOf({ ...context, typed })

  function taken(operation: Operation, told: boolean): void {
    if (operations.byKey(keyOf(operation)) !== operation) return
    time.after(settings.page_seconds, 'orange.expire', { key: keyOf(operation) })
    if (told) operations.release(operation)
  }

  /** The payer has typed a code that is right. */
  function typed(operation: Operation): void {
    detailOf(operation).typed = true
    time.after(settings.work_seconds, 'orange.carry-out', { key: keyOf(operation) })
  }

  time.handle('orange.expire', ({ key }) => {
    const operation = operations.byKey(String(key))
    if (operation !== null && statusOf(operation) === 'INITIATED') operations.fail(operation, 'payer_timeout')
  })
  time.handle('orange.carry-out', ({ key }) => {
    const operation = operations.byKey(String(key))
    if (operation !== null) operations.succeed(operation)
  })

  function notify(operation: Operation): void {
    callbacks.send(operation, (view) => {
      const { notif_url, notif_token } = detailOf(view)
      const token = settings.notice_token_wrong ? notif_token.replace(/./g, 'f') : notif_token
      // A notice names no order: about another, it goes to another address.
      const address = view.reference === operation.reference ? notif_url : `${notif_url}x`
      const words = { status: statusOf(view), notif_token: token, txnid: transactionOf(view) ?? '' }
      if (settings.notice_method === 'POST') return { url: address, body: JSON.stringify(words) }
      return { method: 'GET', url: `${address}?${new URLSearchParams(words).toString()}`, body: '' }
    })
  }

  return {
    handle: (request) => (request.path.startsWith('/pay/') ? page(request) : calls(request)),
    failure: (status) => {
      if (status === 429) return { ...refusal('53'), status, unverified: 'The body of a 429, and whether it is 403.' }
      return refusal(status === 503 ? '5' : '1')
    },
    changed(operation) {
      if (hasEnded(operation)) notify(operation)
    },
    sender: {
      // Whether a notice is repeated was never published.
      retry_seconds: [],
      faults: [],
      sign: () => ({}),
      accepts: (status) => status >= 200 && status < 300,
    },
    connector() {
      const { country_path, client_id, client_secret, merchant_key } = settings
      return {
        type: 'orange_webpay',
        settings: { base_url: `${url()}/orange`, country_path, client_id, client_secret, merchant_key },
      }
    },
    acts: {
      /** Makes every token bad that was given out so far. */
      'forget-tokens': () => {
        access.forgetTokens()
        return {}
      },
      /** Sends the notice of an order again, whatever its state. */
      'call-back': ({ reference }) => {
        const operation = operations.find({ api: 'orange', kind: 'webpayment', reference: String(reference) })
        if (operation !== null) notify(operation)
        return { sent: operation !== null }
      },
    },
  }
}
