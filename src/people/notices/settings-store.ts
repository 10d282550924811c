import type { Db, Tx } from '../../platform/postgres/database.ts'
import { STAFF } from '../person.ts'
import type { NoticeKind } from './notice.ts'
import type { NoticeSettings, QuietHours } from './settings.ts'

type SettingsRow = {
  person_id: string
  mails_asked: NoticeKind[]
  pushes_muted: NoticeKind[]
  hides_amount: boolean
  payment_min: number
  quiet_from: number | null
  quiet_to: number | null
}

/** Reads what these people set, by their ids. A person who set nothing is absent. */
export async function readSettingsOf(db: Db, person_ids: readonly string[]): Promise<Map<string, NoticeSettings>> {
  const rows = await db<SettingsRow[]>`
    select person_id, mails_asked, pushes_muted, hides_amount, payment_min, quiet_from, quiet_to
      from notice_settings
     where person_id = any(${[...person_ids]}::text[])`
  return new Map(rows.map(({ person_id, ...settings }) => [person_id, withQuiet(settings)]))
}

function withQuiet<Row extends Pick<SettingsRow, 'quiet_from' | 'quiet_to'>>({ quiet_from, quiet_to, ...row }: Row) {
  const quiet = quiet_from === null || quiet_to === null ? null : { from: quiet_from, to: quiet_to }
  return { ...row, quiet }
}

export async function writeSettings(tx: Tx, person_id: string, settings: NoticeSettings): Promise<void> {
  const { mails_asked, pushes_muted, hides_amount, payment_min, quiet } = settings
  const row = { person_id, mails_asked: [...mails_asked], pushes_muted: [...pushes_muted], hides_amount, payment_min }
  await tx`
    insert into notice_settings (person_id, mails_asked, pushes_muted, hides_amount, payment_min, quiet_from, quiet_to)
    values (${row.person_id}, ${row.mails_asked}::text[], ${row.pushes_muted}::text[], ${row.hides_amount}, ${row.payment_min},
            ${quiet?.from ?? null}, ${quiet?.to ?? null})
    on conflict (person_id) do update
       set mails_asked = excluded.mails_asked, pushes_muted = excluded.pushes_muted, hides_amount = excluded.hides_amount,
           payment_min = excluded.payment_min, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`
}

/** A person who wants to be told of a merchant's payments. */
export type Follower = {
  merchant_id: number
  email: string
  /** The kinds that they get in some way. */
  kinds: readonly NoticeKind[]
  /** In francs. */
  payment_min: number
  quiet: QuietHours | null
}

/**
 * Reads the active people who want to be told of payments, at each merchant where they have one of these roles in effect. The few who asked come
 * first, so that the roles of all people are not read.
 */
export async function readFollowers(db: Db, roles: readonly string[]): Promise<Follower[]> {
  const rows = await db<(Omit<Follower, 'quiet'> & Pick<SettingsRow, 'quiet_from' | 'quiet_to'>)[]>`
    with following as (
      select person_id from notice_settings where mails_asked <> '{}'
       union
      select person_id from push_devices
    )
    select distinct r.merchant_id, p.email, coalesce(s.payment_min, 0) as payment_min, s.quiet_from, s.quiet_to,
           array(select k.kind
                   from unnest('{payment,takings}'::text[]) as k(kind)
                  where k.kind = any(coalesce(s.mails_asked, '{}'))
                     or exists (select from push_devices d where d.person_id = f.person_id)
                        and k.kind <> all(coalesce(s.pushes_muted, '{}'))) as kinds
      from following f
      join persons p on p.person_id = f.person_id and p.status = 'active'
      join person_roles r on r.person_id = f.person_id and r.in_effect and r.role = any(${[...roles]}::text[])
      left join notice_settings s on s.person_id = f.person_id
     where r.merchant_id <> ${STAFF}`
  return rows.map(withQuiet)
}
