import type { Tx } from '../platform/postgres/database.ts'
import { STAFF } from './person.ts'
import * as store from './store.ts'

/** The role that can invite all others: the owner at a merchant, the administrator in the staff. */
export function keeperRole(merchant_id: number): 'owner' | 'administrator' {
  return merchant_id === STAFF ? 'administrator' : 'owner'
}

/**
 * Whether a person is the last owner of a merchant, or with `STAFF` the last administrator, who can sign in: active, with a passkey, or with
 * a password and a phone or recovery code. Takes a lock until the transaction ends, so that of two concurrent acts against the last
 * two holders the second is refused.
 */
export async function isLastToAct(tx: Tx, merchant_id: number, person_id: string): Promise<boolean> {
  const role = keeperRole(merchant_id)
  await store.lockRole(tx, merchant_id, role)
  // A second statement, because it sees the commit that the lock waited for.
  const able = await store.readAbleToSignIn(tx, merchant_id, role)
  return able.length === 1 && able[0] === person_id
}
