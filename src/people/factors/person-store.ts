import { sha256 } from '../../platform/digest.ts'
import { limitedAddress } from '../../platform/limits/limited-address.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Browser } from '../sessions/browser.ts'

/** The facts that decide a sign-in by password: of the person, and of the browser. */
export type SigningPerson = {
  person_id: string
  email: string
  hash: string
  /** The browser or network from which the person signed in within 30 days. Null when this is neither. */
  known: string | null
}

/** Reads a person who can sign in with a password and a phone. Null when there is none, or the person cannot. */
export async function findSigningPerson(
  db: Db,
  email: string,
  { address, mark = null }: Pick<Browser, 'address' | 'mark'>,
): Promise<SigningPerson | null> {
  const network = limitedAddress(address)
  const browser_hash = mark === null ? null : sha256(mark)
  // The browser comes first, because a whole town may share a network.
  const [row] = await db<SigningPerson[]>`
    select p.person_id, p.email, w.hash,
           (select case when s.browser_hash = ${browser_hash}
                        then 'browser ' || encode(s.browser_hash, 'hex')
                        else 'network ' || ${network} end
              from person_sessions s
             where s.person_id = p.person_id and s.created_at > clock_now() - interval '30 days'
               and (s.browser_hash = ${browser_hash} or s.address <<= ${network}::inet)
             order by coalesce(s.browser_hash = ${browser_hash}, false) desc
             limit 1) as known
      from persons p
      join person_passwords w on w.person_id = p.person_id
      join person_totp t on t.person_id = p.person_id
     where p.email = ${email} and p.status = 'active'`
  return row ?? null
}

/** The times at which the password was chosen and the phone confirmed. Null for those that the person does not have. */
export async function readPasswordAndTotp(
  db: Db,
  person_id: string,
): Promise<{ changed_at: Date | null; confirmed_at: Date | null }> {
  const [row] = await db<{ changed_at: Date | null; confirmed_at: Date | null }[]>`
    select w.changed_at, t.confirmed_at
      from persons p
      left join person_passwords w on w.person_id = p.person_id
      left join person_totp t on t.person_id = p.person_id
     where p.person_id = ${person_id}`
  return row ?? { changed_at: null, confirmed_at: null }
}
