import { randomUUID } from 'node:crypto'
import { startTwin } from '../../src/twin/start-twin.ts'
import { defaults } from '../../src/twin/wave/settings.ts'
import { startReceiver } from './receiver.ts'

export const PAYER = '0758412077'
export const E164 = '+2250758412077'
export const SESSIONS = '/v1/checkout/sessions'

// biome-ignore lint/suspicious/noExplicitAny: the test says what stands in an answer
type Json = any
export type Answer = { status: number; headers: Headers; body: Json }

/** A client of the twin's Wave API, and a receiver of webhooks. */
export async function startWaveClient() {
  const twin = await startTwin()
  const receiver = await startReceiver()
  const { base_url, api_key, webhook_secret } = twin.connectors().wave!.settings

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(`${base_url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: text }),
    })
    const said = await answer.text()
    return { status: answer.status, headers: answer.headers, body: said === '' ? '' : JSON.parse(said) }
  }

  const sessionFor = (changes: object = {}) => ({
    amount: '2500',
    currency: 'XOF',
    client_reference: randomUUID(),
    success_url: 'https://pay.example.ci/r/ok',
    error_url: 'https://pay.example.ci/r/ko',
    ...changes,
  })

  const payoutFor = (changes: object = {}) => ({
    currency: 'XOF',
    receive_amount: '10000',
    mobile: E164,
    client_reference: randomUUID(),
    ...changes,
  })

  /** The payer's page behind the link of a session. */
  const openLink = (session: { wave_launch_url: string }) => fetch(session.wave_launch_url)

  return {
    twin,
    receiver,
    webhook_secret: webhook_secret!,
    call,
    sessionFor,
    payoutFor,
    openLink,
    make: async (changes: object = {}) => (await call('POST', SESSIONS, sessionFor(changes))).body,
    read: async (id: string) => (await call('GET', `${SESSIONS}/${id}`)).body,
    pay: (body: object | string, key: string = randomUUID()) =>
      call('POST', '/v1/payout', body, { 'Idempotency-Key': key }),
    /** The payer types a number on the page. */
    async typeNumber(session: { wave_launch_url: string }, number: string): Promise<void> {
      const { url } = await openLink(session)
      const operation = new URL(url).searchParams.get('operation')!
      const fields = new URLSearchParams({ operation, number, lang: 'fr' })
      await fetch(`${twin.url}/phones/pay`, { method: 'POST', body: fields })
    },
    /** Resets all but the clock. */
    async reset() {
      await twin.reset()
      twin.change('wave', { ...defaults, callback_url: `${receiver.url}/callbacks` })
      receiver.requests.length = 0
      receiver.answer({})
    },
    async close() {
      await twin.close()
      await receiver[Symbol.asyncDispose]()
    },
  }
}
