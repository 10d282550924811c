import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { recordAct, WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { base32Bytes } from '../../values/ids.ts'
import { maskedSettings, readSettingsText, type Settings } from './connector-settings.ts'
import * as store from './connector-store.ts'
import { divideSettings } from './connector-terms.ts'
import { SettingsError } from './connector-type.ts'
import { openConnector, type Surroundings, typeNamed } from './open-connector.ts'
import { findSameAccount } from './same-account.ts'

export type ConnectorToSet = {
  name: string
  /** The kind of contract. */
  type: string
  livemode: boolean
  /** The text of one JSON object. */
  settings: Uint8Array
}

/** `warning`: it was set, and is probably not what the person wanted. `problem`: nothing was set, and why. */
export type ConnectorSet =
  | { kind: 'set'; created: boolean; generation: number; warning: string | null }
  | { kind: 'refused'; problem: string }

/**
 * Makes a contract, or gives it other settings, which are in force within a second in every process. Replaced ones go on verifying
 * callbacks for a day, and no order in doubt that left on those leaves again by itself; other terms alone replace nothing. A name stays
 * with its kind and its mode for ever, because the journal, routes and the operator know the contract by it; a removed one comes back
 * with this. An account that another name reaches in this mode is refused.
 * @param by who sets it, for the audit log, which keeps the settings without their secrets
 */
export async function setConnector(
  { sql, surroundings }: { sql: Sql; surroundings: Surroundings },
  wanted: ConnectorToSet,
  by: Actor,
): Promise<ConnectorSet> {
  const { name, livemode } = wanted
  const problem = nameProblem(name)
  if (problem !== null) return refused(problem)
  const type = typeNamed(surroundings.types, wanted.type)
  if (type === null) {
    const known = surroundings.types.map((one) => one.type).join(', ')
    return refused(`There is no type of connector ${wanted.type}. The types are: ${known}.`)
  }
  const read = readSettingsText(type, wanted.settings)
  if (read.kind === 'refused') return read
  const { terms, own } = divideSettings(read.settings)
  const token = base32Bytes(randomBytes(20))
  const callback_token_sealed = surroundings.box.sealToken(name, token)
  const unusable = openingProblem(surroundings, { name, type: type.type, livemode, callback_token_sealed }, own)
  if (unusable !== null) return refused(unusable)

  return sql.begin(async (tx): Promise<ConnectorSet> => {
    await store.lockSetting(tx)
    const other = await findSameAccount(tx, surroundings, { type, name, livemode }, own)
    if (other !== null) return refused(sameAccountProblem(other))
    const created = await store.insertConnector(tx, {
      name,
      type: type.type,
      livemode,
      callback_token_sealed,
      by: by.person,
    })
    const row = (await store.lockConnector(tx, name))!
    if (row.type !== type.type || row.livemode !== livemode) {
      const mode = row.livemode ? 'live' : 'test'
      return refused(`${name} names a connector of type ${row.type} in ${mode} mode already. Choose another name.`)
    }
    const was = created ? null : await settingsBefore(tx, surroundings, row)
    const before = was && maskedBefore(surroundings, row, was)
    const isOtherTerms = was !== null && !isDeepStrictEqual(row.terms, terms)
    const renews = !created && !(isOtherTerms && row.removed_at === null && isDeepStrictEqual(was, own))
    const generation = renews ? row.generation + 1 : row.generation
    if (renews) await store.renewConnector(tx, name, by.person)
    if (created || renews) {
      const place = { connector: name, generation }
      const settings_sealed = surroundings.box.sealSettings(place, own)
      await store.replaceSettings(tx, { ...place, settings_sealed })
    }
    if (created || isOtherTerms) await store.putTerms(tx, name, terms, by.person)
    const after = { type: type.type, generation, settings: maskedSettings(type, read.settings) }
    recordAct(
      tx,
      { merchant_id: WHOLE_SERVICE, livemode },
      { actor: by, act: 'connector.set', subject: name, before, after },
    )
    return { kind: 'set', created, generation, warning: type.modeWarning?.(read.settings, livemode) ?? null }
  })
}

function refused(problem: string): { kind: 'refused'; problem: string } {
  return { kind: 'refused', problem }
}

function nameProblem(name: string): string | null {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(name)) {
    return 'The name of a connector is 1 to 40 small letters, digits, - and _, and begins with a letter.'
  }
  return name === 'simulator' ? 'simulator names the operator of test mode. Choose another name.' : null
}

function sameAccountProblem({ name, removed_at }: store.ConnectorRow): string {
  return removed_at === null
    ? `The connector ${name} reaches this account already, and an account has one connector in a mode: change the settings of ${name}.`
    : `The removed connector ${name} reaches this account, and still gives back what it collected: connector set brings ${name} back.`
}

/** Why a kind can make nothing of settings that fit it otherwise, such as a key that is none; null when it can. */
function openingProblem(
  surroundings: Surroundings,
  row: Pick<store.ConnectorRow, 'name' | 'type' | 'livemode' | 'callback_token_sealed'>,
  settings: Settings,
): string | null {
  const place = { connector: row.name, generation: 1 }
  const sealed = { ...place, settings_sealed: surroundings.box.sealSettings(place, settings) }
  try {
    openConnector(surroundings, row, sealed)
    return null
  } catch (error) {
    // A kind writes this for the person who wrote the settings; anything else may quote them.
    if (error instanceof SettingsError) return error.message
    return `The settings do not make a ${row.type} connector. Check how its keys are written.`
  }
}

async function settingsBefore(tx: Tx, { box }: Surroundings, { name }: store.ConnectorRow): Promise<Settings> {
  const [current] = await store.readSettings(tx, name)
  return current === undefined ? {} : box.openSettings(current)
}

function maskedBefore({ types }: Surroundings, row: store.ConnectorRow, own: Settings): object {
  const { generation, removed_at, terms } = row
  const settings = maskedSettings(typeNamed(types, row.type)!, { ...own, ...terms })
  return { type: row.type, generation, settings, removed_at }
}
