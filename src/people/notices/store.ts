import type { Db, Sql, Statement, Tx } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Language } from '../../values/language.ts'
import type { Notice, NoticeKind } from './notice.ts'

type NewMails = {
  notice_id: string
  kind: NoticeKind
  notice: Notice
  emails: readonly string[]
  /** Only people with one of these roles in effect at this merchant get a mail. Null: everybody does. */
  members_of: Members | null
  /** Whether only people who asked for the kind get a mail. */
  asked: boolean
  /** The most mails of this kind to one person in an hour; the screens show the others. Null: no limit. */
  hourly_max: number | null
}

/** The people with one of these roles in effect at a merchant. */
export type Members = Pick<Tenant, 'merchant_id'> & { readonly roles: readonly string[] }

/** Whether a person `p` is active and one of these. Null: everybody is. */
export const isOf = (db: Db, members: Members | null) =>
  members === null
    ? db`true`
    : db`
  p.status = 'active' and exists (
    select from person_roles r
     where r.person_id = p.person_id and r.merchant_id = ${members.merchant_id} and r.in_effect
       and r.role = any(${[...members.roles]}::text[]))`

/** The roles in effect of a person `p` at a merchant, as they are now. */
export const rolesAt = (db: Db, merchant_id: Statement<object[]>) => db`
  array(select r.role from person_roles r
         where r.person_id = p.person_id and p.status = 'active' and r.merchant_id = ${merchant_id} and r.in_effect)`

/**
 * Inserts a mail for each of these people who wants this kind, and returns the new recipients. A second run of the same event inserts none. An
 * address that is not one of our people gets none.
 */
export async function insertMails(
  tx: Tx,
  { notice_id, kind, notice, emails, members_of, asked, hourly_max }: NewMails,
): Promise<string[]> {
  const rows = await tx<{ person_id: string }[]>`
    insert into notice_mails (notice_id, person_id, kind, notice)
    select ${notice_id}, p.person_id, ${kind}, ${tx.json(notice)}
      from persons p
     where p.email = any(${emails}::text[])
       and (${isOf(tx, members_of)})
       and not exists (select from muted_notices m where m.person_id = p.person_id and m.kind = ${kind})
       and (not ${asked}::boolean
            or exists (select from notice_settings s where s.person_id = p.person_id and ${kind} = any(s.mails_asked)))
       and (${hourly_max}::integer is null
            or (select count(*)
                  from notice_mails n
                 where n.person_id = p.person_id and n.kind = ${kind} and n.created_at > clock_now() - interval '1 hour') < ${hourly_max})
    on conflict do nothing
    returning person_id`
  return rows.map(({ person_id }) => person_id)
}

export type MailKey = { notice_id: string; person_id: string }

export type WaitingMail = Recipient & { kind: NoticeKind; notice: Notice; is_old: boolean }

/** A person, as a notice is written for them. */
export type Recipient = {
  email: string
  language: Language
  /** The name of the merchant. Null: the notice concerns none. */
  merchant_name: string | null
  /** The merchant whose console has the person's account page: their first one, 0 for the staff. Null: they have no role any more. */
  own_merchant_id: number | null
  /** Their roles in effect at the merchant of the notice. */
  roles: string[]
}

/** Marks a waiting mail as begun, so that no other process sends it. Null: it was begun already, or has ended. */
export async function beginMail(db: Db, { notice_id, person_id }: MailKey): Promise<WaitingMail | null> {
  const [row] = await db<WaitingMail[]>`
    update notice_mails n
       set begun_at = clock_now()
      from persons p
     where n.notice_id = ${notice_id} and n.person_id = ${person_id} and p.person_id = n.person_id
       and n.begun_at is null and n.ended_at is null
    returning n.kind, n.notice, p.email, p.language,
              (select m.name from merchant_names m where m.merchant_id = (n.notice -> 'about' ->> 'merchant_id')::bigint) as merchant_name,
              (select min(r.merchant_id) from person_roles r where r.person_id = p.person_id and p.status = 'active'
                  and r.in_effect) as own_merchant_id,
              ${rolesAt(db, db`(n.notice -> 'about' ->> 'merchant_id')::bigint`)} as roles,
              n.created_at < clock_now() - interval '1 day' as is_old`
  return row ?? null
}

/** Lets a begun mail wait again, because the server certainly did not accept it. */
export async function waitAgain(db: Db, { notice_id, person_id }: MailKey): Promise<void> {
  await db`
    update notice_mails
       set begun_at = null
     where notice_id = ${notice_id} and person_id = ${person_id} and ended_at is null`
}

export async function endMail(
  db: Db,
  { notice_id, person_id }: MailKey,
  outcome: 'sent' | 'unclear' | 'refused' | 'too_old' | 'left',
): Promise<void> {
  await db`
    update notice_mails
       set ended_at = clock_now(), outcome = ${outcome}
     where notice_id = ${notice_id} and person_id = ${person_id} and ended_at is null`
}

export async function readMuted(db: Db, person_id: string): Promise<string[]> {
  const rows = await db<{ kind: string }[]>`
    select kind
      from muted_notices
     where person_id = ${person_id}`
  return rows.map(({ kind }) => kind)
}

export async function muteNotice(tx: Tx, person_id: string, kind: NoticeKind): Promise<void> {
  await tx`
    insert into muted_notices (person_id, kind)
    values (${person_id}, ${kind})
    on conflict do nothing`
}

export async function unmuteNotice(tx: Tx, person_id: string, kind: NoticeKind): Promise<void> {
  await tx`
    delete from muted_notices
     where person_id = ${person_id} and kind = ${kind}`
}

/** Deletes mails after a month, when their jobs have ended, and returns the number. */
export function dropOldMails(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'notice_mails', sql`r.created_at < clock_now() - interval '30 days'`, {
    stopping: scan?.stopping,
  })
}
