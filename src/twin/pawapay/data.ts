import { hasEnded, type Operation } from '../state.ts'
import { finalReason } from './failures.ts'
import { idField, type Kind, operatorOf, providers } from './settings.ts'

/** The fields of an order that the core does not know. */
export type Detail = {
  provider?: string
  client_reference?: string
  customer_message?: string
  /** As it goes out: one object. */
  metadata?: Record<string, unknown>
  /** Of a refund. */
  deposit_id?: string
  success_url?: string
  failure_url?: string
  /** Redirect providers: whether the payer goes to a page, and to which once it is known. */
  redirect?: boolean
  authorization_url?: string
}

export function detailOf(operation: Operation): Detail {
  return operation.detail as Detail
}

/** pawaPay's word for a state. An order says `ACCEPTED` for a moment. */
export function statusOf(operation: Operation, now: number): string {
  switch (operation.state) {
    case 'succeeded':
      return 'COMPLETED'
    case 'failed':
      return 'FAILED'
    case 'queued':
      return 'ENQUEUED'
    case 'in_doubt':
      return 'IN_RECONCILIATION'
    case 'asking':
      return 'PROCESSING'
    case 'received': {
      const young = now - operation.created_at < 1000
      return young && detailOf(operation).authorization_url === undefined ? 'ACCEPTED' : 'PROCESSING'
    }
  }
}

/** The `data` of a read, and without `clientReferenceId` the body of a callback. */
export function dataOf(operation: Operation, text: (at: number) => string, now: number): Record<string, unknown> {
  const { kind, reference, amount, msisdn, reason } = operation
  const detail = detailOf(operation)
  const party = {
    type: 'MMO',
    accountDetails: { phoneNumber: (msisdn ?? '').slice(1), provider: detail.provider ?? providerOf(operation) },
  }
  const waits = detail.redirect === true && !hasEnded(operation)
  return {
    [idField[kind as Kind]]: reference,
    status: statusOf(operation, now),
    amount: `${amount}.00`,
    currency: 'XOF',
    country: 'CIV',
    ...(kind === 'deposit' ? { payer: party } : { recipient: party }),
    ...(detail.deposit_id === undefined ? {} : { depositId: detail.deposit_id }),
    ...(detail.client_reference === undefined ? {} : { clientReferenceId: detail.client_reference }),
    ...(detail.customer_message === undefined ? {} : { customerMessage: detail.customer_message }),
    created: text(operation.created_at),
    ...(operation.executed_at === null ? {} : { providerTransactionId: operation.transaction }),
    ...(reason === null ? {} : { failureReason: finalReason(reason) }),
    ...(waits ? nextStep(detail.authorization_url) : {}),
    ...(detail.metadata === undefined ? {} : { metadata: detail.metadata }),
  }
}

function nextStep(authorization_url: string | undefined): Record<string, string> {
  if (authorization_url === undefined) return { nextStep: 'GET_AUTH_URL' }
  return { nextStep: 'REDIRECT_TO_AUTH_URL', authorizationUrl: authorization_url }
}

function providerOf({ operator }: Operation): string {
  return providers.find((provider) => operatorOf[provider] === operator) ?? 'MTN_MOMO_CIV'
}
