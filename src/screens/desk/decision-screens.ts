import { type AnyAct, refusalOf } from '../../acts/act.ts'
import type { Proposed } from '../../acts/decision.ts'
import type { Field } from '../../acts/facts.ts'
import { canDecideOn } from '../../acts/second-person.ts'
import { actField } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { panel } from '../../console/components.ts'
import { decideBar, type FieldError, form } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import {
  defineDeskScreen,
  type MenuPlace,
  type Screen,
  type ScreenAnswer,
  type ScreenRequest,
  type ScreenView,
} from '../../console/screen.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { personName } from './case-words.ts'
import { type Around, actOn, proposalSection, readAround, subjectPage } from './subject-page.ts'
import { waitingListView } from './waiting-list.ts'

type Request = ScreenRequest<'desk'>
type Row = Proposed & { readonly amount: number; readonly reason: string; readonly proposed_at: Date }

/** The two acts of `defineDecision`. */
type Decision = { readonly approve: AnyAct; readonly refuse: AnyAct }

/** The peculiarities of one kind of proposal on the desk. */
type Desk<Subject extends Row, Deps, Beside> = {
  readonly path: string
  /** The names of its list and its page, in metrics. */
  readonly operations: { readonly list: string; readonly page: string }
  readonly summaries: { readonly list: string; readonly page: string }
  readonly menu: MenuPlace
  readonly list: Words
  /** The link back to the list. */
  readonly back: Words
  readonly none: { readonly title: Words; readonly text: Words }
  /** The kind of a subject in a few words. */
  readonly title: (row: Subject, say: Request['say']) => string
  readonly read: (db: Db, id: string) => Promise<Subject | null>
  readonly readWaiting: (db: Db, livemode: boolean) => Promise<Subject[]>
  /** The facts for a program. */
  readonly facts: {
    readonly list: (rows: readonly Subject[]) => object
    readonly page: (row: Subject, merchant: string | null, beside: Beside) => object
  }
  readonly standing: (row: Subject, say: Request['say']) => Html
  /** More about the end of a subject than who decided. */
  readonly ended?: (request: Request, row: Subject, name: string) => Piece
  /** Why a reader without the right cannot decide. */
  readonly otherRole: Words
  /** The reason of a refusal, as `refused` names its form. */
  readonly reason?: Field<string>
  /** Reads what the page shows beside the subject. */
  readonly load: (deps: Deps, row: Subject) => Promise<Beside>
  readonly line: (request: Request, row: Subject, beside: Beside, around: Around) => Piece
  readonly beside: (request: Request, row: Subject, beside: Beside, around: Around) => Piece
}

/** The screens of a decision on the desk: the list of what waits, the page of one, and the two acts. */
export function decisionScreens<Subject extends Row, Deps extends ActScreenDeps, Beside>(
  { approve, refuse }: Decision,
  desk: Desk<Subject, Deps, Beside>,
): readonly Screen<Deps>[] {
  const { path, operations, summaries, menu } = desk
  const withSubject = actOn<Subject>(desk.read)
  const again = (request: Request, deps: Deps, errors: readonly FieldError[]): Promise<ScreenAnswer> =>
    withSubject(request, deps, (row) => subjectView(request, deps, row, errors))
  const at = ({ params }: Request) => `${path}/${params.id}`

  async function subjectView(
    request: Request,
    deps: Deps,
    row: Subject,
    errors: readonly FieldError[],
  ): Promise<ScreenView> {
    const { say, can, actor } = request
    const { id, proposed_by, decided_by, status } = row
    const [around, beside] = await Promise.all([
      readAround(deps.sql, row, [proposed_by, decided_by], actor.person),
      desk.load(deps, row),
    ])
    const open = status === 'proposed'
    const may = can(approve.right)
    const deciding = open && may && canDecideOn(around.reader, [proposed_by])
    const why = !open || deciding ? null : say(may ? refusalOf(approve, 'same_person').words : desk.otherRole)
    const name = decided_by === null ? '' : personName(decided_by, around.names, say)
    const ended =
      decided_by !== null &&
      html`<p class="soft">${desk.ended?.(request, row, name) ?? say(decidedWords, { name })}</p>`
    const title = desk.title(row, say)
    return subjectPage(request, id, around, errors, {
      back: { to: path, words: say(desk.back) },
      title,
      standing: desk.standing(row, say),
      amount: { said: `${title}${say([' : ', ': '])}`, francs: row.amount },
      line: desk.line(request, row, beside, around),
      slip: html`${proposalSection(request, around, { proposed_by, reason: row.reason, ended, why })}${deciding && bar(request, id)}`,
      below: deciding && refusing(request, id, errors),
      beside: desk.beside(request, row, beside, around),
      open,
      facts: desk.facts.page(row, around.merchant, beside),
      deciding,
    })
  }

  function bar(request: Request, id: string): Html {
    const asks = desk.reason !== undefined
    const no = { to: asks ? '#refuse' : request.at(`${path}/${id}/refuse`), words: request.say(declineWords), asks }
    return decideBar(request, no, {
      to: request.at(`${path}/${id}/approve`),
      words: request.say(['Confirmer', 'Confirm']),
    })
  }

  function refusing(request: Request, id: string, errors: readonly FieldError[]): Piece {
    if (desk.reason === undefined) return undefined
    const decline = request.say(declineWords)
    const content = html`${actField(request, 'refusal', desk.reason, errors)}<button class="stop">${decline}</button>`
    return panel(decline, form(request, request.at(`${path}/${id}/refuse`), content), { id: 'refuse' })
  }

  return [
    defineDeskScreen<Deps>({
      method: 'GET',
      path,
      operation: operations.list,
      summary: summaries.list,
      right: 'cases.read',
      menu,
      async handle(request, deps) {
        const { say, livemode } = request
        const rows = await desk.readWaiting(deps.sql, livemode)
        return waitingListView(request, deps, {
          path,
          title: say(desk.list),
          none: { title: say(desk.none.title), text: say(desk.none.text) },
          rows: rows.map((row) => ({ ...row, under: desk.title(row, say), since: row.proposed_at })),
          facts: desk.facts.list(rows),
        })
      },
    }),
    defineDeskScreen<Deps>({
      method: 'GET',
      path: `${path}/:id`,
      operation: operations.page,
      summary: summaries.page,
      right: 'cases.read',
      handle: (request, deps) => again(request, deps, []),
    }),
    deskAct(approve, {
      path: `${path}/:id/approve`,
      back: (request) => request.at(at(request)),
      done: (request) => `${at(request)}?done=confirmed`,
      again,
    }),
    deskAct(refuse, {
      path: `${path}/:id/refuse`,
      back: (request) => request.at(at(request)),
      done: (request) => `${at(request)}?done=declined`,
      again,
    }),
  ]
}

const declineWords = ['Refuser', 'Decline'] as const
export const decidedWords = ['Décidé par {name}.', 'Decided by {name}.'] as const
