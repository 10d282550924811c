import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { derivedKey } from '../../platform/config.ts'
import { explain } from '../../platform/http/field-checker.ts'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import { seal, unseal } from '../../platform/sealing.ts'
import type { Words } from '../../values/language.ts'
import type { Secret } from '../../values/secret.ts'
import { baseUrlProblem } from '../operator-api/operator-http.ts'
import type { ChangedSetting } from './connector-facts.ts'
import { termSettings } from './connector-terms.ts'
import type { ConnectorType } from './connector-type.ts'

/** Settings of a contract as typed: one flat object. */
export type Settings = Readonly<Record<string, unknown>>

/**
 * One fault of settings. `key`: the setting, `name` for the contract's name, null for the settings as a whole. `problem`: one sentence for
 * the person who typed them, which names the key and never its value.
 */
export type SettingsFault = { readonly key: string | null; readonly problem: Words }

export type SettingsFaults = readonly [SettingsFault, ...SettingsFault[]]

export type SettingsRead = { kind: 'read'; settings: Settings } | { kind: 'refused'; faults: SettingsFaults }

/** Replaces a secret wherever a person looks. */
const MASK = '********'

/** Reads the settings of a type of connector from their text. @param http_allow as for `readSettings` */
export function readSettingsText(type: ConnectorType, bytes: Uint8Array, http_allow: readonly string[]): SettingsRead {
  // Keys in PEM have line breaks.
  const parsed = parseStrictJson(bytes, new Set(Object.keys(type.settings.properties)))
  if (parsed.kind === 'refused')
    return refused([
      `Les réglages ne sont pas un objet JSON. En anglais : « ${parsed.problem} »`,
      `The settings are not one JSON object: ${parsed.problem}`,
    ])
  const { judged } = parsed
  if (typeof judged !== 'object' || judged === null || Array.isArray(judged)) {
    return refused([
      'Les réglages ne sont pas un objet JSON, tel que {"base_url": "https://…"}.',
      'The settings are not one JSON object, such as {"base_url": "https://…"}.',
    ])
  }
  return readSettings(type, judged as Settings, http_allow)
}

/**
 * Validates settings against their type of connector.
 * @param http_allow blocks of addresses that may be called over plain http
 * @param kept faults of the secrets that a change keeps, returned with the others
 */
export function readSettings(
  type: ConnectorType,
  settings: Settings,
  http_allow: readonly string[],
  kept: readonly SettingsFault[] = [],
): SettingsRead {
  const [first, ...others] = [...faultsOf(type, settings, http_allow), ...kept]
  return first === undefined ? { kind: 'read', settings } : { kind: 'refused', faults: [first, ...others] }
}

function refused(problem: Words): SettingsRead {
  return { kind: 'refused', faults: [{ key: null, problem }] }
}

/** The faults of settings, one for each key; none if they fit the type. */
function faultsOf(type: ConnectorType, settings: Settings, http_allow: readonly string[]): SettingsFault[] {
  const properties = propertiesOf(type)
  const required = new Set((type.settings as { required?: readonly string[] }).required)
  const known = Object.keys(properties)
  const unknown = Object.keys(settings)
    .filter((key) => !Object.hasOwn(properties, key))
    .map(
      (key): Words => [
        `Les réglages de ${type.type} n’ont pas de clé « ${key} ». Ce sont : ${known.join(', ')}.`,
        `The settings of ${type.type} have no key "${key}". They are: ${known.join(', ')}.`,
      ],
    )
  const wrong = Object.entries(properties).flatMap(([key, schema]): SettingsFault[] => {
    const value = Object.hasOwn(settings, key) ? settings[key] : undefined
    if (value === undefined && !required.has(key)) return []
    if (value === undefined || !Compile(schema).Check(value))
      return [
        {
          key,
          problem: [problemInFrench(key, schema, value), explain(key, schema, value) ?? `${key} ${formIn(schema)[1]}`],
        },
      ]
    const problem = /(?:^|\.)base_url$/.test(key) ? baseUrlProblem(String(value), http_allow) : null
    return problem === null ? [] : [{ key, problem: [`${key} ${problem[0]}`, `${key} ${problem[1]}`] }]
  })
  return [...unknown.map((problem) => ({ key: null, problem })), ...wrong]
}

