import { signatureHeaders } from '../operator-api/http-signatures.ts'
import type { OperatorHttp, OperatorReply } from '../operator-api/operator-http.ts'
import { type PawapaySettings, signingKeyOf } from './settings.ts'

/** pawaPay's three kinds of operation. Its addresses use the plural. */
export type OperationKind = 'deposit' | 'payout' | 'refund'

/** The calls to pawaPay's Merchant API v2. `translate.ts` reads their replies. */
export type PawapayClient = {
  /** Initiates an operation, and signs the request if the settings have a key. */
  initiate(kind: OperationKind, body: object): Promise<OperatorReply>
  /** Reads the state of an operation by our id. */
  readOperation(kind: OperationKind, id: string): Promise<OperatorReply>
  /** Asks pawaPay to send the callback of a concluded operation again. */
  resendCallback(kind: OperationKind, id: string): Promise<OperatorReply>
  /** Cancels a payout that pawaPay still holds because its provider is in trouble. */
  failEnqueued(payout_id: string): Promise<OperatorReply>
  /** The providers of Côte d'Ivoire in this account, with bounds, and its settings of signatures. */
  activeConfiguration(): Promise<OperatorReply>
  /** The present availability of each provider. */
  availability(): Promise<OperatorReply>
  walletBalances(): Promise<OperatorReply>
  /** The keys with which pawaPay signs. */
  publicKeys(): Promise<OperatorReply>
}

/** Milliseconds for a call that moves no money. */
const READ_DEADLINE_MS = 15_000

/** @throws with a sentence about the settings when their signing key is unusable */
export function createPawapayClient(settings: PawapaySettings, http: OperatorHttp, now: () => Date): PawapayClient {
  const { host: authority, pathname } = new URL(settings.base_url)
  const prefix = pathname.replace(/\/$/, '')
  const authorization = `Bearer ${settings.api_token}`
  const key = signingKeyOf(settings)
  const signer = key === null ? null : { ...key, label: 'sig-pp', form: settings.signing_form ?? 'der' }

  function post(path: string, body: object | null): Promise<OperatorReply> {
    const bytes = Buffer.from(body === null ? '' : JSON.stringify(body))
    const request = { method: 'POST', authority, path: prefix + path }
    const signed =
      signer === null || body === null
        ? { 'content-type': 'application/json' }
        : signatureHeaders(signer, request, bytes, now())
    return http.call({ method: 'POST', path, headers: { authorization, ...signed }, body: bytes })
  }

  function get(path: string): Promise<OperatorReply> {
    return http.call({ method: 'GET', path, headers: { authorization }, deadline_ms: READ_DEADLINE_MS })
  }

  return {
    initiate: (kind, body) => post(`/v2/${kind}s`, body),
    readOperation: (kind, id) => get(`/v2/${kind}s/${encodeURIComponent(id)}`),
    resendCallback: (kind, id) => post(`/v2/${kind}s/resend-callback/${encodeURIComponent(id)}`, null),
    failEnqueued: (id) => post(`/v2/payouts/fail-enqueued/${encodeURIComponent(id)}`, null),
    activeConfiguration: () => get('/v2/active-conf?country=CIV'),
    availability: () => get('/v2/availability?country=CIV'),
    walletBalances: () => get('/v2/wallet-balances?country=CIV'),
    publicKeys: () => get('/v2/public-key/http'),
  }
}
