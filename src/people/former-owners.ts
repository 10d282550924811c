import { readActsWith } from '../audit-log/find-acts.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { findHolders } from './find-persons.ts'
import type { NoticeName } from './notices/notice.ts'
import { notify } from './notices/notify.ts'
import * as store from './store.ts'

// One administrator shuts an owner out at once, because a stolen account or a lost phone cannot wait. The merchant learns of every new owner
// whom the service lets in after that, and the administrator who shut the owner out is not the second person for the new one.

/** The days for which an owner who was shut out is told of new ones. */
const TOLD_DAYS = 90

/** An owner of a merchant whom an administrator has disabled. */
export type FormerOwner = { readonly email: string; readonly disabled_by: string; readonly disabled_at: Date }

/** Finds the owners of a merchant who were disabled in the last 90 days, the newest first. */
export async function findFormerOwners(db: Db, merchant_id: number): Promise<FormerOwner[]> {
  const acts = await readActsOnOwners(db, 'person.disable', merchant_id)
  return acts.map(({ email, by, at }) => ({ email, disabled_by: by, disabled_at: at }))
}

/** An owner whom an administrator disabled or reset, and who is not an owner again. */
export type OwnerShutOut = {
  readonly email: string
  readonly act: 'person.disable' | 'person.reset'
  readonly by: string
  readonly at: Date
}

/** Finds the owners of a merchant who were disabled or reset in the last 90 days and are not owners again, for the second person to ask them. */
export async function findShutOutOwners(db: Db, merchant_id: number): Promise<OwnerShutOut[]> {
  const acts = [
    ...(await readActsOnOwners(db, 'person.disable', merchant_id)),
    ...(await readActsOnOwners(db, 'person.reset', merchant_id)),
  ]
  const owners = (await store.readHolders(db, merchant_id, ['owner'])).map(({ email }) => email)
  return acts.filter(({ email }) => !owners.includes(email))
}

/**
 * Whether a person disabled or reset an owner of the merchant in the last 90 days who is not an owner again, so that they are on the side of
 * whoever invites a new one.
 */
export async function hasShutOutOwner(db: Db, merchant_id: number, person: string): Promise<boolean> {
  const shutOut = await findShutOutOwners(db, merchant_id)
  return shutOut.some(({ by }) => !isIndependentApprover(by, person))
}

async function readActsOnOwners(db: Db, act: OwnerShutOut['act'], merchant_id: number): Promise<OwnerShutOut[]> {
  const before = { roles: [{ merchant_id, role: 'owner' }] }
  const acts = await readActsWith(db, { merchant_id: WHOLE_SERVICE, act, before, days: TOLD_DAYS })
  return acts.map(({ actor, at, after }) => ({
    email: String((after as { email?: string } | null)?.email ?? ''),
    act,
    by: actor,
    at,
  }))
}

/** Tells the people who decide on roles at a merchant, and the owners who were shut out, what the service did to its owners. */
export async function tellOfOwner(
  tx: Tx,
  name: Extract<NoticeName, `owner_${string}`>,
  { merchant_id, email }: { merchant_id: number; email: string },
  by: Actor,
): Promise<void> {
  const holders = await findHolders(tx, merchant_id, 'team.confirm')
  const shutOut = name === 'owner_disabled' ? [] : await findShutOutOwners(tx, merchant_id)
  const to = [...new Set([...holders, ...shutOut.map((owner) => owner.email)])].filter((one) => one !== email)
  if (to.length > 0) notify(tx, { name, about: { merchant_id, livemode: null }, to, except: [by.person] })
}
