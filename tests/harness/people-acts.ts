import assert from 'node:assert/strict'
import type { Act, ActRefused } from '../../src/acts/act.ts'
import * as confirmation from '../../src/people/confirm-role.ts'
import * as disabling from '../../src/people/disable-person.ts'
import { STAFF } from '../../src/people/person.ts'
import * as removal from '../../src/people/remove-role.ts'
import * as resetting from '../../src/people/reset-person.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import { perform } from './perform.ts'

type Deps = { sql: Sql; clock?: Clock }
type Done<Kind extends string, Result> = ({ kind: Kind } & Result) | ActRefused

/** A test of a confirmation or a removal asserts only that it was done. */
const nothing = () => ({})

/** Acts on a person, at a merchant or in the staff. */
async function act<Kind extends string, Result, Shown extends object>(
  kind: Kind,
  { declared, shown }: { declared: Act<unknown, Result>; shown: (result: Result) => Shown },
  { sql, clock = createClock() }: Deps,
  {
    person_id,
    merchant_id,
    by,
    ...values
  }: { person_id: string; merchant_id: number; by: Actor; role?: string; merchant?: number },
): Promise<Done<Kind, Shown>> {
  const within = merchant_id === STAFF ? {} : { merchant_id }
  const performed = await perform(declared, { sql, clock }, { id: person_id, values, within }, by)
  assert.ok(performed.kind !== 'ask_again')
  return performed.kind === 'refused' ? performed : { kind, ...shown(performed.result) }
}

export const confirmRole = (deps: Deps, key: confirmation.RoleKey, by: Actor) => {
  const declared = key.merchant_id === STAFF ? confirmation.confirmStaffRole : confirmation.confirmTeamRole
  return act('confirmed', { declared, shown: nothing }, deps, { ...key, by })
}

export const confirmForMerchant = (deps: Deps, { merchant_id: merchant, ...key }: confirmation.RoleKey, by: Actor) => {
  const one = { declared: confirmation.confirmMemberRole, shown: nothing }
  return act('confirmed', one, deps, { ...key, merchant, merchant_id: STAFF, by })
}

export const removeRole = (deps: Deps, key: confirmation.RoleKey, by: Actor) => {
  const declared = key.merchant_id === STAFF ? removal.removeStaffRole : removal.removeTeamRole
  return act('removed', { declared, shown: nothing }, deps, { ...key, by })
}

export const resetPerson = (deps: Deps, person_id: string, merchant_id: number, by: Actor) => {
  const declared = merchant_id === STAFF ? resetting.resetPerson : resetting.resetMember
  const shown = ({ email, link }: resetting.PersonReset) => ({ email, link })
  return act('reset', { declared, shown }, deps, { person_id, merchant_id, by })
}

export const disablePerson = (deps: Deps, person_id: string, by: Actor) => {
  const shown = ({ sessions_ended }: { sessions_ended: number }) => ({ sessions_ended })
  return act('disabled', { declared: disabling.disablePerson, shown }, deps, { person_id, merchant_id: STAFF, by })
}
