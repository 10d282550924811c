import { titleKey } from './find-columns.ts'
import { wordKey } from './known-words.ts'
import { arithmetics, dateForms, type StatementProfile, statementColumns } from './profile.ts'

export type ProfileRead =
  | { readonly kind: 'profile'; readonly profile: StatementProfile }
  | { readonly kind: 'refused'; readonly faults: readonly string[] }

const TITLES_MAX = 64
const WORDS_MAX = 100
const WORD_MAX = 200

/** Reads the JSON of a profile. @returns one sentence for each fault when it is none */
export function validateProfile(json: string): ProfileRead {
  const faults: string[] = []
  const value = parsed(json)
  if (value === null) return { kind: 'refused', faults: ['The profile is no JSON object.'] }
  for (const name of Object.keys(value)) if (!known.has(name)) faults.push(`The profile has no field "${shown(name)}".`)
  for (const [name, check] of Object.entries(checks)) {
    const fault = check(value[name])
    if (fault !== null) faults.push(`${name} ${fault}.`)
  }
  if (faults.length === 0) faults.push(...faultsTogether(value as StatementProfile))
  return faults.length > 0 ? { kind: 'refused', faults } : { kind: 'profile', profile: value as StatementProfile }
}

function parsed(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= WORD_MAX
/** A title of signs only would be the same as any other, and as an empty cell. */
const isTitle = (value: unknown): value is string => isText(value) && titleKey(value) !== ''
/** A word of signs, such as `+`, is compared as it is, but none begins a label. */
const isWord = (value: unknown): value is string =>
  isText(value) && (value.endsWith('*') ? titleKey(value) : wordKey(value)) !== ''
const isListOf = (value: unknown, is: (one: unknown) => boolean) =>
  Array.isArray(value) && value.length >= 1 && value.length <= WORDS_MAX && value.every(is)
const isWords = (value: unknown) => isListOf(value, isWord)
const isTitles = (value: unknown) => isListOf(value, isTitle)
const shown = (text: string) => text.replace(/[^\w -]/g, '?').slice(0, 40)

type Check = (value: unknown) => string | null
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? null : check(value)
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string) ? null : `must be one of ${words.join(', ')}`
const wordsBy =
  (names: readonly string[], needed: readonly string[] = []): Check =>
  (value) => {
    if (!isObject(value)) return `must be an object with ${names.join(', ')}`
    const wrong = Object.keys(value).find((name) => !names.includes(name))
    if (wrong !== undefined) return `has no field "${shown(wrong)}"`
    const missing = needed.find((name) => value[name] === undefined)
    if (missing !== undefined) return `needs ${missing}`
    const bad = Object.keys(value).find((name) => !isWords(value[name]))
    if (bad !== undefined) return `needs a list of words in ${bad}`
    const keys = Object.values(value as Record<string, string[]>).map((words) => new Set(words.map(keyOf)))
    const twice = keys.some((one, at) => keys.slice(at + 1).some((other) => !one.isDisjointFrom(other)))
    return twice ? 'has a word in two lists' : null
  }

const keyOf = (word: string) => `${wordKey(word)}${word.endsWith('*') ? '*' : ''}`

const checks: Readonly<Record<string, Check>> = {
  profile: (value) =>
    typeof value === 'string' && /^[a-z][a-z0-9_]{1,39}$/.test(value)
      ? null
      : 'must be a name of lower-case letters, digits and underscores',
  version: (value) => (Number.isSafeInteger(value) && (value as number) > 0 ? null : 'must be a whole number from 1'),
  format: oneOf(['table', 'json', 'mt940', 'camt053']),
  titles: (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= TITLES_MAX &&
    value.every((one) => isTitle(one) || isTitles(one))
      ? null
      : 'must be a list of titles, or of lists of alternatives',
  columns: columnsFault,
  row_is: optional(oneOf(['number_first', 'has_date'])),
  classes: optional(wordsBy(['fee', 'tax', 'own_transfer', 'operation'])),
  directions: optional(wordsBy(['in', 'out'])),
  states: optional(wordsBy(['moved', 'failed'], ['moved', 'failed'])),
  date: oneOf(dateForms),
  currency: (value) =>
    typeof value === 'string' && /^[A-Z]{3}$/.test(value) ? null : 'must be three capitals, such as XOF',
  needs_sign: optional((value) => (typeof value === 'boolean' ? null : 'must be true or false')),
  preamble: optional((value) => {
    if (!isObject(value)) return 'must be an object with account, opening, currency'
    const wrong = Object.entries(value).find(
      ([name, title]) => !/^(?:account|opening|currency)$/.test(name) || !isTitle(title),
    )
    return wrong === undefined ? null : `has a wrong field "${shown(wrong[0])}"`
  }),
  footer: optional((value) => (isWords(value) ? null : 'must be a list of words')),
  arithmetic: oneOf(arithmetics),
  assumed: optional(oneOf(['gross', 'net'])),
  fee_at_most: optional((value) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 10_000
      ? null
      : 'must be a whole number of basis points from 0 to 10000',
  ),
}
const known = new Set(Object.keys(checks))

function columnsFault(value: unknown): string | null {
  if (!isObject(value)) return 'must be an object of columns'
  for (const [name, place] of Object.entries(value)) {
    if (!(statementColumns as readonly string[]).includes(name)) return `has no column "${shown(name)}"`
    if (isTitle(place)) continue
    if (!isObject(place) || !(isTitle(place.title) || isTitles(place.title))) return `needs a title for ${name}`
    const wrong = Object.keys(place).find((key) => !['title', 'occurrence', 'after'].includes(key))
    if (wrong !== undefined) return `has an unknown field "${shown(wrong)}" in ${name}`
    const { occurrence, after } = place
    if (occurrence !== undefined && !(Number.isSafeInteger(occurrence) && (occurrence as number) >= 1))
      return `needs an occurrence from 1 for ${name}`
    if (after !== undefined && !isTitle(after)) return `needs a title in after for ${name}`
  }
  return null
}

/** The faults that several fields make together. */
function faultsTogether({
  columns,
  states,
  classes,
  directions,
  arithmetic,
  fee_at_most,
  ...rest
}: StatementProfile): string[] {
  const has = (name: keyof typeof columns) => columns[name] !== undefined
  const rules: readonly (readonly [boolean, string])[] = [
    [!has('date'), 'columns needs a date.'],
    [!has('amount') && !(has('debit') && has('credit')), 'columns needs an amount, or a debit and a credit.'],
    [states !== undefined && !has('state'), 'states needs the column state.'],
    [classes !== undefined && !has('type'), 'classes needs the column type.'],
    [directions !== undefined && !has('type') && !has('direction'), 'directions needs the column direction or type.'],
    [directions === undefined && has('direction'), 'the column direction needs directions.'],
    [arithmetic === 'from_balance' && !has('balance'), 'arithmetic from_balance needs the column balance.'],
    [arithmetic === 'from_balance' && fee_at_most === undefined, 'arithmetic from_balance needs fee_at_most.'],
    [arithmetic !== 'by_chain' && rest.assumed !== undefined, 'assumed belongs to arithmetic by_chain.'],
    [
      arithmetic === 'by_chain' && !has('balance') && rest.assumed === undefined,
      'arithmetic by_chain needs a balance or assumed.',
    ],
  ]
  return rules.filter(([wrong]) => wrong).map(([, sentence]) => sentence)
}
