import assert from 'node:assert/strict'
import pino from 'pino'
import { Registry } from 'prom-client'
import { type FactorDeps, factorKey } from '../../src/people/factors/factor-deps.ts'
import { siteOf } from '../../src/people/factors/passkey.ts'
import { codeOf, stepAt } from '../../src/people/factors/totp.ts'
import { invitePerson } from '../../src/people/invite-person.ts'
import { STAFF } from '../../src/people/person.ts'
import type { Browser } from '../../src/people/sessions/browser.ts'
import { readSession } from '../../src/people/sessions/read-session.ts'
import type { Session } from '../../src/people/sessions/session.ts'
import { acceptInvitation, openInvitation } from '../../src/people/sign-in/accept-invitation.ts'
import { beginSignIn, finishSignIn } from '../../src/people/sign-in/sign-in.ts'
import { type Clock, machineMilliseconds } from '../../src/platform/clock.ts'
import { createLimits } from '../../src/platform/limits/windows.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { MerchantRole, StaffRole } from '../../src/values/rights.ts'
import { Secret } from '../../src/values/secret.ts'
import { actor } from './actor.ts'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import type { TestDatabase } from './database.ts'

export const PASSWORD = 'quatre lagunes et un pont'

/** The secret key with which `peopleDeps` encrypts, without a service. */
export const TEST_KEY = 'a key of the tests'

/** The command on the host, whose roles take effect at once. */
export const HOST = actor('host:root')

let people = 0

/** The place where people sign in. `secret_key`: the service's key, which encrypts the secrets of telephones. */
export type Door = { origin: string; secret_key: string; clock?: Clock; sign_ins_per_address?: number }

/** Returns the dependencies of people's operations, with or without a service. */
export function peopleDeps(sql: Sql, door: Partial<Door> = {}): FactorDeps {
  const { origin = 'https://console.example.com', secret_key = TEST_KEY, clock = stillClock() } = door
  const log = pino({ level: 'silent' })
  const payer_attempts = { max: 5, window_seconds: 600, secret: Buffer.alloc(32) }
  return {
    sql,
    clock,
    limits: createLimits({ redis_url: null, payer_attempts, clock, log, registry: new Registry() }),
    log,
    key: factorKey(new Secret(secret_key)),
    site: siteOf(origin, 'Bandama'),
    sign_ins_per_address: door.sign_ins_per_address ?? 1_000_000,
  }
}

/**
 * A clock that stands still until a test moves it, so that no half minute of a code and no minute of a limit ends during a test on a slow
 * machine.
 */
function stillClock(): Clock {
  let present = machineMilliseconds()
  const clock: Clock = {
    now: () => new Date(present),
    milliseconds: () => present,
    adjust(milliseconds) {
      present = milliseconds
    },
  }
  stillClocks.add(clock)
  return clock
}

const stillClocks = new WeakSet<Clock>()

/** Moves the database's time and a test's clock to this many seconds ahead of the machine's. */
export async function movePeopleClock(db: TestDatabase, clock: Clock, seconds: number): Promise<void> {
  await db.moveClock(`${seconds} seconds`)
  clock.adjust(machineMilliseconds() + seconds * 1_000, machineMilliseconds())
}

/** A browser with its own IP address. */
export function browserAt(address = '192.0.2.1'): Browser {
  return { address, user_agent: 'Firefox on a test' }
}

/** A telephone with an authenticator app. */
export type Telephone = {
  /** Returns the code of a time step. Absent: of the present. */
  code(step?: number): string
  /**
   * Returns the next unused code. Within a half minute of a standing clock there are three: the last, the current and the next. With a
   * running clock there are two, because the last one may be too old when it is checked.
   * @throws when all are used; the test must move the clock
   */
  nextCode(): string
}

/** Makes a telephone. @param secret_text the secret in base 32, as on the page */
export function telephone(secret_text: string, clock: Clock): Telephone {
  const goes = !stillClocks.has(clock)
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret_text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const secret = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  let last = 0
  return {
    code: (step = stepAt(clock.milliseconds())) => codeOf(secret, step),
    nextCode() {
      const present = stepAt(clock.milliseconds())
      const step = Math.max(last + 1, goes ? present : present - 1)
      assert.ok(step <= present + 1, 'the codes of this half minute are used: move the clock on')
      last = step
      return codeOf(secret, step)
    },
  }
}

