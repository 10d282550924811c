import { backLink, panel, type StatusShape, status } from '../../console/components.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'

/** The parts of the page of one operation. */
export type OperationPage = {
  /** The list of the operation. */
  readonly list: { readonly path: string; readonly words: Words }
  /** The words before the amount. */
  readonly title: string
  /** In francs. */
  readonly amount: number
  readonly status: readonly [StatusShape, Words]
  /** Its state, in a sentence for a shop owner. */
  readonly sentence: string
  readonly advice: Piece
  /** The acts that may follow. */
  readonly next?: Piece
  readonly story: Html
  readonly rows: Html
  readonly facts: object
}

/** The shapes of statuses that are not final. */
export const openShapes: ReadonlySet<StatusShape> = new Set(['wait', 'going', 'doubt'])

/** The page of one operation: its amount and a sentence, the facts, and its timeline, folded once nothing moves. */
export function operationPage({ say, at }: ScreenRequest<'console'>, page: OperationPage): ScreenView {
  const [shape, words] = page.status
  const title = html`<h1><span class="sr">${page.title}</span>${drawAmount(page.amount)}</h1>`
  const head = html`<p>${status(shape, say(words))}</p>${title}<p class="say" role="status">${page.sentence}</p>`
  const moving = openShapes.has(shape)
  const history = html`<summary>${say(['Toute l’histoire', 'History'])}</summary><div>${page.story}</div>`
  const main = html`${backLink(at(page.list.path), say(page.list.words))}
<div class="stack"><div class="two level">
<article class="slip"><header>${head}</header>${page.advice}${page.next}</article>
${panel(say(['Les faits', 'Details']), page.rows)}
</div>
<details class="panel"${moving && html` open`}>${history}</details></div>`
  return {
    kind: 'view',
    title: `${page.title}${writeAmount(page.amount)}`,
    main,
    facts: page.facts,
    moving,
  }
}
