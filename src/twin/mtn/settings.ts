import type { Choices } from '../api.ts'

export const products = ['collection', 'disbursement'] as const
/** Products behave like APIs of their own: other keys, other users, other tokens. */
export type Product = (typeof products)[number]

/** The names of MTN's orders, as they stand in its addresses. */
export type Kind = 'requesttopay' | 'transfer' | 'deposit' | 'refund'

export const kindsOf: Readonly<Record<Product, readonly Kind[]>> = {
  collection: ['requesttopay'],
  disbursement: ['transfer', 'deposit', 'refund'],
}

/** The two subscription keys of a product. Either admits a call. */
export const subscriptionKeys = ['subscription_key', 'secondary_subscription_key'] as const
export type Keys = { subscription_key: string; secondary_subscription_key: string; api_user: string; api_key: string }

/** The settings of a contract with MTN, as `/_twin/apis/mtn` shows and changes them. */
export type Settings = {
  /** `sandbox`, where amounts are in EUR and API users can be made, or `mtnivorycoast`, where they are in XOF. */
  target_environment: string
  collection: Keys
  disbursement: Keys
  /** The host that the two users above may be called back at; empty: any. */
  callback_host: string
  /** The name that a payer reads. */
  display_name: string
  /** The pages of the documentation disagree. */
  callback_method: 'PUT' | 'POST'
  /** Where a callback holds the reference besides `externalId`. */
  callback_reference: 'nowhere' | 'header' | 'body'
  /** Seconds for which a token is good. */
  token_seconds: number
  /** The body that the call for a token takes: the sources disagree. */
  token_body: 'any' | 'empty' | 'json'
  /** False: transfers are answered 403 while reads work, as on a market where the product was not activated. */
  transfers_activated: boolean
  /** The parts of a holder's name that the contract may read: a production contract may need a permission for it. */
  names_told: 'both' | 'given_name' | 'family_name' | 'none'
  /** Seconds for which an order is `CREATED`, a state that the documentation does not have. */
  created_seconds: number
  /** Seconds for which a phone shows a request. */
  payer_seconds: number
  /** The reason of a failure is a text and no object. */
  reason_as_text: boolean
  /** Amounts and numbers of transactions are numbers and no texts. */
  numeric_amounts: boolean
  /** Amounts come back as `2500.0`. */
  decimals: boolean
}

export const defaults: Settings = {
  target_environment: 'mtnivorycoast',
  collection: {
    subscription_key: 'twin-mtn-collection-key',
    secondary_subscription_key: 'twin-mtn-collection-key-2',
    api_user: '5b0c0b5e-3f0a-4d0e-9a51-c011ec7104e5',
    api_key: 'twin-mtn-collection-secret',
  },
  disbursement: {
    subscription_key: 'twin-mtn-disbursement-key',
    secondary_subscription_key: 'twin-mtn-disbursement-key-2',
    api_user: 'd15b0c5e-8f6e-4c39-8d2f-d15b0125e3e5',
    api_key: 'twin-mtn-disbursement-secret',
  },
  callback_host: '',
  display_name: 'Chez Aya – Pagnes',
  callback_method: 'POST',
  callback_reference: 'nowhere',
  token_seconds: 3600,
  token_body: 'any',
  transfers_activated: true,
  names_told: 'both',
  created_seconds: 1,
  payer_seconds: 300,
  reason_as_text: false,
  numeric_amounts: false,
  decimals: false,
}

export const choices: Choices<Settings> = {
  callback_method: ['PUT', 'POST'],
  callback_reference: ['nowhere', 'header', 'body'],
  token_body: ['any', 'empty', 'json'],
  names_told: ['both', 'given_name', 'family_name', 'none'],
}

/** The one wallet behind both products, as it was measured on one market. */
export const WALLET = 'mtn/CI'

export function isSandbox({ target_environment }: Pick<Settings, 'target_environment'>): boolean {
  return target_environment === 'sandbox'
}

export function currencyOf(settings: Settings): 'EUR' | 'XOF' {
  return isSandbox(settings) ? 'EUR' : 'XOF'
}
