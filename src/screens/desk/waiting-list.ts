import { blank, pageHead, panel } from '../../console/components.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import { html, type Piece } from '../../platform/http/html.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { ageInWords } from './case-words.ts'

/** One subject of a merchant that waits for a second person. */
export type Waiting = {
  readonly id: string
  readonly merchant_id: number
  /** The line under the merchant's name. */
  readonly under: string
  readonly reason: string | null
  readonly since: Date
  /** In francs. */
  readonly amount: number
}

/**
 * The list of one kind of waiting subjects, each with a link to its page below `path`. `none`: an empty list, and where its subjects
 * come from.
 */
export async function waitingListView(
  { say, at }: ScreenRequest<'desk'>,
  { sql, clock }: { sql: Sql; clock: Clock },
  what: {
    path: string
    title: string
    none: { title: string; text: string }
    rows: readonly Waiting[]
    facts: object
    acts?: Piece
  },
): Promise<ScreenView> {
  const { path, title, none, rows, facts, acts } = what
  const merchants = await readMerchantNames(
    sql,
    rows.map(({ merchant_id }) => merchant_id),
  )
  const now = clock.now().getTime()
  const content =
    rows.length === 0
      ? blank('ok', none)
      : list<Waiting>({
          caption: title,
          rows,
          size: 'few',
          columns: [
            {
              title: say(['Marchand', 'Merchant']),
              kind: 'k',
              cell: ({ id, merchant_id, under }) =>
                rowLink(at(`${path}/${id}`), merchants.get(merchant_id) ?? String(merchant_id), under),
            },
            { title: say(['Raison', 'Reason']), kind: '', cell: ({ reason }) => reason },
            { title: say(['Âge', 'Age']), kind: 't', cell: ({ since }) => ageInWords(now - since.getTime(), say) },
            { title: 'F CFA', kind: 'm', cell: ({ amount }) => moneyCell(amount) },
          ],
        })
  const main = html`${pageHead({ title, acts })}${panel(null, content, { flush: rows.length > 0 })}`
  return { kind: 'view', title, main, facts }
}
