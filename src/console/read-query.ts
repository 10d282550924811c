/** The declared fields of an address, each as text that the database can store. */
export type ScreenQuery = {
  /** Returns the first value of this name. Null when the address has none, or the screen does not declare it. */
  get(name: string): string | null
  has(name: string): boolean
  /** Returns the fields that the screen declares, in its order, with their first values. */
  declared(): readonly (readonly [name: string, value: string])[]
}

/** The fields of every screen: the language, and the message after an act. */
const ofEveryScreen = ['lang', 'done'] as const

/** The most characters of a value, longer than anything that a filter compares it with, and than a text of `hiddenSearch`. */
const VALUE_MAX = 1_200

/** Replaces a character that the database cannot store. No stored text has it, so a value with it matches nothing. */
const NO_CHARACTER = '\ufffd'

/**
 * Reads the declared fields of an address. It replaces a control character or a lone surrogate by `NO_CHARACTER`, and cuts a value at 1 200
 * characters.
 */
export function readQuery(url: string, declared: readonly string[] = []): ScreenQuery {
  const at = url.indexOf('?')
  const typed = new URLSearchParams(at < 0 ? '' : url.slice(at))
  const fields = new Map<string, string>()
  for (const name of [...ofEveryScreen, ...declared]) {
    const value = typed.get(name)
    if (value !== null) fields.set(name, storable(value))
  }
  return {
    get: (name) => fields.get(name) ?? null,
    has: (name) => fields.has(name),
    declared: () => declared.flatMap((name) => (fields.has(name) ? [[name, fields.get(name)!] as const] : [])),
  }
}

/** Returns the parameters of a path in the same form of text, for the screen to judge. */
export function readParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, storable(value)]))
}

function storable(value: string): string {
  return value
    .slice(0, VALUE_MAX)
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, NO_CHARACTER)
}
