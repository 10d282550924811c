import { type Act, recordAct, WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Browser } from './sessions/browser.ts'

/**
 * Writes the line of a person's act on their own account, such as a sign-in or a change of factors. The line belongs to the whole service,
 * whatever roles the person has.
 */
export function recordActOf(
  tx: Tx,
  email: string,
  { address, door = 'console' }: Pick<Browser, 'address' | 'door'>,
  { step_up_id = null, ...act }: Omit<Act, 'actor'> & { step_up_id?: string | null },
): void {
  // A command line is on the host itself, which has no address.
  const actor = { person: email, door, from: door === 'console' ? address : null, step_up_id }
  recordAct(tx, { merchant_id: WHOLE_SERVICE, livemode: null }, { actor, ...act })
}
