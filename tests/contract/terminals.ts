import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClock } from '../../src/platform/clock.ts'
import type { MerchantRole, StaffRole } from '../../src/values/rights.ts'
import { runUntilCode } from '../harness/command-line.ts'
import { browse, type Page, stepUpIn } from '../harness/console.ts'
import { databaseSettings } from '../harness/database.ts'
import type { Installation } from '../harness/installation.ts'
import { newPasskeyPerson, type PasskeyPerson, peopleDeps } from '../harness/people.ts'

/** The page of the desk on which staff type the code of a command line. */
export const DESK_PAGE = '/desk/live/account/command-line'

type Roles = { staff_roles?: StaffRole[]; merchant_id?: number; roles?: MerchantRole[] }

/** A person with only a passkey, in a browser. */
export type PasskeyHolder = PasskeyPerson & ReturnType<typeof browse> & { origin: string }

/** Terminals on the service's machine, and people who confirm their requests in a browser. */
export type Terminals = {
  newHolder(roles: Roles): Promise<PasskeyHolder>
  /** Returns the settings of a new terminal without a signed-in person. */
  newTerminal(): Promise<NodeJS.ProcessEnv>
  /** Signs in at a terminal, which that person confirms. */
  logIn(person: PasskeyHolder, env: NodeJS.ProcessEnv, page?: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export function openTerminals({ services, db }: Installation): Terminals {
  const folders: string[] = []
  const { address, secret_key } = services[0]!
  const origin = address.replace('127.0.0.1', 'localhost')
  return {
    async newHolder(roles) {
      const deps = peopleDeps(db.sql, { origin, secret_key, clock: createClock() })
      const person = await newPasskeyPerson(deps, roles)
      return { ...person, ...browse(address, `session=${person.token}`), origin }
    },
    async newTerminal() {
      const folder = await mkdtemp(join(tmpdir(), 'bandama-terminal-'))
      folders.push(folder)
      const { PATH, HOME } = process.env
      const settings = { PORT: new URL(address).port, XDG_CONFIG_HOME: folder, SECRET_KEY: secret_key }
      return { PATH, HOME, ...databaseSettings(db.url), ...settings }
    },
    async logIn(person, env, page) {
      const { code, ended } = await runUntilCode(env, ['login'])
      await agree(person, code, page)
      assert.equal((await ended).code, 0)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
    },
  }
}

/** Types a code, and confirms the request with the passkey. */
export async function agree(person: PasskeyHolder, code: string, page = DESK_PAGE): Promise<{ ask: Page; done: Page }> {
  const ask = await person.post(page, { code })
  return { ask, done: await answer(person, code, ask, page) }
}

/** Confirms the current step-up with the passkey. */
export async function answer(person: PasskeyHolder, code: string, ask: Page, page = DESK_PAGE): Promise<Page> {
  assert.equal(ask.status, 200, ask.text)
  const [, question] = /data-passkey="([^"]+)"/.exec(ask.text)!
  const options = JSON.parse(question!.replaceAll('&quot;', '"').replaceAll('&#34;', '"'))
  const secret_assertion = JSON.stringify(person.authenticator.assert(options, person.origin))
  return person.post(page, { code, step_up_id: stepUpIn(ask), secret_assertion })
}

/** Returns a page as one line of text. */
export const plain = ({ text }: Page) => text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
