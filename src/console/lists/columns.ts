import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Words } from '../../values/language.ts'
import { type StatusShape, status } from '../components.ts'
import { type Column, moneyCell } from '../list.ts'
import type { ScreenRequest } from '../screen.ts'

/** The names of the resources of a list's filters, by the filter's field and the id. The page reads them. */
export type Names = Readonly<Record<string, ReadonlyMap<string, string>>>

/** A column of a list, with its title and its cells in the reader's language. */
export type ListColumn<Row> = (request: ScreenRequest<'console'>, names: Names) => Column<Row>

/** The shape and the word of each state. */
export type StateWords<State extends string> = Readonly<Record<State, readonly [StatusShape, Words]>>

/** Returns the words of states, for their tabs. */
export function wordsOf<State extends string>(states: StateWords<State>): Readonly<Record<State, Words>> {
  const words = Object.entries<readonly [StatusShape, Words]>(states).map(([state, [, word]]) => [state, word])
  return Object.fromEntries(words) as Record<State, Words>
}

/** The state of a row, by its shape and its word. */
export function state<Row, State extends string>(of: (row: Row) => State, words: StateWords<State>): ListColumn<Row> {
  return ({ say }) => ({
    title: say(['État', 'State']),
    kind: 's',
    cell: (row) => {
      const [shape, word] = words[of(row)]
      return status(shape, say(word))
    },
  })
}

/** The time of a row. */
export function moment<Row>(of: (row: Row) => Date): ListColumn<Row> {
  return ({ say, language }) => ({
    title: say(['Quand', 'When']),
    kind: 't',
    cell: (row) => writeShortDate(of(row), language),
  })
}

/** A short value with its title, also on a card. */
export function plain<Row>(title: Words, cell: (row: Row) => string | number): ListColumn<Row> {
  return ({ say }) => ({ title: say(title), kind: '', label: say(title), cell })
}

/** The amount of a row, in francs. */
export function amount<Row>(title: Words, of: (row: Row) => number): ListColumn<Row> {
  return ({ say }) => ({ title: say(title), kind: 'm', cell: (row) => moneyCell(of(row)) })
}
