import { createHash } from 'node:crypto'
import type { OperatorHttp, OperatorReply } from '../operator-api/operator-http.ts'
import type { MoovGatewaySettings } from './settings.ts'

/**
 * The kinds of order: a prompt on the payer's phone, a code that Moov sends to the payer, and a payout. Codes and payouts have the same
 * command for inquiries; prompts have their own.
 */
export type Kind = 'prompt' | 'code' | 'transfer'

/** The calls to Moov's JSON gateway. `translate.ts` reads their replies. */
export type MoovGatewayClient = {
  /**
   * Sends an order. Its body has our reference. For a code this is the first step: Moov sends the code to the payer, and no money moves.
   */
  create(kind: Kind, body: object): Promise<OperatorReply>
  /** Pays with the code that a payer typed. */
  payWithCode(body: object): Promise<OperatorReply>
  /** Asks about an order by our reference. No money moves. */
  readOrder(kind: Kind, reference: string): Promise<OperatorReply>
}

/** The value of `command-id` for each call. */
const commands: Readonly<Record<Kind, { create: string; read: string }>> = {
  prompt: { create: 'mror-transaction-ussd', read: 'process-check-mror-transaction' },
  code: { create: 'process-create-mror-otp', read: 'process-check-transaction' },
  transfer: { create: 'transfer-api-transaction', read: 'process-check-transaction' },
}

const PAY_WITH_CODE = 'process-commit-otppay'

const PATH = '/gateway/3pp/transaction/process'

/** Milliseconds. */
const SEND_DEADLINE_MS = 30_000
const READ_DEADLINE_MS = 15_000

export function createMoovGatewayClient(settings: MoovGatewaySettings, http: OperatorHttp): MoovGatewayClient {
  const { user, password, path = PATH, read_path = path, hash = 'none', authorization = 'Basic' } = settings
  const credentials = `${authorization} ${Buffer.from(`${user}:${password}`).toString('base64')}`

  function post(command: string, path: string, fields: object, deadline_ms: number): Promise<OperatorReply> {
    const body = JSON.stringify(fields)
    const signed = hash === 'none' ? {} : { hash: createHash('sha256').update(user).update(body).digest('hex') }
    return http.call({
      method: 'POST',
      path,
      headers: {
        authorization: credentials,
        'command-id': command,
        'content-type': 'application/json',
        accept: 'application/json',
        ...signed,
      },
      body,
      deadline_ms,
    })
  }

  return {
    create: (kind, body) => post(commands[kind].create, path, body, SEND_DEADLINE_MS),
    payWithCode: (body) => post(PAY_WITH_CODE, path, body, SEND_DEADLINE_MS),
    readOrder: (kind, reference) =>
      post(commands[kind].read, read_path, { 'request-id': reference, 'extended-data': {} }, READ_DEADLINE_MS),
  }
}
