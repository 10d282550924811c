import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Language } from '../../values/language.ts'
import type { EndReason, SessionDoor, SessionFactor } from './session.ts'

type NewSession = {
  session_id: string
  token_hash: Buffer
  person_id: string
  door: SessionDoor
  factor: SessionFactor
  address: string
  user_agent: string
  browser_hash: Buffer | null
  created_at: Date
}

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  await tx`
    insert into person_sessions (session_id, token_hash, person_id, door, factor, address, user_agent, browser_hash,
                                 created_at, seen_at)
    values (${session.session_id}, ${session.token_hash}, ${session.person_id}, ${session.door}, ${session.factor},
            ${session.address}, ${session.user_agent}, ${session.browser_hash}, ${session.created_at}, ${session.created_at})`
}

/**
 * Whether the person has had sessions, but none on this device. A browser is recognised only by its token (`mark`), because anybody can
 * send the `User-Agent` of another browser. A command line has no such token, and is recognised by its `User-Agent`.
 */
export async function isNewDevice(
  tx: Tx,
  person_id: string,
  { browser_hash, door, user_agent }: Pick<NewSession, 'browser_hash' | 'door' | 'user_agent'>,
): Promise<boolean> {
  const [row] = await tx<{ is_new: boolean }[]>`
    select count(*) > 0
           and not coalesce(bool_or(door = ${door}
                                    and case when door = 'command_line' then user_agent = ${user_agent}
                                             else browser_hash = ${browser_hash}::bytea end), false) as is_new
      from person_sessions
     where person_id = ${person_id}`
  return row!.is_new
}

/** A session with one role of its person: one line for each role, or one line without a role. */
export type SessionLine = {
  session_id: string
  factor: SessionFactor
  created_at: Date
  seen_at: Date
  person_id: string
  email: string
  name: string
  language: Language
  status: 'invited' | 'active' | 'disabled'
  /** Whether a team has offered them roles that they have not accepted. */
  has_offers: boolean
  /** 0: the staff. Null: no effective role. */
  merchant_id: number | null
  merchant_name: string | null
  role: string | null
}

/**
 * Reads the session of a token with the current roles of its person at all merchants. Each request reads it, so that a withdrawn role has
 * no effect any more. Empty: there is no such session, or it has ended.
 */
export async function selectSession(db: Db, token_hash: Buffer, door: SessionDoor): Promise<SessionLine[]> {
  return db<SessionLine[]>`
    select s.session_id, s.factor, s.created_at, s.seen_at,
           p.person_id, p.email, p.name, p.language, p.status,
           exists (select from person_roles o where o.person_id = p.person_id and o.to_accept) as has_offers,
           r.merchant_id, r.role, m.name as merchant_name
      from person_sessions s
      join persons p on p.person_id = s.person_id
      left join person_roles r
        on r.person_id = s.person_id and r.in_effect
      left join merchant_names m on m.merchant_id = r.merchant_id
     where s.token_hash = ${token_hash}
       and s.door = ${door}
       and s.ended_at is null
     order by m.name, r.merchant_id, r.role`
}

/** Reads the person whose session a token opened, also after its end. Null: there is none. */
export async function selectPersonOf(db: Db, token_hash: Buffer): Promise<string | null> {
  const [row] = await db<{ person_id: string }[]>`
    select person_id
      from person_sessions
     where token_hash = ${token_hash}`
  return row?.person_id ?? null
}

/** Records the time of a request. It never moves back: of two concurrent requests the later one counts. */
export async function markSeen(db: Db, session_id: string, seen_at: Date): Promise<void> {
  await db`
    update person_sessions
       set seen_at = ${seen_at}
     where session_id = ${session_id} and ended_at is null and seen_at < ${seen_at}`
}

/** Ends one session of a person. False: there is none, or it has ended already. */
export async function endSession(
  db: Db,
  { person_id, session_id }: { person_id: string; session_id: string },
  reason: EndReason,
): Promise<boolean> {
  const ended = await db`
    update person_sessions
       set ended_at = clock_now(), end_reason = ${reason}
     where session_id = ${session_id} and person_id = ${person_id} and ended_at is null
    returning session_id`
  return ended.length === 1
}

/** Ends the session of a token, of any person, because its browser opens a new one. Null: there is none, or it has ended. */
export async function endSessionOfToken(tx: Tx, token_hash: Buffer, reason: EndReason): Promise<string | null> {
  const [ended] = await tx<{ session_id: string }[]>`
    update person_sessions
       set ended_at = clock_now(), end_reason = ${reason}
     where token_hash = ${token_hash} and ended_at is null
    returning session_id`
  return ended?.session_id ?? null
}

/** Ends all sessions of a person, or all but one, and returns the ended ones. */
export async function endSessions(
  db: Db,
  person_id: string,
  reason: EndReason,
  except: string | null,
): Promise<string[]> {
  const ended = await db<{ session_id: string }[]>`
    update person_sessions
       set ended_at = clock_now(), end_reason = ${reason}
     where person_id = ${person_id} and ended_at is null and session_id is distinct from ${except}
    returning session_id`
  return ended.map(({ session_id }) => session_id)
}

/** Counts the open sessions of a person. */
export async function countOpenSessions(db: Db, person_id: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count
      from person_sessions
     where person_id = ${person_id} and ended_at is null`
  return row!.count
}

export type ListedSession = {
  session_id: string
  door: SessionDoor
  factor: SessionFactor
  address: string
  user_agent: string
  created_at: Date
  seen_at: Date
  staff: boolean
}

/** Lists the sessions that nobody has ended, newest first. They include those whose time is over. */
export async function listSessions(db: Db, person_id: string, limit: number): Promise<ListedSession[]> {
  return db<ListedSession[]>`
    select s.session_id, s.door, s.factor, host(s.address) as address, s.user_agent, s.created_at, s.seen_at,
           exists (select 1
                     from person_roles r
                    where r.person_id = s.person_id and r.merchant_id = 0 and r.in_effect) as staff
      from person_sessions s
     where s.person_id = ${person_id} and s.ended_at is null
     order by s.created_at desc
     limit ${limit}`
}
