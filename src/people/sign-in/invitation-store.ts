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
  invited_by: string
  /** The name of the inviter, where they are a person of ours. */
  inviter: string | null
  /** The merchant whose link it is, or `STAFF`. Null: made before this was kept. */
  place: number | null
  /** Whether it offers roles to somebody who signs in with an account of another place. */
  is_offer: boolean
  /** The number of codes that were sent to the address. */
  codes_sent: number
  /** Whether the last one was sent within the hour, and may still be typed. */
  code_is_fresh: boolean
  expires_at: Date
  used: boolean
  revoked: boolean
  expired: boolean
  /** Whether it rests after too many wrong acceptances. */
  rests: boolean
}

/** Wrong acceptances of a link until it rests, and the minutes of its rest. */
const WRONG_MAX = 10
export const REST_MINUTES = 15

export async function findInvitation(db: Db, token_hash: Buffer): Promise<InvitationRow | null> {
  const [row] = await db<InvitationRow[]>`
    select i.invitation_id, i.person_id, p.email, coalesce(i.name, p.name) as name, p.language, p.status, i.invited_by,
           (select name from persons where email = i.invited_by) as inviter, i.place, i.is_offer, i.codes_sent,
           coalesce(i.code_sent_at > clock_now() - interval '1 hour' and i.codes_wrong < 10, false) as code_is_fresh,
           i.expires_at,
           i.used_at is not null as used, i.revoked_at is not null as revoked, i.expires_at <= clock_now() as expired,
           i.wrong >= ${WRONG_MAX} and i.wrong_at > clock_now() - make_interval(mins => ${REST_MINUTES}) as rests
      from invitations i
      join persons p on p.person_id = i.person_id
     where i.token_hash = ${token_hash}`
  return row ?? null
}

export type InvitedRole = {
  /** `STAFF`: in the staff of the service. */
  merchant_id: number
  /** Null for the staff. */
  merchant_name: string | null
  role: string
  /** Whether the role waits for a second person. */
  waits: boolean
}

/**
 * Reads the roles that a link gives its person: those granted before it, without those that the person has to accept. Of an offer, those that its
 * place offers.
 */
export async function readInvitedRoles(
  db: Db,
  { person_id, is_offer, place }: Pick<InvitationRow, 'person_id' | 'is_offer' | 'place'>,
): Promise<InvitedRole[]> {
  return db<InvitedRole[]>`
    select r.merchant_id, m.name as merchant_name, r.role, r.needs_confirmation and r.confirmed_at is null as waits
      from person_roles r
      left join merchant_names m on m.merchant_id = r.merchant_id
     where r.person_id = ${person_id} and r.to_accept = ${is_offer} and (not ${is_offer} or r.merchant_id = ${place})
     order by m.name, r.merchant_id, r.granted_at, r.role`
}

/** Counts a wrong acceptance of a link. One after a rest begins a new count. */
export async function countWrong(db: Db, invitation_id: string): Promise<void> {
  await db`
    update invitations
       set wrong = 1 + wrong * (wrong_at is not null and wrong_at > clock_now() - make_interval(mins => ${REST_MINUTES}))::int,
           wrong_at = clock_now()
     where invitation_id = ${invitation_id}`
}

/** Counts a code as sent. Null: the last one is not a minute old, five were sent, or the link opens nothing any more. */
export async function countCode(tx: Tx, invitation_id: string): Promise<number | null> {
  const [row] = await tx<{ codes_sent: number }[]>`
    update invitations
       set codes_sent = codes_sent + 1, code_sent_at = clock_now(), codes_wrong = 0
     where invitation_id = ${invitation_id} and codes_sent < 5 and used_at is null and revoked_at is null
       and expires_at > clock_now() and (code_sent_at is null or code_sent_at < clock_now() - interval '1 minute')
    returning codes_sent`
  return row?.codes_sent ?? null
}

/** Counts a typed code of the last sending. False: it is over, or another one was sent meanwhile. */
export async function countTypedCode(
  db: Db,
  { invitation_id, codes_sent }: Pick<InvitationRow, 'invitation_id' | 'codes_sent'>,
): Promise<boolean> {
  const counted = await db`
    update invitations
       set codes_wrong = codes_wrong + 1
     where invitation_id = ${invitation_id} and codes_sent = ${codes_sent} and codes_wrong < 10
       and code_sent_at > clock_now() - interval '1 hour'
    returning invitation_id`
  return counted.length === 1
}

/** Finds the address of an open link whose last code this is. Null: another one was sent meanwhile, or the link opens nothing. */
export async function findInvitationToProve(
  db: Db,
  { invitation_id, codes_sent }: Pick<InvitationRow, 'invitation_id' | 'codes_sent'>,
): Promise<{ email: string; language: Language } | null> {
  const [row] = await db<{ email: string; language: Language }[]>`
    select p.email, p.language
      from invitations i
      join persons p on p.person_id = i.person_id
     where i.invitation_id = ${invitation_id} and i.codes_sent = ${codes_sent} and i.used_at is null
       and i.revoked_at is null and i.code_sent_at > clock_now() - interval '1 hour'`
  return row ?? null
}

/** Uses an open invitation. False: another request has used it, or it was revoked or has expired meanwhile. */
export async function useInvitation(tx: Tx, invitation_id: string): Promise<boolean> {
  const used = await tx`
    update invitations
       set used_at = clock_now()
     where invitation_id = ${invitation_id} and used_at is null and revoked_at is null and expires_at > clock_now()
    returning invitation_id`
  return used.length === 1
}

export type Activated = {
  person_id: string
  name: string
  language: Language
  status: PersonStatus
  /** The place of the used link. */
  opened_by: number | null
  account_code: string
  /** Whether a code sent to the address was typed. */
  mail_proven: boolean
}

/** Activates a locked person, with the name and language that they chose, and keeps whose link it was. */
export async function activatePerson(tx: Tx, activated: Activated): Promise<void> {
  const { person_id, name, language, status, opened_by, account_code, mail_proven } = activated
  await tx`
    update persons
       set name = ${name}, language = ${language}, status = ${status}, activated_at = clock_now(), opened_by = ${opened_by},
           account_code = ${account_code}, mail_proven_at = ${mail_proven ? tx`clock_now()` : tx`null`}
     where person_id = ${person_id}`
}
