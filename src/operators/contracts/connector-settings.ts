import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { derivedKey } from '../../platform/config.ts'
import { explain } from '../../platform/http/field-checker.ts'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import type { Secret } from '../../values/secret.ts'
import { baseUrlProblem } from '../operator-api/operator-http.ts'
import { termSettings } from './connector-terms.ts'
import type { ConnectorType } from './connector-type.ts'

/** Settings of a contract as they are written: one flat object. */
export type Settings = Readonly<Record<string, unknown>>

/** `problem`: one sentence for the person who wrote them. It names a key and never its value. */
export type SettingsRead = { kind: 'read'; settings: Settings } | { kind: 'refused'; problem: string }

/** Stands for a value that nobody is shown. */
const MASK = '********'

/** Reads the settings of a kind of contract from their text. */
export function readSettingsText(type: ConnectorType, bytes: Uint8Array): SettingsRead {
  // Keys in PEM have line breaks.
  const parsed = parseStrictJson(bytes, new Set(Object.keys(type.settings.properties)))
  if (parsed.kind === 'refused') return refused(`The settings are not one JSON object: ${parsed.problem}`)
  const { judged } = parsed
  if (typeof judged !== 'object' || judged === null || Array.isArray(judged)) {
    return refused('The settings are not one JSON object, such as {"base_url": "https://…"}.')
  }
  const settings = judged as Settings
  const problem = problemOf(type, settings)
  return problem === null ? { kind: 'read', settings } : refused(problem)
}

function refused(problem: string): SettingsRead {
  return { kind: 'refused', problem }
}

/** The first thing that is wrong with settings, in a sentence; null when they fit the kind. */
function problemOf(type: ConnectorType, settings: Settings): string | null {
  const properties = propertiesOf(type)
  const required = new Set((type.settings as { required?: readonly string[] }).required)
  for (const key of Object.keys(settings)) {
    if (!Object.hasOwn(properties, key)) {
      return `The settings of ${type.type} have no key "${key}". They are: ${Object.keys(properties).join(', ')}.`
    }
  }
  for (const [key, schema] of Object.entries(properties)) {
    const value = Object.hasOwn(settings, key) ? settings[key] : undefined
    if (value === undefined && !required.has(key)) continue
    if (value !== undefined && Compile(schema).Check(value)) continue
    return explain(key, schema, value) ?? `${key} is not written as ${type.type} settings want it.`
  }
  for (const [key, value] of Object.entries(settings)) {
    const problem = /(?:^|\.)base_url$/.test(key) ? baseUrlProblem(String(value)) : null
    if (problem !== null) return `${problem.replace('base_url', key)}.`
  }
  return null
}

/** The settings of a kind, and behind them those that every kind takes. */
function propertiesOf(type: ConnectorType): Readonly<Record<string, TSchema>> {
  return { ...(type.settings.properties as Readonly<Record<string, TSchema>>), ...termSettings.properties }
}

/** The settings as people see them: in the order of the kind, secrets hidden. */
export function maskedSettings(type: ConnectorType, settings: Settings): Record<string, unknown> {
  const secret = new Set<string>(type.secrets)
  return Object.fromEntries(
    Object.keys(propertiesOf(type))
      .filter((key) => settings[key] !== undefined)
      .map((key) => [key, secret.has(key) ? MASK : settings[key]]),
  )
}

/** Seals and opens what is secret about a contract under SECRET_KEY, each bound to its row. */
export type ConnectorBox = {
  sealSettings(row: { connector: string; generation: number }, settings: Settings): Buffer
  /** @throws when SECRET_KEY is another one than at sealing, or the bytes are another row's */
  openSettings(row: { connector: string; generation: number; settings_sealed: Uint8Array }): Settings
  sealToken(connector: string, token: string): Buffer
  /** @throws like `openSettings` */
  openToken(row: { name: string; callback_token_sealed: Uint8Array }): string
}

export function createConnectorBox(secretKey: Secret): ConnectorBox {
  const key = derivedKey(secretKey, 'connector settings')
  const place = ({ connector, generation }: { connector: string; generation: number }) => `${connector}/${generation}`
  const tokenPlace = (connector: string) => `${connector}/callback token`
  return {
    sealSettings: (row, settings) => seal(key, JSON.stringify(settings), place(row)),
    openSettings: (row) => JSON.parse(unseal(key, row.settings_sealed, place(row))) as Settings,
    sealToken: (connector, token) => seal(key, token, tokenPlace(connector)),
    openToken: ({ name, callback_token_sealed }) => unseal(key, callback_token_sealed, tokenPlace(name)),
  }
}
