import { randomBytes } from 'node:crypto'
import type { ApiContext } from '../api.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import type { Settings } from './settings.ts'
import { refusal } from './words.ts'

/** Until when each token is good, and for which `country_path`. */
export type Memory = { tokens?: Record<string, { until: number; country_path: string }> }

const TOKEN_REFUSED = 'The body of a refused call for a token.'

/** Tokens: asked for at the root, good for the calls of one country. */
export function accessOf({
  settings,
  memory,
  time,
}: { settings: Settings; memory: Memory } & Pick<ApiContext, 'time'>) {
  memory.tokens ??= {}

  /** Answers `POST /oauth/v3/token`. */
  function issue({ headers, body }: TwinRequest): TwinAnswer {
    if (!takesJson(headers.accept)) return notAcceptable
    const pair = `${settings.client_id}:${settings.client_secret}`
    if (headers.authorization !== `Basic ${Buffer.from(pair).toString('base64')}`)
      return { status: 401, body: { error: 'invalid_client' }, unverified: TOKEN_REFUSED }
    const form = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
    if (!form || new URLSearchParams(body.toString('utf8')).get('grant_type') !== 'client_credentials')
      return { status: 400, body: { error: 'invalid_request' }, unverified: TOKEN_REFUSED }
    const access_token = randomBytes(24).toString('base64url')
    const { token_seconds, token_seconds_as_text, country_path } = settings
    const now = time.now()
    const good = Object.entries(memory.tokens ?? {}).filter(([, { until }]) => until > now)
    const until = now + token_seconds * 1000
    memory.tokens = Object.fromEntries([...good, [access_token, { until, country_path }]])
    const expires_in = token_seconds_as_text ? String(token_seconds) : token_seconds
    return { status: 200, body: { token_type: 'Bearer', access_token, expires_in } }
  }

  /** The answer that refuses a call; null: it may go on. */
  function refused({ headers }: TwinRequest, country_path: string): TwinAnswer | null {
    if (!takesJson(headers.accept)) return notAcceptable
    const { authorization } = headers
    if (authorization === undefined) return refusal('40')
    const token = memory.tokens?.[authorization.replace(/^Bearer /, '')]
    if (token === undefined) return refusal('41')
    if (token.until <= time.now()) return refusal('42')
    return token.country_path === country_path ? null : refusal('41', 'How credentials of another country are refused.')
  }

  return {
    issue,
    refused,
    /** Makes every token bad. */
    forgetTokens() {
      memory.tokens = {}
    },
  }
}

function takesJson(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true
}

const notAcceptable: TwinAnswer = { status: 406, unverified: 'Whether a call without Accept is refused, and its body.' }