/** An active person with a password, a telephone and an open session. */
export type TestPerson = Telephone & {
  person_id: string
  email: string
  password: string
  recovery_codes: string[]
  /** The cookie's value of the session that the invitation opened. */
  token: string
  /** Reads that session again. */
  session(): Promise<Session>
  /** Signs in again. Returns the token of the new session. */
  signIn(browser?: Browser): Promise<string>
}

type PersonOptions = {
  name?: string
  merchant_id?: number
  /** The roles at the merchant. With only `merchant_id`: owner. */
  roles?: readonly MerchantRole[]
  staff_roles?: readonly StaffRole[]
  browser?: Browser
}

/** Makes a person as a command on the host and a browser do: invited, with roles that take effect at once, and with the link used. */
export async function newPerson(deps: FactorDeps, options: PersonOptions = {}): Promise<TestPerson> {
  return takeUp(deps, { ...options, ...(await inviteNew(deps, options)) })
}

/** A person with only a passkey, with a session. */
export type PasskeyPerson = { person_id: string; email: string; token: string; authenticator: Authenticator }

/** Makes a person who uses their link with a passkey. */
export async function newPasskeyPerson(deps: FactorDeps, options: PersonOptions = {}): Promise<PasskeyPerson> {
  const { link: token, email, name } = await inviteNew(deps, options)
  const { browser = browserAt() } = options
  const opened = await openInvitation(deps, { token })
  assert.ok(opened.kind === 'open' && opened.passkey !== null, JSON.stringify(opened))
  const authenticator = createAuthenticator()
  const { attempt, options: question } = opened.passkey
  const answer = authenticator.register(question, deps.site.origin)
  const factors = { kind: 'passkey', attempt: attempt.reveal(), answer, label: 'Téléphone' } as const
  const accepted = await acceptInvitation(deps, { token, name, language: 'fr', factors, browser })
  assert.ok(accepted.kind === 'accepted', JSON.stringify(accepted))
  const session = accepted.session.token.reveal()
  const { person_id } = (await readSession(deps, session))!.person
  return { person_id, email, token: session, authenticator }
}

async function inviteNew(
  deps: FactorDeps,
  options: PersonOptions,
): Promise<{ link: string; email: string; name: string }> {
  const { name = 'Awa', merchant_id, roles = ['owner'], staff_roles = [] } = options
  people += 1
  const email = `${name.toLowerCase().replace(/\W+/g, '-')}${people}-${process.pid}@example.com`
  const wanted = [
    ...(merchant_id === undefined ? [] : [{ merchant_id, roles }]),
    ...(staff_roles.length === 0 ? [] : [{ merchant_id: STAFF, roles: staff_roles }]),
  ]
  let link: string | null = null
  for (const { merchant_id: at, roles: given } of wanted) {
    const invited = await invitePerson(deps, { email, name, merchant_id: at, roles: given }, HOST)
    assert.ok(invited.kind === 'invited' && invited.link !== null, JSON.stringify(invited))
    link = invited.link.token.reveal()
  }
  assert.ok(link !== null, 'a person has a role somewhere')
  return { link, email, name }
}

/** Uses a link with a password and a telephone. */
export async function takeUp(
  deps: FactorDeps,
  {
    link,
    email,
    name = 'Awa',
    browser = browserAt(),
  }: { link: string; email: string; name?: string; browser?: Browser },
): Promise<TestPerson> {
  const opened = await openInvitation(deps, { token: link })
  assert.ok(opened.kind === 'open', JSON.stringify(opened))
  const phone = telephone(opened.telephone.secret_text, deps.clock)
  const { sealed } = opened.telephone
  const factors = { kind: 'password', password: PASSWORD, sealed, code: phone.nextCode() } as const
  const accepted = await acceptInvitation(deps, { token: link, name, language: 'fr', factors, browser })
  assert.ok(accepted.kind === 'accepted', JSON.stringify(accepted))
  const token = accepted.session.token.reveal()
  const session = async () => {
    const read = await readSession(deps, token)
    assert.ok(read !== null, 'the session is open')
    return read
  }
  return {
    ...phone,
    person_id: (await session()).person.person_id,
    email,
    password: PASSWORD,
    recovery_codes: accepted.recovery_codes,
    token,
    session,
    async signIn(from = browser) {
      const begun = await beginSignIn(deps, { email, password: PASSWORD, browser: from })
      assert.ok(begun.kind === 'second_step', JSON.stringify(begun))
      const code = phone.nextCode()
      const done = await finishSignIn(deps, { attempt: begun.attempt.reveal(), code, browser: from })
      assert.ok(done.kind === 'signed_in', JSON.stringify(done))
      return done.session.token.reveal()
    },
  }
}
