import type { TwinAnswer, TwinRequest } from './wire.ts'

/** One call of an API, as a row of its table. */
export type Call<Parts> = {
  readonly method: string
  /** The path without slashes around it. A part in braces stands for any one part, and `*` at the end for any number of them. */
  readonly path: string
  /** @param values the parts of the path in braces, in order, then those for `*` */
  readonly answer: (parts: Parts, request: TwinRequest, values: readonly string[]) => TwinAnswer | Promise<TwinAnswer>
}

/** The first row for a method and a path, with the values in the path. Null: the API has no such call. */
export function findCall<Row extends Pick<Call<never>, 'method' | 'path'>>(
  rows: readonly Row[],
  method: string,
  path: readonly string[],
): { row: Row; values: string[] } | null {
  for (const row of rows) {
    const values = row.method === method ? valuesIn(row.path.split('/'), path) : null
    if (values !== null) return { row, values }
  }
  return null
}

function valuesIn(pattern: readonly string[], path: readonly string[]): string[] | null {
  const isOpen = pattern.at(-1) === '*'
  const wanted = isOpen ? pattern.slice(0, -1) : pattern
  if (path.length < wanted.length || (!isOpen && path.length > wanted.length)) return null
  const isValue = (part: string) => part.startsWith('{')
  if (wanted.some((part, at) => !isValue(part) && part !== path[at])) return null
  return [...path.filter((_, at) => at < wanted.length && isValue(wanted[at]!)), ...path.slice(wanted.length)]
}
