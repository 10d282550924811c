/** The fields of an address that its screen declares, each a text that a database field can hold. */
export type ScreenQuery = {
  /** The first value of this name; null where the address has none, or the screen does not declare it. */
  get(name: string): string | null
  has(name: string): boolean
}

/** Fields that every screen has: the language, and the news after an act. */
const ofEveryScreen = ['lang', 'done'] as const

/** Characters of a value at most: longer than everything that a filter compares it with. */
const VALUE_MAX = 1_000

/** Stands for a character that no database field holds; nobody's text has it, so that a value with it matches nothing. */
const NO_CHARACTER = '\ufffd'

/**
 * Reads the declared fields of an address. Its text is the sender's: a control character or half a character becomes one that matches
 * nothing, and a longer value ends at 1 000 characters.
 */
export function readQuery(url: string, declared: readonly string[] = []): ScreenQuery {
  const at = url.indexOf('?')
  const typed = new URLSearchParams(at < 0 ? '' : url.slice(at))
  const fields = new Map<string, string>()
  for (const name of [...ofEveryScreen, ...declared]) {
    const value = typed.get(name)
    if (value !== null) fields.set(name, storable(value))
  }
  return { get: (name) => fields.get(name) ?? null, has: (name) => fields.has(name) }
}

/** The parameters of a path, for its screen to judge, as texts alike: one that no database field can hold is nobody's id. */
export function readParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, storable(value)]))
}

function storable(value: string): string {
  return value
    .slice(0, VALUE_MAX)
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, NO_CHARACTER)
}