/** The French of `explain`, for the types of settings. Like `explain`, it never shows the value. */
function problemInFrench(key: string, schema: TSchema, value: unknown): string {
  const { type, anyOf, minLength, maxLength, minimum, maximum } = schema as {
    type?: string
    anyOf?: readonly { const: string }[]
  } & Partial<Record<'minLength' | 'maxLength' | 'minimum' | 'maximum', number>>
  if (value === undefined || value === null) return `${key} manque.`
  if (anyOf !== undefined) return `${key} doit être l’un de ces mots : ${anyOf.map((one) => one.const).join(', ')}.`
  if (type === 'boolean') return `${key} doit être true ou false.`
  if (type === 'integer') {
    if (!Number.isSafeInteger(value)) return `${key} doit être un nombre entier, écrit en chiffres.`
    return `${key} doit être ${[minimum !== undefined && `au moins ${minimum}`, maximum !== undefined && `au plus ${maximum}`].filter(Boolean).join(' et ')}.`
  }
  if (typeof value !== 'string') return `${key} doit être un texte.`
  const { length } = [...value]
  if (maxLength !== undefined && length > maxLength) return `${key} est trop long : ${maxLength} caractères au plus.`
  if (minLength !== undefined && length < minLength) return `${key} est trop court : ${minLength} caractères au moins.`
  return `${key} ${formIn(schema)[0]}`
}

/** A pattern of one class of characters, with the fewest and the most of them. */
const SIMPLE = /^\^\[(.+)\]\{(\d+),(\d+)\}\$$/

/** The form that a text setting needs, to follow its name. */
function formIn(schema: TSchema): Words {
  const { pattern = '', description } = schema as { pattern?: string; description?: string }
  const [, characters = '', min, max] = SIMPLE.exec(pattern) ?? []
  if (min === undefined)
    return [
      'n’a pas la forme attendue.',
      `is not written in the form that it needs${description === undefined ? '.' : `: ${description}`}`,
    ]
  return characters.includes(' ')
    ? [
        `doit avoir ${min} à ${max} caractères, sans accents ni signes rares.`,
        `must have ${min} to ${max} characters, without accents and rare signs.`,
      ]
    : [
        `doit avoir ${min} à ${max} caractères, sans espaces ni accents.`,
        `must have ${min} to ${max} characters, without spaces and accents.`,
      ]
}

/** The settings of a type of connector, then those that every type takes. */
export function propertiesOf(type: ConnectorType): Readonly<Record<string, TSchema>> {
  return { ...(type.settings.properties as Readonly<Record<string, TSchema>>), ...termSettings.properties }
}

/** The settings for people: in the order of the type, with secrets masked. */
export function maskedSettings(type: ConnectorType, settings: Settings): Record<string, unknown> {
  const secret = new Set<string>(type.secrets)
  return Object.fromEntries(
    Object.keys(propertiesOf(type))
      .filter((key) => settings[key] !== undefined)
      .map((key) => [key, secret.has(key) ? MASK : settings[key]]),
  )
}

/** The secrets that a change replaces by other values, masked. */
export function replacedSecrets(type: ConnectorType, before: Settings, after: Settings): ChangedSetting[] {
  return type.secrets
    .filter((key) => before[key] !== undefined && after[key] !== undefined && before[key] !== after[key])
    .map((key) => ({ key, before: MASK, after: MASK }))
}

/** Encrypts and decrypts the secrets of contracts with SECRET_KEY, each bound to its row. */
export type ConnectorBox = {
  sealSettings(row: { connector: string; generation: number }, settings: Settings): Buffer
  /** @throws if SECRET_KEY has changed since the sealing, or the bytes belong to another row */
  openSettings(row: { connector: string; generation: number; settings_sealed: Uint8Array }): Settings
  /** Encrypts a change that waits for a fresh factor, bound to its session. */
  sealDraft(draft: DraftKey, text: string): Buffer
  /** @throws like `openSettings` */
  openDraft(draft: DraftKey, sealed: Uint8Array): string
  sealToken(connector: string, token: string): Buffer
  /** @throws like `openSettings` */
  openToken(row: { name: string; callback_token_sealed: Uint8Array }): string
}

type DraftKey = { draft_id: string; session_id: string }

export function createConnectorBox(secretKey: Secret): ConnectorBox {
  const key = derivedKey(secretKey, 'connector settings')
  const place = ({ connector, generation }: { connector: string; generation: number }) => `${connector}/${generation}`
  const draftPlace = ({ draft_id, session_id }: DraftKey) => `draft/${draft_id}/${session_id}`
  const tokenPlace = (connector: string) => `${connector}/callback token`
  return {
    sealSettings: (row, settings) => seal(key, JSON.stringify(settings), place(row)),
    openSettings: (row) => JSON.parse(unseal(key, row.settings_sealed, place(row))) as Settings,
    sealDraft: (draft, text) => seal(key, text, draftPlace(draft)),
    openDraft: (draft, sealed) => unseal(key, sealed, draftPlace(draft)),
    sealToken: (connector, token) => seal(key, token, tokenPlace(connector)),
    openToken: ({ name, callback_token_sealed }) => unseal(key, callback_token_sealed, tokenPlace(name)),
  }
}
