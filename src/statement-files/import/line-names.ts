import { hash } from 'node:crypto'
import { idFrom } from '../../values/ids.ts'
import type { StatementRow } from '../statement-row.ts'
import { identityOf } from '../statement-row.ts'
import { RepeatCounter } from './repeat-counter.ts'

/** The name of a line: its id, and the month of its day, which finds its partition. */
export type LineName = { readonly id: string; readonly month: string; readonly day: string }

/** Names the lines of one file. The same line of another file gets the same name, whatever else that file shows. */
export class LineNames {
  readonly #account: Parameters<typeof identityOf>[0]
  readonly #met = new RepeatCounter()

  constructor(account: Parameters<typeof identityOf>[0]) {
    this.#account = account
  }

  /** @param row a row that moved money; rows are given in the order of the file */
  nameOf(row: StatementRow): LineName {
    const day = row.occurred_at!.slice(0, 10)
    const month = `${day.slice(0, 8)}01`
    const identity = identityOf(this.#account, row)
    const first = digestOf(identity)
    const nth = this.#met.count(first)
    const digest = nth === 1 ? first : digestOf(`${identity} ${nth}`)
    return { id: idFrom('lin', Date.parse(month), digest), month, day }
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
