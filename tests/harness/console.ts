import { factorKey } from '../../src/people/factors/factor-deps.ts'
import { hashPassword } from '../../src/people/factors/password-hash.ts'
import { readFirstCode, showSecret, takeTelephone } from '../../src/people/factors/take-code.ts'
import { openSession } from '../../src/people/sessions/open-session.ts'
import { newShortCode } from '../../src/people/short-code.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { newId } from '../../src/values/ids.ts'
import { Secret } from '../../src/values/secret.ts'
import { nextRank } from './borrow-stand.ts'
import { PASSWORD, telephone } from './people.ts'

export type Page = { status: number; text: string; headers: Headers; location: string | null }

export type Browser = {
  person_id: string
  email: string
  /** The session's cookie, for a test that sends it itself. */
  cookie: string
  get(path: string): Promise<Page>
  /** Reads a page as facts. */
  facts(path: string): Promise<{ status: number; body: Record<string, unknown> }>
  /** Submits a form as our own page does, with the nonce of the page at `from`. */
  post(
    path: string,
    fields: Record<string, string> | readonly (readonly [string, string])[],
    from?: string,
  ): Promise<Page>
  /** Submits a form with a file to its own page. */
  upload(
    path: string,
    file: { name: string; bytes: string | Uint8Array },
    fields?: Record<string, string>,
  ): Promise<Page>
}

export type SeatOptions = {
  merchant_id?: number
  roles?: readonly string[]
  staff?: readonly string[]
  name?: string
  language?: 'fr' | 'en'
}

/** Opens a signed-in person with effective roles, as a browser with their session. */
export async function openBrowser(
  sql: Sql,
  address: string,
  { merchant_id, roles = [], staff = [], ...words }: SeatOptions,
): Promise<Browser> {
  const clock = createClock()
  const person_id = newId('per', clock.milliseconds())
  const email = `person-${nextRank('person')}@example.ci`
  const { name = 'Aya Kouassi', language = 'fr' } = words
  const opened = await sql.begin(async (tx) => {
    await tx`
      insert into persons (person_id, email, name, language, status, activated_at, opened_by, account_code)
      values (${person_id}, ${email}, ${name}, ${language}, 'active', clock_now(), ${merchant_id ?? 0}, ${newShortCode()})`
    for (const [of, held] of [
      [merchant_id, roles],
      [0, staff],
    ] as const) {
      for (const role of held) {
        await tx`
          insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation, break_glass)
          values (${person_id}, ${of!}, ${role}, 'system', false, true)`
      }
    }
    return openSession(tx, clock, { person_id, email, factor: 'totp', address: '127.0.0.1', user_agent: 'test' })
  })
  return { person_id, email, ...browse(address, `session=${opened.token.reveal()}`) }
}

/** Requests pages as a browser with a session. */
export function browse(address: string, cookie: string) {
  const ask = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const headers = { cookie, accept: 'text/html', ...init.headers }
    const response = await fetch(new URL(path, address), { redirect: 'manual', ...init, headers })
    const text = await response.text()
    return { status: response.status, text, headers: response.headers, location: response.headers.get('location') }
  }
  return {
    cookie,
    get: (path: string) => ask(path),
    async facts(path: string) {
      const { status, text } = await ask(path, { headers: { accept: 'application/json' } })
      return { status, body: JSON.parse(text) as Record<string, unknown> }
    },
    async post(path: string, fields: Record<string, string> | readonly (readonly [string, string])[], from = path) {
      const nonce = /name="nonce" value="([^"]+)"/.exec((await ask(from)).text)?.[1] ?? ''
      const pairs = Array.isArray(fields) ? fields : Object.entries(fields)
      const body = new URLSearchParams([['nonce', nonce], ...pairs] as [string, string][])
      return ask(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
    },
    async upload(
      path: string,
      file: { name: string; bytes: string | Uint8Array },
      fields: Record<string, string> = {},
    ) {
      const nonce = /name="nonce" value="([^"]+)"/.exec((await ask(path)).text)?.[1] ?? ''
      const body = new FormData()
      for (const [name, value] of Object.entries({ nonce, ...fields })) body.append(name, value)
      body.append('file', new Blob([file.bytes as Uint8Array<ArrayBuffer>]), file.name)
      return ask(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
    },
  }
}

/** Reads the step-up of a page. Empty when it has none. */
export function stepUpIn({ text }: Page): string {
  return /name="step_up_id" value="([^"]+)"/.exec(text)?.[1] ?? ''
}

/** Reads the hidden fields of a step-up, which its answer returns. */
export function carried({ text }: Page): Record<string, string> {
  const main = text.slice(text.indexOf('<main'))
  const pairs = [...main.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  return Object.fromEntries(
    pairs.map(([, name, value]) => [name!, value!] as const).filter(([name]) => name !== 'nonce'),
  )
}

/** The hash of `PASSWORD`, made once because hashing is slow on purpose. */
let passwordHash: Promise<string | null> | null = null

/**
 * Gives a person `PASSWORD` and a telephone with an authenticator app. Returns a function with the current code. Each call makes the code
 * valid again, so that a test need not wait half a minute between two acts.
 * @param secret_key the service's key, which encrypts the secrets of telephones
 */
export async function giveFactors(
  sql: Sql,
  secret_key: string,
  { person_id, email }: Pick<Browser, 'person_id' | 'email'>,
): Promise<() => Promise<string>> {
  const key = factorKey(new Secret(secret_key))
  const clock = createClock()
  const { secret_text, sealed } = showSecret({ key, clock }, { person_id, email, issuer: 'test' })
  const { code } = telephone(secret_text, clock)
  passwordHash ??= hashPassword(PASSWORD)
  await sql`insert into person_passwords (person_id, hash) values (${person_id}, ${await passwordHash})`
  const first = readFirstCode({ key, clock }, person_id, { sealed, code: code() })
  if (first.kind !== 'right') throw new Error(`The first code of a phone was refused: ${first.code}.`)
  await sql.begin((tx) => takeTelephone(tx, key, person_id, first))
  return async () => {
    await sql`update person_totp set last_step = null where person_id = ${person_id}`
    return code()
  }
}
