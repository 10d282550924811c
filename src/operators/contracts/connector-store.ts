import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Terms } from './connector-terms.ts'

// Contracts with operators, and their sealed settings.

/** The time for which replaced settings still verify callbacks. */
const PREVIOUS_SETTINGS_HOURS = 24

/** The row of a contract, without its settings. */
export type ConnectorRow = {
  name: string
  type: string
  livemode: boolean
  /** Counts the generations of its settings. */
  generation: number
  callback_token_sealed: Buffer
  created_by: string
  created_at: Date
  changed_by: string
  changed_at: Date
  removed_by: string | null
  removed_at: Date | null
  /** The tariff of charges and the bounds of the float, which are no secret. */
  terms: Terms
  /** Whether the last check of the settings in force named a problem. */
  check_fails: boolean
}

/** One generation of settings. `replaced`: the settings only verify callbacks. */
export type SettingsRow = { connector: string; generation: number; settings_sealed: Buffer; replaced: boolean }

const columns = [
  ...['name', 'type', 'livemode', 'generation', 'callback_token_sealed', 'created_by', 'created_at'],
  ...['changed_by', 'changed_at', 'removed_by', 'removed_at', 'terms', 'check_fails'],
]

/** All connectors by name, removed ones included. */
export function readConnectors(db: Db): Promise<ConnectorRow[]> {
  return db<ConnectorRow[]>`
    select ${db(columns)}
      from connectors
     order by name`
}

/** The connector with this name, removed or not. Null if there never was one. */
export async function readConnector(db: Db, name: string): Promise<ConnectorRow | null> {
  const [row] = await db<ConnectorRow[]>`
    select ${db(columns)}
      from connectors
     where name = ${name}`
  return row ?? null
}

/** Like `readConnector`, and locks the row for the rest of the transaction. */
export async function lockConnector(tx: Tx, name: string): Promise<ConnectorRow | null> {
  const [row] = await tx<ConnectorRow[]>`
    select ${tx(columns)}
      from connectors
     where name = ${name}
       for update`
  return row ?? null
}

/** The connectors with these names, in order of name, locked against removal until the transaction ends. */
export function holdConnectors(tx: Tx, names: readonly string[]): Promise<ConnectorRow[]> {
  return tx<ConnectorRow[]>`
    select ${tx(columns)}
      from connectors
     where name = any(${[...names]}::text[])
     order by name
       for share`
}

/** Inserts a connector. False if another transaction has just made one with this name. */
export async function insertConnector(
  tx: Tx,
  { name, type, livemode, callback_token_sealed, by }: NewConnector,
): Promise<boolean> {
  const { count } = await tx`
    insert into connectors (name, type, livemode, callback_token_sealed, created_by, changed_by)
    values (${name}, ${type}, ${livemode}, ${callback_token_sealed}, ${by}, ${by})
    on conflict do nothing`
  return count > 0
}

type NewConnector = Pick<ConnectorRow, 'name' | 'type' | 'livemode' | 'callback_token_sealed'> & { by: string }

/** The terms of a connector, removed or not. Null if there is none. */
export async function readTerms(db: Db, name: string): Promise<Terms | null> {
  const [row] = await db<{ terms: Terms }[]>`
    select terms
      from connectors
     where name = ${name}`
  return row?.terms ?? null
}

/** Sets the terms of a locked connector. They are in force within a second, and its settings do not change. */
export async function putTerms(tx: Tx, name: string, terms: Terms, by: string): Promise<void> {
  await tx`
    update connectors
       set terms = ${tx.json(terms)}::jsonb, changed_by = ${by}, changed_at = clock_now()
     where name = ${name}`
}

/** Gives a locked connector another token for the address of its callbacks, because nobody can read the old one. */
export async function replaceToken(tx: Tx, name: string, callback_token_sealed: Buffer): Promise<void> {
  await tx`update connectors set callback_token_sealed = ${callback_token_sealed} where name = ${name}`
}

/** Moves a locked connector to its next generation. Also restores a removed one. */
export async function renewConnector(tx: Tx, name: string, by: string): Promise<void> {
  await tx`
    update connectors
       set generation = generation + 1, changed_by = ${by}, changed_at = clock_now(), removed_by = null, removed_at = null,
           check_fails = false
     where name = ${name}`
}

/** Stores the result of a check. False when it is the stored one already, or the settings of this generation are no longer in force. */
export async function noteCheck(
  db: Db,
  { name, generation }: Pick<ConnectorRow, 'name' | 'generation'>,
  check_fails: boolean,
): Promise<boolean> {
  const { count } = await db`
    update connectors
       set check_fails = ${check_fails}
     where name = ${name} and generation = ${generation} and check_fails <> ${check_fails}`
  return count > 0
}

/** Replaces the settings of a connector. Deletes those replaced too long ago to verify callbacks. */
export async function replaceSettings(
  tx: Tx,
  { connector, generation, settings_sealed }: Omit<SettingsRow, 'replaced'>,
): Promise<void> {
  await tx`
    delete from connector_settings
     where connector = ${connector} and replaced_at < clock_now() - make_interval(hours => ${PREVIOUS_SETTINGS_HOURS})`
  await tx`
    update connector_settings
       set replaced_at = clock_now()
     where connector = ${connector} and replaced_at is null`
  await tx`
    insert into connector_settings (connector, generation, settings_sealed)
    values (${connector}, ${generation}, ${settings_sealed})`
}

/** The settings in force and those that still verify callbacks, newest first, of one connector or all. */
export function readSettings(db: Db, connector: string | null): Promise<SettingsRow[]> {
  return db<SettingsRow[]>`
    select connector, generation, settings_sealed, replaced_at is not null as replaced
      from connector_settings
     where ${connector === null ? db`true` : db`connector = ${connector}`}
       and (replaced_at is null or replaced_at > clock_now() - make_interval(hours => ${PREVIOUS_SETTINGS_HOURS}))
     order by connector, generation desc`
}

/** Removes a locked connector from use. Its settings stay. */
export async function markRemoved(tx: Tx, name: string, by: string): Promise<void> {
  await tx`
    update connectors
       set removed_by = ${by}, removed_at = clock_now()
     where name = ${name}`
}
