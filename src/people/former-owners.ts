import { readActsWith } from '../audit-log/find-acts.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { findHolders } from './find-persons.ts'
import type { NoticeName } from './notices/notice.ts'
import { notify } from './notices/notify.ts'

// One administrator shuts an owner out at once, because a stolen account cannot wait. The merchant learns of it, and of every new owner whom
// the service lets in after that, and the administrator who shut the owner out is not the second person for the new one.

/** The days for which a disabled owner is told of new ones. */
const TOLD_DAYS = 90

/** An owner of a merchant whom an administrator has disabled. */
export type FormerOwner = { readonly email: string; readonly disabled_by: string; readonly disabled_at: Date }

/** Finds the owners of a merchant who were disabled in the last 90 days, the newest first. */
export async function findFormerOwners(db: Db, merchant_id: number): Promise<FormerOwner[]> {
  const before = { roles: [{ merchant_id, role: 'owner' }] }
  const acts = await readActsWith(db, { act: 'person.disable', before, days: TOLD_DAYS })
  return acts.map(({ actor, at, after }) => ({
    email: String((after as { email?: string } | null)?.email ?? ''),
    disabled_by: actor,
    disabled_at: at,
  }))
}

/** Whether a person disabled an owner of the merchant, so that they are on the side of whoever invites a new one. */
export async function hasDisabledOwner(db: Db, merchant_id: number, person: string): Promise<boolean> {
  const former = await findFormerOwners(db, merchant_id)
  return former.some(({ disabled_by }) => !isIndependentApprover(disabled_by, person))
}

/** Tells the people who decide on roles at a merchant, and its former owners, what the service did to its owners. */
export async function tellOfOwner(
  tx: Tx,
  name: Extract<NoticeName, `owner_${string}`>,
  { merchant_id, email }: { merchant_id: number; email: string },
  by: Actor,
): Promise<void> {
  const holders = await findHolders(tx, merchant_id, 'team.confirm')
  const former = name === 'owner_disabled' ? [] : await findFormerOwners(tx, merchant_id)
  const to = [...new Set([...holders, ...former.map((owner) => owner.email)])].filter((one) => one !== email)
  if (to.length > 0) notify(tx, { name, about: { merchant_id, livemode: null }, to, except: [by.person] })
}
