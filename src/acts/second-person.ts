import type { Db, Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { isIndependentApprover, normalizePerson } from '../values/independent-approver.ts'
import * as store from './store.ts'

// The second person of a decision is another person than the first, and did not let the first one in: whoever gave a role or made a link within
// 90 days may hold that account. The database refuses them too (`stands_behind`).

/** Notes that the maker gave a person a role or a link. A command on the host under an unproven name is not noted. */
export async function noteTie(tx: Tx, email: string, maker: Actor): Promise<void> {
  if (!isBreakGlass(maker)) await store.upsertTie(tx, email, maker.person)
}

/** The people who began something, and those behind each of them. */
export type Beginners = { readonly began: readonly string[]; readonly behind: ReadonlySet<string> }

/** Reads who stands behind the people who began something: those who gave them a role or made their link within 90 days. */
export async function readBeginners(db: Db, began: readonly (string | null)[]): Promise<Beginners> {
  const people = began.filter((person) => person !== null)
  return { began: people, behind: new Set(await store.readMakers(db, people)) }
}

/** Whether a person may decide on what these began: they are none of them, and stand behind none of them. Keys decide nothing. */
export function isSecondPerson({ began, behind }: Beginners, person: string): boolean {
  return began.every((other) => isIndependentApprover(other, person)) && !behind.has(normalizePerson(person) ?? person)
}

/** Whether a person may decide on what these began. @param began people, or `key:…`; null: nobody is known */
export async function maySecond(db: Db, began: readonly (string | null)[], person: string): Promise<boolean> {
  return isSecondPerson(await readBeginners(db, began), person)
}

/** The reader of a page, with the people whom they let in within 90 days. */
export type Decider = { readonly person: string; readonly let_in: ReadonlySet<string> }

/** Reads whom a person let in, once for all that a page shows. */
export async function readDecider(db: Db, person: string): Promise<Decider> {
  return { person, let_in: new Set(await store.readLetIn(db, person)) }
}

/** Whether a page offers its reader the decision on what these began. The same as `maySecond`, for many at once. */
export function canDecideOn({ person, let_in }: Decider, began: readonly (string | null)[]): boolean {
  return began.every(
    (other) => other === null || (isIndependentApprover(other, person) && !let_in.has(normalizePerson(other) ?? other)),
  )
}
