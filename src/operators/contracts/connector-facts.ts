import { choiceField, type Fact, type Field, oneOf, text } from '../../acts/facts.ts'
import type { Words } from '../../values/language.ts'

const modeWords: Readonly<Record<'test' | 'live', Words>> = { test: ['Test', 'Test'], live: ['Réel', 'Live'] }

/** A setting as it was and as it will be, with masked secrets. Null: it is not set. */
export type ChangedSetting = { readonly key: string; readonly before: string | null; readonly after: string | null }

/** The settings that differ where people see them. */
export function changedIn(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ChangedSetting[] {
  const shown = (value: unknown) => (value === undefined ? null : String(value))
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((key) => ({ key, before: shown(before[key]), after: shown(after[key]) }))
    .filter((one) => one.before !== one.after)
}

/** The facts of settings that people read and sign. Secrets are masked. */
export const connectorFacts = {
  connector: text(['Connecteur', 'Connector']),
  type: text(['Sorte', 'Type']),
  changes: {
    name: ['Change', 'Changes'],
    write(changes) {
      const said = changes.map(({ key, before, after }) => {
        const from = before === null ? '' : `${before} → `
        return `${key}: ${from}${after ?? '–'}`
      })
      const line = said.join('; ')
      return changes.length === 0 ? ['rien', 'nothing'] : [line, line]
    },
  } satisfies Fact<readonly ChangedSetting[]> as Fact<readonly ChangedSetting[]>,
} as const

const anyText = (name: Words, option: Field<string>['option']): Field<string> => ({
  ...text(name),
  read: (typed) => typed,
  form: { label: name, kind: 'line', fault: name },
  option,
})

/** The values of a contract that are no settings. */
export const connectorFields = {
  name: anyText(['Nom', 'Name'], { must: 'names the connector.' }),
  type: anyText(['Sorte', 'Type'], { must: 'names the kind of connector.' }),
  mode: choiceField(oneOf(['Mode', 'Mode'], modeWords), {
    label: ['Mode', 'Mode'],
    choices: modeWords,
    fault: ['Choisissez le mode.', 'Choose the mode.'],
    says: 'the mode',
  }),
} as const
