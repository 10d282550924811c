import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Terms } from './connector-terms.ts'

// Contracts with operators, and their sealed settings.

/** For how long replaced settings verify callbacks. */
const PREVIOUS_SETTINGS_HOURS = 24

/** The row of a contract, without its settings. */
export type ConnectorRow = {
  name: string
  type: string
  livemode: boolean
  /** Counts the settings that it has had. */
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
}

/** One generation of settings. `replaced`: they verify callbacks, and nothing else. */
export type SettingsRow = { connector: string; generation: number; settings_sealed: Buffer; replaced: boolean }

const columns = [
  ...['name', 'type', 'livemode', 'generation', 'callback_token_sealed', 'created_by', 'created_at'],
  ...['changed_by', 'changed_at', 'removed_by', 'removed_at', 'terms'],
]

/** All of them in the order of their names, removed ones included. */
export function readConnectors(db: Db): Promise<ConnectorRow[]> {
  return db<ConnectorRow[]>`
    select ${db(columns)}
      from connectors
     order by name`
}

/** One by its name; null when there never was one. */
export async function readConnector(db: Db, name: string): Promise<ConnectorRow | null> {
  const [row] = await db<ConnectorRow[]>`
    select ${db(columns)}
      from connectors
     where name = ${name}`
  return row ?? null
}

/** The same, locked for the rest of the transaction. */
export async function lockConnector(tx: Tx, name: string): Promise<ConnectorRow | null> {
  const [row] = await tx<ConnectorRow[]>`
    select ${tx(columns)}
      from connectors
     where name = ${name}
       for update`
  return row ?? null
}

/** Lets no other transaction set a connector until this one ends: each would miss the account that the other gives a name. */
export async function lockSetting(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('bandama connector set'))`
}

/** Those of these names, in their order, kept from being removed until the transaction ends. */
export function holdConnectors(tx: Tx, names: readonly string[]): Promise<ConnectorRow[]> {
  return tx<ConnectorRow[]>`
    select ${tx(columns)}
      from connectors
     where name = any(${[...names]}::text[])
     order by name
       for share`
}

/** False: another transaction made one of this name in this moment. */
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

/** The terms of one, removed or not; null when there is none. */
export async function readTerms(db: Db, name: string): Promise<Terms | null> {
  const [row] = await db<{ terms: Terms }[]>`
    select terms
      from connectors
     where name = ${name}`
  return row?.terms ?? null
}

/** Gives a locked one its terms. They are in force within a second, and the settings stay as they are. */
export async function putTerms(tx: Tx, name: string, terms: Terms, by: string): Promise<void> {
  await tx`
    update connectors
       set terms = ${tx.json(terms)}::jsonb, changed_by = ${by}, changed_at = clock_now()
     where name = ${name}`
}

/** Takes a locked one into its next generation, and back into use when it was removed. */
export async function renewConnector(tx: Tx, name: string, by: string): Promise<void> {
  await tx`
    update connectors
       set generation = generation + 1, changed_by = ${by}, changed_at = clock_now(), removed_by = null, removed_at = null
     where name = ${name}`
}

/** Replaces the settings of a connector. Those that were replaced too long ago to verify callbacks go. */
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

/** The settings in force and those that still verify callbacks, the newest first, of one connector or of all. */
export function readSettings(db: Db, connector: string | null): Promise<SettingsRow[]> {
  return db<SettingsRow[]>`
    select connector, generation, settings_sealed, replaced_at is not null as replaced
      from connector_settings
     where ${connector === null ? db`true` : db`connector = ${connector}`}
       and (replaced_at is null or replaced_at > clock_now() - make_interval(hours => ${PREVIOUS_SETTINGS_HOURS}))
     order by connector, generation desc`
}

/** Takes a locked one out of use. Its settings stay. */
export async function markRemoved(tx: Tx, name: string, by: string): Promise<void> {
  await tx`
    update connectors
       set removed_by = ${by}, removed_at = clock_now()
     where name = ${name}`
}
