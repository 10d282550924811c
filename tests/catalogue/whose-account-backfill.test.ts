import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { migrate } from '../../src/platform/postgres/upkeep/migrate.ts'
import { isCitus } from '../harness/citus.ts'
import { createDatabaseBefore } from '../harness/example-migrations.ts'

// The accounts of a database from before it noted by whose link each was opened, brought to today's schema.

const migrations = new URL('../../migrations/', import.meta.url)
const STAFF = 0
const [A, B] = [1, 2]

/** A role, by the day on which it was given. The link of each situation is made on day 1, and used on day 10 where it was used. */
type Role = { at: number; day: number; role?: string; beside_link?: true; to_accept?: true }
type Situation = {
  link?: 'used' | 'open' | 'lapsed'
  status?: 'invited' | 'disabled'
  roles: readonly Role[]
  /** The place whose link opened the account, as the database says it afterwards. */
  opened_by: number | null
  /** The places whose offers wait for a second person who compares the code. */
  compared?: readonly number[]
  /** The place of the open link. */
  place?: number | null
}

const situations: Readonly<Record<string, Situation>> = {
  'a person of one merchant': { roles: [{ at: A, day: 1 }], opened_by: A },
  'a person of one merchant with a later role': {
    roles: [
      { at: A, day: 1 },
      { at: A, day: 20, role: 'support' },
    ],
    opened_by: A,
  },
  'a person of the staff': { roles: [{ at: STAFF, day: 1 }], opened_by: STAFF },
  'a person of two merchants by the same link': {
    roles: [
      { at: A, day: 1 },
      { at: B, day: 2 },
    ],
    opened_by: null,
  },
  'a merchant’s person who accepted an offer of another': {
    roles: [
      { at: A, day: 1 },
      { at: B, day: 20 },
    ],
    opened_by: A,
  },
  'a merchant’s person who accepted an offer of the staff': {
    roles: [
      { at: A, day: 1 },
      { at: STAFF, day: 20 },
    ],
    opened_by: A,
  },
  'a person of the staff who accepted an offer of a merchant': {
    roles: [
      { at: STAFF, day: 1 },
      { at: A, day: 20 },
    ],
    opened_by: STAFF,
  },
  'a person whom another place gave a role beside the link': {
    roles: [
      { at: A, day: 1 },
      { at: B, day: 5, beside_link: true },
    ],
    opened_by: A,
  },
  'a person left with the role that was given beside the link': {
    roles: [{ at: B, day: 5, beside_link: true }],
    opened_by: null,
  },
  'a person left with the role of an accepted offer': { roles: [{ at: B, day: 20 }], opened_by: null },
  'a person without a role': { roles: [], opened_by: null },
  'a person with an offer of another merchant': {
    roles: [
      { at: A, day: 1 },
      { at: B, day: 20, to_accept: true },
    ],
    opened_by: A,
    compared: [B],
  },
  'a person of the staff’s link with an offer of the staff': {
    roles: [
      { at: STAFF, day: 1 },
      { at: STAFF, day: 20, role: 'finance', to_accept: true },
    ],
    opened_by: STAFF,
    compared: [],
  },
  'a merchant’s person in the staff with a further offer of the staff': {
    roles: [
      { at: A, day: 1 },
      { at: STAFF, day: 20 },
      { at: STAFF, day: 21, role: 'finance', to_accept: true },
    ],
    opened_by: A,
    compared: [STAFF],
  },
  'an account without a link': { roles: [{ at: A, day: 1 }], opened_by: A },
  'an invited person with an open link': {
    link: 'open',
    status: 'invited',
    roles: [
      { at: A, day: 1 },
      { at: B, day: 2, beside_link: true },
    ],
    opened_by: null,
    place: A,
  },
  'an invited person with a lapsed link': {
    link: 'lapsed',
    status: 'invited',
    roles: [{ at: A, day: 1 }],
    opened_by: null,
    place: null,
  },
  'a disabled person': { status: 'disabled', roles: [{ at: A, day: 1 }], opened_by: null },
}

const day = (count: number) => new Date(Date.now() - (60 - count) * 86_400_000)
const WITHOUT_LINK = 'an account without a link'

async function write(sql: Sql, email: string, { link = 'used', status, roles }: Situation): Promise<void> {
  const person_id = `per_${createHash('sha256').update(email).digest('hex').slice(0, 12)}`
  await sql`
    insert into persons (person_id, email, name, status, activated_at)
    values (${person_id}, ${email}, 'Awa', ${status ?? 'active'}, ${status === 'invited' ? null : day(10)})`
  for (const { at, day: given, role = 'viewer', beside_link = false, to_accept = false } of roles)
    await sql`
      insert into person_roles (person_id, merchant_id, role, granted_by, granted_at, needs_confirmation, beside_link, to_accept)
      values (${person_id}, ${at}, ${role}, 'owner@a.example', ${day(given)}, ${role === 'finance'}, ${beside_link}, ${to_accept})`
  if (email.startsWith(WITHOUT_LINK.replaceAll(' ', '.'))) return
  const expires_at = link === 'open' ? new Date(Date.now() + 86_400_000) : day(11)
  await sql`
    insert into invitations (invitation_id, person_id, token_hash, invited_by, created_at, expires_at, used_at)
    values (${`inv_${email}`}, ${person_id}, ${createHash('sha256').update(email).digest()}, 'owner@a.example', ${day(1)}, ${expires_at},
            ${link === 'used' ? day(10) : null})`
}

const emailOf = (name: string) => `${name.replaceAll(' ', '.')}@m.example`

test('the accounts of an earlier database are known to the place whose link opened them, and to nobody where nothing shows it', {
  skip: isCitus && 'a cluster begins with the whole schema',
}, async () => {
  await using db = await createDatabaseBefore('0050_', migrations)
  const sql = db.open()
  for (const [name, situation] of Object.entries(situations)) await write(sql, emailOf(name), situation)
  await migrate(db.url)
  for (const [name, { status, opened_by, compared = [], place }] of Object.entries(situations)) {
    const [found] = await sql<
      { opened_by: number | null; has_code: boolean; compared: number[]; place: number | null }[]
    >`
      select p.opened_by, p.account_code is not null as has_code,
             array(select r.merchant_id from person_roles r
                    where r.person_id = p.person_id and r.to_accept and r.beside_link) as compared,
             (select i.place from invitations i where i.person_id = p.person_id and i.used_at is null) as place
        from persons p
       where p.email = ${emailOf(name)}`
    const wanted = { opened_by, has_code: status === undefined, compared, place: place ?? null }
    assert.deepEqual({ ...found, compared: found!.compared.map(Number) }, wanted, name)
  }
})

test('people who let somebody in within 90 days before the note began stand behind them', {
  skip: isCitus && 'a cluster begins with the whole schema',
}, async () => {
  await using db = await createDatabaseBefore('0050_', migrations)
  const sql = db.open()
  await write(sql, 'aya@m.example', { roles: [{ at: A, day: 55 }], opened_by: A })
  await write(sql, 'old@m.example', { roles: [{ at: A, day: -80 }], opened_by: A })
  await sql`update invitations set created_at = ${day(-80)} where invitation_id = 'inv_old@m.example'`
  await sql`update person_roles set break_glass = true, granted_by = 'root' where granted_at > ${day(0)}`
  await migrate(db.url)
  const ties = await sql`select person, maker from person_ties order by person`
  assert.deepEqual(
    ties.map(({ person, maker }) => [person, maker]),
    [['aya@m.example', 'owner@a.example']],
    'by the link, not by the command on the host, and not after 90 days',
  )
})
