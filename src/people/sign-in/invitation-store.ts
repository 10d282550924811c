import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Language } from '../../values/language.ts'
import type { PersonStatus } from '../states.ts'

export type InvitationRow = {
  invitation_id: string
  person_id: string
  email: string
  name: string
  language: Language
  status: PersonStatus
  expires_at: Date
  used: boolean
  revoked: boolean
  expired: boolean
}

export async function findInvitation(db: Db, token_hash: Buffer): Promise<InvitationRow | null> {
  const [row] = await db<InvitationRow[]>`
    select i.invitation_id, i.person_id, p.email, p.name, p.language, p.status, i.expires_at,
           i.used_at is not null as used, i.revoked_at is not null as revoked, i.expires_at <= clock_now() as expired
      from invitations i
      join persons p on p.person_id = i.person_id
     where i.token_hash = ${token_hash}`
  return row ?? null
}

/** Takes an invitation that is open. False: another request has used it, or it was revoked or has expired meanwhile. */
export async function useInvitation(tx: Tx, invitation_id: string): Promise<boolean> {
  const used = await tx`
    update invitations
       set used_at = clock_now()
     where invitation_id = ${invitation_id} and used_at is null and revoked_at is null and expires_at > clock_now()
    returning invitation_id`
  return used.length === 1
}

/** Moves a locked person on, with what they chose. */
export async function activatePerson(
  tx: Tx,
  { person_id, name, language, status }: { person_id: string; name: string; language: Language; status: PersonStatus },
): Promise<void> {
  await tx`
    update persons
       set name = ${name}, language = ${language}, status = ${status}, activated_at = clock_now()
     where person_id = ${person_id}`
}
