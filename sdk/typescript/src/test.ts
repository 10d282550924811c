import { sign, type WebhookEvent } from './webhooks.ts'

/** Payers' numbers of test mode, by what becomes of their payments. */
export const numbers = {
  paid: '0700000000',
  insufficientFunds: '0700000001',
  declined: '0700000002',
  expired: '0700000003',
} as const

/** Returns a webhook as the service would send it, for a test of your handler. @param time seconds since 1970 */
export async function signed(
  event: WebhookEvent | Readonly<Record<string, unknown>>,
  secret: string,
  { url = 'http://localhost/webhooks', time }: { url?: string; time?: number } = {},
): Promise<Request> {
  const body = JSON.stringify(event)
  return new Request(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Service-Event-Id': String(event.id),
      'Service-Signature': await sign(body, secret, time),
    },
    body,
  })
}
