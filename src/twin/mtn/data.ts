import type { Operation } from '../state.ts'
import { type Party, partyField } from './orders.ts'
import { currencyOf, type Kind, type Settings } from './settings.ts'
import { endingWord, messageOf } from './words.ts'

/** The fields of an order that the core does not know. */
export type Detail = {
  /** Null: it is the reference itself. */
  external_id?: string | null
  payer_message?: string
  payee_note?: string
  party?: Party
  /** Of a refund: the request to pay. */
  refers_to?: string
  /** Where its callback goes. */
  callback_url?: string
  /** It is `CREATED` until it ends. */
  created?: boolean
}

export function detailOf(operation: Operation): Detail {
  return operation.detail as Detail
}

/** MTN's word for a state. */
export function statusOf(operation: Operation, { created_seconds }: Settings, now: number): string {
  switch (operation.state) {
    case 'succeeded':
      return 'SUCCESSFUL'
    case 'failed':
      return 'FAILED'
    case 'received': {
      const young = now - operation.created_at < created_seconds * 1000
      return young || detailOf(operation).created === true ? 'CREATED' : 'PENDING'
    }
    default:
      return 'PENDING'
  }
}

/** The body of a read and of a callback. */
export function bodyOf(operation: Operation, settings: Settings, now: number): Record<string, unknown> {
  const { kind, reference, amount, transaction, executed_at } = operation
  const { external_id, payer_message, payee_note, party } = detailOf(operation)
  const number = (text: string): string | number => (settings.numeric_amounts ? Number(text) : text)
  const field = partyField[kind as Kind]
  const status = statusOf(operation, settings, now)
  return {
    ...(executed_at === null ? {} : { financialTransactionId: number(transaction.replace(/\D/g, '')) }),
    externalId: external_id ?? reference,
    amount: number(settings.decimals ? `${amount}.0` : String(amount)),
    currency: currencyOf(settings),
    ...(field === null || party === undefined ? {} : { [field]: party }),
    ...(payer_message === undefined ? {} : { payerMessage: payer_message }),
    ...(payee_note === undefined ? {} : { payeeNote: payee_note }),
    status,
    ...(status === 'FAILED' ? { reason: reasonOf(endingWord(operation), settings) } : {}),
  }
}

function reasonOf(code: string, { reason_as_text }: Settings): object | string {
  return reason_as_text ? code : { code, message: messageOf(code) }
}
