import { findMembers } from '../people/find-persons.ts'
import type { Db } from '../platform/postgres/database.ts'
import { rightsOf } from '../values/rights.ts'

/** The active people of a merchant who may confirm a destination, by the name under which they act, and whether each is an owner. */
export type Deciders = ReadonlyMap<string, { readonly owner: boolean }>

export async function readDeciders(db: Db, merchant_id: number): Promise<Deciders> {
  const members = await findMembers(db, merchant_id)
  return new Map(
    members.flatMap(({ email, status, roles }) => {
      const held = roles.filter(({ counts }) => counts).map(({ role }) => role)
      const may = status === 'active' && rightsOf(held).has('destination.confirm')
      return may ? [[email, { owner: held.includes('owner') }]] : []
    }),
  )
}

/** Whether another person could confirm what this one proposes: one of the two is an owner. */
export function hasSecond(deciders: Deciders, person: string): boolean {
  const isOwner = deciders.get(person)?.owner === true
  return [...deciders].some(([other, { owner }]) => other !== person && (owner || isOwner))
}
