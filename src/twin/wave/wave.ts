import { randomBytes } from 'node:crypto'
import type { ApiContext, RunningApi, TwinApi } from '../api.ts'
import { keyOf, type Operation } from '../state.ts'
import { callsOf, type Memory } from './calls.ts'
import { sessionBody, sessionDetail } from './sessions.ts'
import { choices, defaults, kindOf, type Settings, signatureTime } from './settings.ts'
import { signatureFaults, signWebhook } from './signatures.ts'
import { outcomeByNumber } from './test-numbers.ts'
import { paymentError, refused } from './words.ts'

/** Seconds between attempts at a webhook, for three days in all. */
const RETRY_SECONDS = [5, 30, 120, 600, 3_600, 10_800, 43_200, 86_400, 114_000]

/** Wave's Business API. It calls about sessions and never about payouts and refunds. */
export const wave: TwinApi = {
  name: 'wave',
  settings: defaults,
  choices,
  faults: signatureFaults,
  open: openWave,
}

function openWave(context: ApiContext): RunningApi {
  const { own, time, operations, url } = context
  const settings = own.settings as Settings
  const memory = own.memory as Memory
  memory.keys ??= {}
  memory.checks ??= {}
  const calls = callsOf({ ...context, settings, memory, opened: (session) => opened(context, session) })
  scheduleSessions(context)
  return {
    async handle(request) {
      const answer = await calls(request)
      if (!request.path.startsWith('/v1/checkout/')) return answer
      // The times of sessions are the twin's, and so is the time at which it is asked about them.
      return { ...answer, headers: { ...answer.headers, Date: new Date(time.now()).toUTCString() } }
    },
    failure: (status) =>
      refused(
        settings,
        status === 429 ? 'too-many-requests' : status === 503 ? 'service-unavailable' : 'internal-server-error',
      ),
    changed(operation) {
      if (kindOf(operation.kind) === 'session') changedSession(context, settings, operation)
    },
    sender: {
      retry_seconds: RETRY_SECONDS,
      accepts: (status) => status >= 200 && status < 300,
      faults: Object.keys(signatureFaults),
      sign: (callback) => signWebhook(callback, settings, signatureTime(settings, time)),
    },
    connector: () => ({
      type: 'wave',
      settings: {
        base_url: `${url()}/wave`,
        api_key: settings.api_key,
        webhook_secret: settings.webhook_secret,
        webhook_mode: settings.webhook_mode,
      },
    }),
    acts: {
      /** The secret of webhooks is replaced by `secret`; with `both` they carry both signatures for now. */
      'rotate-secret': ({ secret, both }) => {
        settings.previous_webhook_secret = both === true ? settings.webhook_secret : ''
        settings.webhook_secret = String(secret)
        return {}
      },
      /** Sends the event of a session again, whatever its state. */
      'call-back': ({ kind, reference }) => {
        const session = operations.find({ api: 'wave', kind: String(kind), reference: String(reference) })
        if (session !== null && kindOf(session.kind) === 'session') sendEvent(context, settings, session)
        return { sent: session !== null }
      },
    },
  }
}

function sendEvent({ time, callbacks, url }: ApiContext, settings: Settings, session: Operation): void {
  callbacks.send(session, (view) => {
    if (settings.callback_url === '') return null
    const done = view.state === 'succeeded'
    const type = done ? 'checkout.session.completed' : 'checkout.session.payment_failed'
    const data = sessionBody(view, settings, { now: time.now(), text: time.text, url: url() })
    const id = `EV_${randomBytes(6).toString('hex')}`
    return { url: settings.callback_url, body: JSON.stringify({ id, type, data }) }
  })
}

function opened({ time, operations }: ApiContext, session: Operation): void {
  const detail = sessionDetail(session)
  const seconds = Math.max(0, (detail.expires_at - time.now()) / 1000)
  if (!detail.tried) time.after(seconds, 'wave.expire', { key: keyOf(session) })
  const { state, outcome, msisdn } = session
  if (state === 'received' && outcome.outcome === 'ask' && msisdn !== null) operations.ask(session, msisdn, seconds)
}

/** The tasks that end sessions by themselves. */
function scheduleSessions({ time, operations }: ApiContext): void {
  time.handle('wave.expire', ({ key }) => {
    const session = operations.byKey(String(key))
    if (session !== null && session.state !== 'in_doubt') operations.fail(session, 'payer_timeout')
  })

  /** A test number that was typed on the payer's page decides by itself. */
  time.handle('wave.number', ({ key, msisdn }) => {
    const session = operations.byKey(String(key))
    const number = outcomeByNumber('session', String(msisdn))
    if (session?.state !== 'asking' || number === null) return
    if (number.outcome.outcome === 'succeed') operations.succeed(session)
    if (number.outcome.outcome === 'fail') operations.fail(session, number.outcome.reason!)
  })
}

function changedSession(context: ApiContext, settings: Settings, session: Operation): void {
  const { time } = context
  const detail = sessionDetail(session)
  if (session.state === 'asking' && session.msisdn !== null && outcomeByNumber('session', session.msisdn) !== null)
    time.after(0, 'wave.number', { key: keyOf(session), msisdn: session.msisdn })
  if (session.state === 'succeeded') sendEvent(context, settings, session)
  if (session.state !== 'failed') return
  // Its time is over, and nobody is told of that.
  if (session.reason === 'payer_timeout' && time.now() >= detail.expires_at) return
  detail.tried = true
  detail.last_error = paymentError(session.reason ?? 'operator_refused')
  sendEvent(context, settings, session)
}
