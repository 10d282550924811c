import pg from 'pg'

type Parse = (text: string) => unknown

const { builtins } = pg.types

/** The types for lists of names and of whole numbers, which the driver does not know or leaves as text. */
const NAME_LIST = 1003
const BIGINT_LIST = 1016

const parseTextList = pg.types.getTypeParser(1009 as never, 'text') as (text: string) => string[]

const ours = new Map<number, Parse>([
  [builtins.INT8, parseBigint],
  [BIGINT_LIST, (text) => parseTextList(text).map(parseBigint)],
  [NAME_LIST, parseTextList],
  [builtins.TIMESTAMPTZ, (text) => new Date(text)],
  // Dates and intervals stay text.
  [builtins.DATE, (text) => text],
  [builtins.TIMESTAMP, (text) => text],
  [builtins.INTERVAL, (text) => text],
])

/** Returns the decoder of a type. Francs (bigint) become numbers, times become `Date`. */
export function parserOf(type: number, format?: 'text' | 'binary'): Parse {
  return ours.get(type) ?? (pg.types.getTypeParser(type, format as 'text') as Parse)
}

/** @throws RangeError for an integer that no number holds exactly */
function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The database returned ${text}, which no exact number can hold.`)
  return value
}
