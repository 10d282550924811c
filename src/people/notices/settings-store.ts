import type { Db, Tx } from '../../platform/postgres/database.ts'
import { STAFF } from '../person.ts'
import type { NoticeKind } from './notice.ts'
import type { NoticeSettings } from './settings.ts'

type SettingsRow = {
  person_id: string
  mails_asked: NoticeKind[]
  payment_min: number
  quiet_from: number | null
  quiet_to: number | null
}

/** Reads what these people set, by their ids. A person who set nothing is absent. */
export async function readSettingsOf(db: Db, person_ids: readonly string[]): Promise<Map<string, NoticeSettings>> {
  const rows = await db<SettingsRow[]>`
    select person_id, mails_asked, payment_min, quiet_from, quiet_to
      from notice_settings
     where person_id = any(${[...person_ids]}::text[])`
  return new Map(
    rows.map(({ person_id, mails_asked, payment_min, quiet_from, quiet_to }) => {
      const quiet = quiet_from === null || quiet_to === null ? null : { from: quiet_from, to: quiet_to }
      return [person_id, { mails_asked, payment_min, quiet }]
    }),
  )
}

export async function writeSettings(tx: Tx, person_id: string, settings: NoticeSettings): Promise<void> {
  const { mails_asked, payment_min, quiet } = settings
  await tx`
    insert into notice_settings (person_id, mails_asked, payment_min, quiet_from, quiet_to)
    values (${person_id}, ${[...mails_asked]}::text[], ${payment_min}, ${quiet?.from ?? null}, ${quiet?.to ?? null})
    on conflict (person_id) do update
       set mails_asked = excluded.mails_asked, payment_min = excluded.payment_min,
           quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`
}

/** A person who wants to be told of a merchant's payments. */
export type Follower = {
  merchant_id: number
  email: string
  /** The kinds that they get in some way. */
  kinds: readonly NoticeKind[]
  /** In francs. */
  payment_min: number
}

/**
 * Reads the active people who want to be told of payments, at each merchant where they have one of these roles in effect. The few who asked come
 * first, so that the roles of all people are not read.
 */
export function readFollowers(db: Db, roles: readonly string[]): Promise<Follower[]> {
  return db<Follower[]>`
    select distinct r.merchant_id, p.email, s.mails_asked as kinds, s.payment_min
      from notice_settings s
      join persons p on p.person_id = s.person_id and p.status = 'active'
      join person_roles r on r.person_id = s.person_id and r.in_effect and r.role = any(${[...roles]}::text[])
     where s.mails_asked <> '{}' and r.merchant_id <> ${STAFF}`
}
