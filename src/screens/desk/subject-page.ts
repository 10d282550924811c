import { type Decider, readDecider } from '../../acts/second-person.ts'
import { readOwner } from '../../cases/store.ts'
import { backLink } from '../../console/components.ts'
import { errorList, type FieldError } from '../../console/forms.ts'
import { quoted } from '../../console/say.ts'
import { absent, type ScreenAnswer, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import { personName } from './case-words.ts'
import { ownerPanel } from './queue-view.ts'

type Request = ScreenRequest<'desk'>

/** The people and the merchant around a subject that waits for a person. */
export type Around = {
  readonly merchant: string | null
  /** The person to whom the subject is assigned. */
  readonly owner: string | null
  /** The names of the given people and of the owner. */
  readonly names: ReadonlyMap<string, string>
  readonly reader: Decider
}

/** Reads the merchant and the people around a subject. @param reader the person who opens its page */
export async function readAround(
  db: Db,
  { merchant_id, livemode, id }: { merchant_id: number; livemode: boolean; id: string },
  people: readonly (string | null)[],
  reader: string,
): Promise<Around> {
  const [merchant, assigned, decider] = await Promise.all([
    readMerchantName(db, merchant_id),
    readOwner(db, { merchant_id, livemode, subject_id: id }),
    readDecider(db, reader),
  ])
  const owner = assigned?.person ?? null
  return { merchant, owner, names: await readPersonNames(db, [...people, owner]), reader: decider }
}

/**
 * Returns a function that acts on the subject with the path's id. One of the other mode is absent, like an unknown one.
 * @param read finds a subject by its id
 */
export function actOn<Row extends { readonly livemode: boolean }>(read: (sql: Sql, id: string) => Promise<Row | null>) {
  return async <Answer>(
    { params, livemode }: Request,
    { sql }: { sql: Sql },
    act: (row: Row) => Promise<Answer>,
  ): Promise<Answer | ScreenAnswer> => {
    const row = await read(sql, params.id ?? '')
    return row === null || row.livemode !== livemode ? absent : act(row)
  }
}

/** The parts of the page of a subject: the slip with what is decided, and beside it what helps to decide. */
type SubjectPage = {
  readonly back: { readonly to: string; readonly words: string }
  readonly title: string
  /** The mark of its state. */
  readonly standing: Piece
  /** In francs. `said` goes before it, for a screen reader. Null: the title stands in its place. */
  readonly amount: { readonly said: string; readonly francs: number } | null
  /** The line under the amount. */
  readonly line: Piece
  /** The slip below its head, and the panels below the slip. */
  readonly slip: Piece
  readonly below?: Piece
  readonly beside: Piece
  /** Whether it still waits, so that a person can take it. */
  readonly open: boolean
  readonly facts: object
  readonly deciding?: boolean
}

/** The page of one subject of the desk. With errors its status is 409. */
export function subjectPage(
  request: Request,
  id: string,
  { owner, names }: Around,
  errors: readonly FieldError[],
  { back, title, standing, amount, line, slip, below, beside, open, facts, deciding = false }: SubjectPage,
): ScreenView {
  const { say, at } = request
  const head =
    amount === null
      ? html`<h1>${title}</h1>`
      : html`<h1><span class="sr">${amount.said}</span>${drawAmount(amount.francs)}</h1>`
  const main = html`${backLink(at(back.to), back.words)}${errorList(say, errors)}
<div class="two"><div class="stack"><article class="slip"><header><p>${standing}</p>${head}<p class="say">${line}</p></header>
${slip}</article>${below}</div>
<div class="stack">${beside}${open && ownerPanel(request, { id, owner, names })}</div></div>`
  return { kind: 'view', status: errors.length > 0 ? 409 : 200, title, main, facts: { ...facts, errors }, deciding }
}

/** The part of a slip with a proposal's first person and reason, its end, and a sentence on why the reader cannot decide. */
export function proposalSection(
  { say }: Request,
  { names }: Around,
  what: { proposed_by: string; reason: string; ended: Piece; why: string | null },
): Html {
  const { proposed_by, reason, ended, why } = what
  const by = say(['Proposé par {name}', 'Proposed by {name}'], { name: personName(proposed_by, names, say) })
  const head = html`<h2 id="prop">${by}</h2><p>${say(quoted, { text: reason })}</p>`
  const hint = why !== null && html`<p class="hint gap">${why}</p>`
  return html`<section aria-labelledby="prop">${head}${ended}${hint}</section>`
}
