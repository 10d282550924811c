import { isDeepStrictEqual } from 'node:util'
import { takeAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { Words } from '../../values/language.ts'
import {
  maskedSettings,
  readSettings,
  readSettingsText,
  type Settings,
  type SettingsFault,
  type SettingsFaults,
  type SettingsRead,
} from './connector-settings.ts'
import * as store from './connector-store.ts'
import { divideSettings, type Terms } from './connector-terms.ts'
import { type ConnectorType, SettingsError } from './connector-type.ts'
import { keptSecretFaults } from './kept-secrets.ts'
import { openConnector, type Surroundings, typeNamed, warningOf } from './open-connector.ts'
import { accountsIn, findSameAccount } from './same-account.ts'
import type { SettingsChange } from './settings-draft.ts'

export type ConnectorToSet = {
  name: string
  /** The type of connector. */
  type: string
  livemode: boolean
  /** The text of one JSON object with all settings, or a change of the current ones. */
  settings: Uint8Array | SettingsChange
}

/** The change was refused. `problem`: the first fault, in one sentence. */
export type SettingRefused = { kind: 'refused'; problem: Words; faults: SettingsFaults }

/** The result that a change would have, with masked secrets. `renews`: the change replaces settings, which verify callbacks for a day. */
export type SettingPreview = Preview | SettingRefused
type Preview = {
  kind: 'preview'
  generation: number
  renews: boolean
  warning: Words | null
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** Returns the result that a change would have, and writes nothing. */
export async function previewSetting(
  { sql, surroundings }: { sql: Sql; surroundings: Surroundings },
  wanted: ConnectorToSet,
): Promise<SettingPreview> {
  const judged = await sql.begin((tx) => judge(tx, surroundings, wanted))
  return judged.kind === 'refused' ? judged : previewOf(judged)
}

export function previewOf({ type, generation, renews, warning, standing, whole }: Judged): Preview {
  const [before, after] = [maskedSettings(type, standing), maskedSettings(type, whole)]
  return { kind: 'preview', generation, renews, warning, before, after }
}

/** Whether a change makes a contract, or leads its calls to another address or to an account that it did not reach. */
export function leadsElsewhere({ row, type, standing, whole }: Judged): boolean {
  const urls = (settings: Settings) =>
    Object.entries(maskedSettings(type, settings))
      .filter(([, value]) => typeof value === 'string' && URL.canParse(value))
      .map(([key, value]) => `${key}=${value}`)
  const isMoved = type.addresses.some((key) => standing[key] !== whole[key])
  const reached = new Set(accountsIn(type, () => standing))
  const reachesOther = accountsIn(type, () => whole).some((account) => !reached.has(account))
  return row === null || isMoved || reachesOther || !isDeepStrictEqual(urls(standing), urls(whole))
}

export type Judged = {
  kind: 'judged'
  type: ConnectorType
  /** The locked row. Null for a new contract. */
  row: store.ConnectorRow | null
  /** All settings before and after the change. */
  standing: Settings
  whole: Settings
  own: Settings
  terms: Terms
  /** The one in force afterwards. */
  generation: number
  renews: boolean
  isOtherTerms: boolean
  warning: Words | null
}

/** Validates a change under the lock of all changes. Refusals in this order: name, type, an existing row, the settings, the account. */
export async function judge(
  tx: Tx,
  surroundings: Surroundings,
  wanted: ConnectorToSet,
): Promise<Judged | SettingRefused> {
  const { name, livemode } = wanted
  const problem = nameProblem(name)
  if (problem !== null) return refused('name', problem)
  const type = typeNamed(surroundings.types, wanted.type)
  if (type === null) {
    const known = surroundings.types.map((one) => one.type).join(', ')
    return refused(null, [
      `Il n’y a pas de sorte de connecteur ${wanted.type}. Les sortes sont : ${known}.`,
      `There is no type of connector ${wanted.type}. The types are: ${known}.`,
    ])
  }
  // Without it two concurrent changes could name one account twice.
  await takeAdvisoryLock(tx, 'connector set')
  const row = await store.lockConnector(tx, name)
  if (row !== null && (row.type !== type.type || row.livemode !== livemode)) {
    const mode = row.livemode ? 'live' : 'test'
    return refused('name', [
      `${name} nomme déjà un connecteur de sorte ${row.type}, du mode ${row.livemode ? 'réel' : 'test'}. Choisissez un autre nom.`,
      `${name} names a connector of type ${row.type} in ${mode} mode already. Choose another name.`,
    ])
  }
  const was = row === null ? null : await settingsBefore(tx, surroundings, row)
  const standing = { ...was, ...row?.terms }
  const read = readWanted(type, row, standing, wanted, surroundings.http_allow)
  if (read.kind === 'refused') return refusedFor(read.faults)
  const { terms, own } = divideSettings(read.settings)
  const unusable = openingFault(surroundings, { name, type: type.type, livemode }, own)
  if (unusable !== null) return refusedFor([unusable])
  const other = await findSameAccount(tx, surroundings, { type, name, livemode }, own)
  if (other !== null) return refused(null, sameAccountProblem(other))
  const isOtherTerms = row !== null && !isDeepStrictEqual(row.terms, terms)
  const renews = row !== null && !(isOtherTerms && row.removed_at === null && isDeepStrictEqual(was, own))
  return {
    ...{ kind: 'judged', type, row, standing, whole: read.settings, own, terms, renews, isOtherTerms },
    generation: row === null ? 1 : row.generation + (renews ? 1 : 0),
    warning: warningOf(type, read.settings, livemode),
  }
}

/** The complete settings after the change. */
function readWanted(
  type: ConnectorType,
  row: store.ConnectorRow | null,
  standing: Settings,
  { name, settings }: ConnectorToSet,
  http_allow: readonly string[],
): SettingsRead {
  if (settings instanceof Uint8Array) return readSettingsText(type, settings, http_allow)
  const { put, drop, on } = settings
  if (on !== (row?.generation ?? null)) {
    const problem: Words =
      on === null
        ? [
            `${name} nomme déjà un connecteur. Choisissez un autre nom, ou changez celui-là.`,
            `${name} names a connector already. Choose another name, or change that one.`,
          ]
        : [
            `Les réglages de ${name} ont changé entre-temps. Regardez-les de nouveau.`,
            `The settings of ${name} were changed meanwhile. Look at them again.`,
          ]
    return { kind: 'refused', faults: [{ key: on === null ? 'name' : null, problem }] }
  }
  const left = Object.entries(standing).filter(([key]) => !drop.includes(key))
  const whole = { ...Object.fromEntries(left), ...put }
  return readSettings(type, whole, http_allow, keptSecretFaults(type, { standing, wanted: whole, put }))
}

function refused(key: string | null, problem: Words): SettingRefused {
  return refusedFor([{ key, problem }])
}

function refusedFor(faults: SettingsFaults): SettingRefused {
  return { kind: 'refused', problem: faults[0].problem, faults }
}

function nameProblem(name: string): Words | null {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(name)) {
    return [
      'Le nom d’un connecteur a de 1 à 40 petites lettres, chiffres, - et _, et commence par une lettre.',
      'The name of a connector is 1 to 40 small letters, digits, - and _, and begins with a letter.',
    ]
  }
  return name === 'simulator'
    ? [
        'simulator nomme l’opérateur du mode test. Choisissez un autre nom.',
        'simulator names the operator of test mode. Choose another name.',
      ]
    : null
}

function sameAccountProblem({ name, removed_at }: store.ConnectorRow): Words {
  return removed_at === null
    ? [
        `Le connecteur ${name} atteint déjà ce compte, et un compte a un seul connecteur dans un mode : changez les réglages de ${name}.`,
        `The connector ${name} reaches this account already, and an account has one connector in a mode: change the settings of ${name}.`,
      ]
    : [
        `Le connecteur retiré ${name} atteint ce compte, et rend encore ce qu’il a encaissé : remettez ${name} en service.`,
        `The removed connector ${name} reaches this account, and still gives back what it collected: connector set brings ${name} back.`,
      ]
}

/** The reason why settings that fit the schema are unusable, such as an invalid key. Null if they are usable. */
function openingFault(
  surroundings: Surroundings,
  { name, type, livemode }: Pick<store.ConnectorRow, 'name' | 'type' | 'livemode'>,
  settings: Settings,
): SettingsFault | null {
  const { box } = surroundings
  const row = { name, type, livemode, callback_token_sealed: box.sealToken(name, 'a trial') }
  const place = { connector: name, generation: 1 }
  try {
    openConnector(surroundings, row, { ...place, settings_sealed: box.sealSettings(place, settings) })
    return null
  } catch (error) {
    // A SettingsError is written for the person who typed the settings. Any other error could quote a secret.
    if (error instanceof SettingsError) return { key: error.key, problem: error.problem }
    return {
      key: null,
      problem: [
        `Les réglages ne font pas un connecteur ${type}. Vérifiez comment ses clés sont écrites.`,
        `The settings do not make a ${type} connector. Check how its keys are written.`,
      ],
    }
  }
}

/** The settings in force. None if SECRET_KEY was lost: nobody can read them, and a person replaces them. */
async function settingsBefore(tx: Tx, { box }: Surroundings, { name }: store.ConnectorRow): Promise<Settings> {
  const [current] = await store.readSettings(tx, name)
  return (current && readable(() => box.openSettings(current))) ?? {}
}

/** Returns what `open` returns. Undefined if SECRET_KEY is not the one of the sealing. */
export function readable<Opened>(open: () => Opened): Opened | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}
