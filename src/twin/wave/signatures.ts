import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Callback } from '../state.ts'
import type { TwinRequest } from '../wire.ts'
import type { Settings } from './settings.ts'

/** The mistakes of a webhook that is signed, or carries the shared secret, by the name of the fault. */
export const signatureFaults = {
  callback_wrong_signature: 'signs with a secret that is not that of the webhook',
  callback_wrong_bytes: 'signs other bytes',
  callback_expired: 'signs ten minutes ago',
  callback_unsigned: 'does not sign',
  callback_dotted: 'signs with a dot between the time and the body, as many clients expect it',
}

/** Seconds by which clocks may differ. */
const TOLERANCE = 300

function macOf(secret: string, time: string, separator: string, body: string | Buffer): string {
  return createHmac('sha256', secret).update(`${time}${separator}`).update(body).digest('hex')
}

/**
 * The headers of one attempt at a webhook.
 * @param now milliseconds of the clock of signatures
 */
export function signWebhook({ body, faults }: Callback, settings: Settings, now: number): Record<string, string> {
  const has = (fault: keyof typeof signatureFaults): boolean => faults.includes(fault)
  if (has('callback_unsigned')) return {}
  const { webhook_mode, webhook_secret, previous_webhook_secret, signature_separator } = settings
  const secret = has('callback_wrong_signature') ? `${webhook_secret}-of-nobody` : webhook_secret
  if (webhook_mode === 'shared_secret') return { Authorization: `Bearer ${secret}` }
  const time = String(Math.floor(now / 1000) - (has('callback_expired') ? 600 : 0))
  const separator = has('callback_dotted') ? '.' : signature_separator
  const secrets = previous_webhook_secret === '' ? [secret] : [previous_webhook_secret, secret]
  const signed = has('callback_wrong_bytes') ? `${body} ` : body
  const macs = secrets.map((one) => `v1=${macOf(one, time, separator, signed)}`)
  return { 'Wave-Signature': [`t=${time}`, ...macs].join(',') }
}

/** Whether a call is signed as an account with request signing has to. @param now milliseconds of the clock of signatures */
export function isSignedRequest({ headers, body }: TwinRequest, settings: Settings, now: number): boolean {
  const [, time = '', mac = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(headers['wave-signature'] ?? '')) ?? []
  if (time === '' || Math.abs(Number(time) - now / 1000) > TOLERANCE) return false
  const expected = macOf(settings.request_signing_secret, time, settings.signature_separator, body)
  return timingSafeEqual(Buffer.from(mac), Buffer.from(expected))
}
