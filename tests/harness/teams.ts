import assert from 'node:assert/strict'
import { findMembers } from '../../src/people/find-persons.ts'
import { type Invitation, invitePerson } from '../../src/people/invite-person.ts'
import { STAFF } from '../../src/people/person.ts'
import { readRights } from '../../src/people/read-rights.ts'
import { newShortCode } from '../../src/people/short-code.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import { actor } from './actor.ts'
import { type Browser, giveFactors, openBrowser, type Page, type SeatOptions, stepUpIn } from './console.ts'
import { createMerchant } from './create-merchant.ts'
import { HOST, TEST_KEY } from './people.ts'

// People of a merchant or of the staff, as authors of acts or as browsers.

/** A person in the console. */
export const seated = (person: string): Actor => ({ ...actor(person), door: 'console', from: '192.0.2.1' })

let made = 0

/** Returns a new e-mail address. */
export const newAddress = (name: string): string => `${name}${++made}-${process.pid}@example.com`

type Roles = Invitation['roles']

/** Makes people by operations, without a service. `sql` is a function, because a test opens its database later. */
export function teamsOn(sql: () => Sql) {
  const clock = createClock()

  /** Grants roles: by a person, or by a command on the host. */
  async function invite(email: string, roles: Roles, merchant_id = STAFF, by = HOST) {
    const result = await invitePerson({ sql: sql(), clock }, { email, roles, merchant_id }, by)
    assert.ok(result.kind === 'invited', JSON.stringify(result))
    return result
  }

  /** Makes a person who signs in by a password and a telephone. */
  async function member(name: string, roles: Roles, merchant_id = STAFF, by = HOST) {
    const email = newAddress(name)
    const { person_id } = await invite(email, roles, merchant_id, by)
    await sql()`
      update persons
         set status = 'active', activated_at = clock_now(), opened_by = ${merchant_id}, account_code = ${newShortCode()}
       where person_id = ${person_id}`
    await giveFactors(sql(), TEST_KEY, { person_id, email })
    return { email, person_id, as: seated(email) }
  }

  /** Makes a merchant with an owner and an approver. */
  async function newTeam() {
    const merchant_id = await createMerchant(sql(), 'Maquis')
    const owner = await member('awa', ['owner'], merchant_id)
    const approver = await member('issa', ['approver'], merchant_id)
    return { merchant_id, owner, approver }
  }

  const rightsAt = async (email: string, merchant_id: number) => (await readRights(sql(), email, merchant_id)).merchant

  const roleOf = async (person_id: string, merchant_id: number, role: string) =>
    (await findMembers(sql(), merchant_id))
      .find((one) => one.person_id === person_id)
      ?.roles.find((one) => one.role === role)

  return { invite, member, newTeam, rightsAt, roleOf }
}

/** A person in a browser, with a password and a telephone for codes. */
export type Member = Browser & {
  /** Returns the current code of the telephone, made valid again. */
  code(): Promise<string>
  /** Submits a form with a step-up. `answer` answers it, for tests in which several people act at once. */
  ask(path: string, fields: Fields, from: string): Promise<{ ask: Page; answer(): Promise<Page> }>
  /** Submits a form and answers its step-up. `ask`: the page of the step-up. */
  confirm(path: string, fields: Fields, from: string): Promise<{ ask: Page; done: Page }>
}

type Fields = Record<string, string> | readonly (readonly [string, string])[]

/** A service with its database: an installation, or a test's own processes. */
export type Place = { db: { sql: Sql }; services: readonly { address: string }[]; secret_key: string }

/** Opens the browser of a person with effective roles at a merchant, in the staff, or both. */
export async function openMember(
  { db, services, secret_key }: Place,
  name: string,
  roles: Omit<SeatOptions, 'name'>,
): Promise<Member> {
  const person = await openBrowser(db.sql, services[0]!.address, { name, ...roles })
  const code = await giveFactors(db.sql, secret_key, person)
  const asked: Member['ask'] = async (path, fields, from) => {
    const ask = await person.post(path, fields, from)
    assert.equal(ask.status, 200, ask.text)
    return { ask, answer: () => answerTo(ask, path, fields, from) }
  }
  async function answerTo(ask: Page, path: string, fields: Fields, from: string): Promise<Page> {
    const typed = Array.isArray(fields) ? fields : Object.entries(fields)
    const proof = [
      ['step_up_id', stepUpIn(ask)],
      ['secret_code', await code()],
    ] as const
    return person.post(path, [...typed, ...proof], from)
  }
  return {
    ...person,
    code,
    ask: asked,
    async confirm(path, fields, from) {
      const ask = await person.post(path, fields, from)
      // A declared act asks for no factor if it would be refused, or is done already.
      assert.ok([200, 303, 409, 422].includes(ask.status), ask.text)
      if (stepUpIn(ask) === '') return { ask, done: ask }
      return { ask, done: await answerTo(ask, path, fields, from) }
    },
  }
}
