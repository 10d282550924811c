import type { Choices } from '../api.ts'

/** The settings of a contract for web payments, as `/_twin/apis/orange` shows and changes them. */
export type Settings = {
  /** The part of the addresses that names the country: `ci`, in XOF, or `dev`, the sandbox, in OUV, a currency that does not exist. */
  country_path: string
  client_id: string
  client_secret: string
  merchant_key: string
  /** Seconds for which a token is good. */
  token_seconds: number
  /** `expires_in` is a text, as in old samples. */
  token_seconds_as_text: boolean
  /** Seconds for which the payer's page lives. */
  page_seconds: number
  /** Seconds between the payer's code and the end. */
  work_seconds: number
  /** The HTTP status of an answer to a question. */
  status_http: number
  /** A few descriptions have the notice as a GET with its words in the query. */
  notice_method: 'POST' | 'GET'
  /** Notices hold a token that is not that of their order. */
  notice_token_wrong: boolean
}

export const defaults: Settings = {
  country_path: 'ci',
  client_id: 'twin-orange-client',
  client_secret: 'twin-orange-secret',
  merchant_key: 'twin-orange-merchant-key',
  token_seconds: 3600,
  token_seconds_as_text: false,
  page_seconds: 600,
  work_seconds: 1,
  status_http: 201,
  notice_method: 'POST',
  notice_token_wrong: false,
}

export const choices: Choices<Settings> = { country_path: ['ci', 'dev'], notice_method: ['POST', 'GET'] }

export function currencyOf({ country_path }: Settings): 'OUV' | 'XOF' {
  return country_path === 'dev' ? 'OUV' : 'XOF'
}

/** The wallet of the contract; the sandbox has one of its own. */
export function walletOf({ country_path }: Settings): string {
  return country_path === 'dev' ? 'orange/dev' : 'orange/CI'
}
