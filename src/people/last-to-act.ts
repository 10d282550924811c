import type { Tx } from '../platform/postgres/database.ts'
import { STAFF } from './person.ts'
import * as store from './store.ts'

/** The role whose holders let everybody else in: of a merchant the owner, and in the staff the administrator. */
export function keeperRole(merchant_id: number): 'owner' | 'administrator' {
  return merchant_id === STAFF ? 'administrator' : 'owner'
}

/**
 * Whether a person is the last owner of a merchant, or with `STAFF` the last administrator, who can still sign in: active, with a passkey,
 * or a password and its second proof. Decisions about those who hold the role are taken one after another until this transaction ends, so
 * that of two who shut one another out at once the second is refused.
 */
export async function isLastToAct(tx: Tx, merchant_id: number, person_id: string): Promise<boolean> {
  const role = keeperRole(merchant_id)
  await store.lockRole(tx, merchant_id, role)
  // A statement of its own: it sees the commit of the one that the lock waited for.
  const able = await store.readAbleToSignIn(tx, merchant_id, role)
  return able.length === 1 && able[0] === person_id
}
