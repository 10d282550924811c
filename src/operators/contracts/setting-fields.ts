import type { TSchema } from 'typebox'
import type { Words } from '../../values/language.ts'
import { propertiesOf } from './connector-settings.ts'
import { termLabels, termSettings } from './connector-terms.ts'
import type { ConnectorType } from './connector-type.ts'

/** A setting as a form field. */
export type SettingField = {
  readonly key: string
  /** `secret`: never shown. `flag`: true or false. `number`: a whole number. `choice`: one of a few words. */
  readonly kind: 'text' | 'secret' | 'choice' | 'flag' | 'number'
  /** The words of a choice; empty for other kinds. */
  readonly choices: readonly string[]
  readonly required: boolean
  readonly label: Words
  /** In English, as the type declares it. */
  readonly description: string
  /** Whether every type takes it: charges and bounds of the float. */
  readonly is_term: boolean
}

/** The settings of a type of connector in its order, then those that every type takes. */
export function settingFields(type: ConnectorType): SettingField[] {
  const required = new Set((type.settings as { required?: readonly string[] }).required)
  const labels: Readonly<Record<string, Words>> = { ...type.labels, ...termLabels }
  return Object.entries(propertiesOf(type)).map(([key, schema]) => {
    const { description = '', anyOf = [] } = schema as TSchema & {
      description?: string
      anyOf?: readonly { const: string }[]
    }
    return {
      key,
      kind: kindOf(schema, (type.secrets as readonly string[]).includes(key)),
      choices: anyOf.map((one) => one.const),
      required: required.has(key),
      label: labels[key]!,
      description,
      is_term: Object.hasOwn(termSettings.properties, key),
    }
  })
}

function kindOf(schema: TSchema, isSecret: boolean): SettingField['kind'] {
  if (isSecret) return 'secret'
  if ('anyOf' in schema) return 'choice'
  const { type } = schema as { type?: string }
  return type === 'boolean' ? 'flag' : type === 'integer' ? 'number' : 'text'
}
