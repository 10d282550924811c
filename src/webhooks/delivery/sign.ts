import { createHmac } from 'node:crypto'
import type { Secret } from '../../values/secret.ts'

/**
 * The signature of one attempt: `t=<seconds>,v1=<hex HMAC-SHA256 of t.body>`, keyed with the whole secret. Receivers
 * refuse a `t` more than 300 seconds away, so every attempt has a signature of its own, with the time at which it is sent.
 * @param t seconds since 1970 by this machine's clock, which the receiver compares with its own
 */
export function signatureHeader(secret: Secret, t: number, body: string): string {
  const digest = createHmac('sha256', secret.reveal()).update(`${t}.${body}`).digest('hex')
  return `t=${t},v1=${digest}`
}
