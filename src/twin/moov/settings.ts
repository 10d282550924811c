import type { Choices } from '../api.ts'

/** The names that we give to the calls that are orders; Moov has only its commands. */
export type Kind = 'prompt' | 'code' | 'transfer'

/** The settings of a contract with Moov's JSON gateway, as `/_twin/apis/moov` shows and changes them. */
export type Settings = {
  /** `older`: one address, and the table of codes that the SOAP family has as well. `newer`: an address to order and one to ask, and three codes. */
  platform: string
  user: string
  password: string
  /** The word before the credentials: `Basic`, or `Bearer` as in one country. */
  authorization: string
  /** Calls must bring `hash`. */
  hash: boolean
  /** Payouts must name the wallet that pays, with its secret code, as in one country. */
  wallet_named: boolean
  /** Our wallet, `225…`, and its secret code; both are looked at only where `wallet_named` says so. */
  sender: string
  auth: string
  /** The proposed contract collects by `prompt`, or by a `code` by SMS. The twin takes both. */
  collection: string
  /** False: payouts are answered 2, as where they were not activated. */
  transfers_activated: boolean
  /** The field that holds the text of an answer: `message` or `statusdescription`. */
  text_field: string
  /** Questions find what was ordered on the same day, by Abidjan's clock, and nothing older. */
  forgets_at_midnight: boolean
  /** The name that a payer reads. */
  display_name: string
  /** Seconds for which a phone shows a prompt. */
  payer_seconds: number
}

export const defaults: Settings = {
  platform: 'older',
  user: 'twin-moov-user',
  password: 'twin-moov-password',
  authorization: 'Basic',
  hash: false,
  wallet_named: false,
  sender: '2250100009999',
  auth: 'twin-moov-auth',
  collection: 'prompt',
  transfers_activated: true,
  text_field: 'message',
  forgets_at_midnight: true,
  display_name: 'Chez Aya – Pagnes',
  payer_seconds: 120,
}

export const choices: Choices<Settings> = {
  platform: ['older', 'newer'],
  authorization: ['Basic', 'Bearer'],
  collection: ['prompt', 'code'],
  text_field: ['message', 'statusdescription'],
}

/** The one wallet behind collections and payouts. */
export const WALLET = 'moov/CI'

/** The addresses of a platform: where orders go, and where questions go. */
export function addressesOf({ platform }: Settings): { order: string; ask: string } {
  return platform === 'newer'
    ? { order: '/apiaccess/Deduction', ask: '/apiaccess/SearchTransactionByExtID' }
    : { order: '/gateway/3pp/transaction/process', ask: '/gateway/3pp/transaction/process' }
}
