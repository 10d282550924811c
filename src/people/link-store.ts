import type { Tx } from '../platform/postgres/database.ts'

/** Revokes the unused link of a person, or only the unused offer of one place. Without a place, a person who is disabled loses all. */
export async function revokeInvitation(
  tx: Tx,
  person_id: string,
  which: { is_offer: boolean; place: number } | { is_offer: false } | null,
): Promise<void> {
  const of = which === null ? tx`` : tx`and is_offer = ${which.is_offer}`
  const at = which !== null && 'place' in which ? tx`and place = ${which.place}` : tx``
  await tx`
    update invitations
       set revoked_at = clock_now()
     where person_id = ${person_id} and used_at is null and revoked_at is null ${of} ${at}`
}

export type NewInvitation = {
  invitation_id: string
  person_id: string
  token_hash: Buffer
  invited_by: string
  /** The merchant whose link it is, or `STAFF`. */
  place: number
  /** Whether it offers roles to somebody who has an account, or gets one by another place's link. It sets no factors. */
  is_offer: boolean
  /** The name that the inviter wrote. */
  name: string
  expires_at: Date
}

export async function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<void> {
  const { invitation_id, person_id, token_hash, invited_by, place, is_offer, name, expires_at } = invitation
  await tx`
    insert into invitations (invitation_id, person_id, token_hash, invited_by, place, is_offer, name, expires_at)
    values (${invitation_id}, ${person_id}, ${token_hash}, ${invited_by}, ${place}, ${is_offer}, ${name}, ${expires_at})`
}
