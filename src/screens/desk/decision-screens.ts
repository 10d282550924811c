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
import { endOfProposal, lapseLine } from './lapse-words.ts'
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
  decision: Decision,
  desk: Desk<Subject, Deps, Beside>,
): readonly Screen<Deps>[] {
  const { path, operations, summaries } = desk
  const withSubject = actOn<Subject>(desk.read)
  const again = (request: Request, deps: Deps, errors: readonly FieldError[]): Promise<ScreenAnswer> =>
    withSubject(request, deps, (row) => subjectView({ decision, desk }, request, deps, row, errors))
  const screenOf = (act: AnyAct, verb: string, done: string) =>
    deskAct(act, {
      path: `${path}/:id/${verb}`,
      back: ({ at, params }) => at(`${path}/${params.id}`),
      done: ({ params }) => `${path}/${params.id}?done=${done}`,
      again,
    })
  return [
    listScreen(desk),
    defineDeskScreen<Deps>({
      method: 'GET',
      path: `${path}/:id`,
      operation: operations.page,
      summary: summaries.page,
      right: 'cases.read',
      handle: (request, deps) => again(request, deps, []),
    }),
    screenOf(decision.approve, 'approve', 'confirmed'),
    screenOf(decision.refuse, 'refuse', 'declined'),
  ]
}

function listScreen<Subject extends Row, Deps extends ActScreenDeps, Beside>(
  desk: Desk<Subject, Deps, Beside>,
): Screen<Deps> {
  const { path, operations, summaries, menu } = desk
  return defineDeskScreen<Deps>({
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
  })
}

type Shown<Subject extends Row, Deps, Beside> = {
  readonly decision: Decision
  readonly desk: Desk<Subject, Deps, Beside>
}

/** The page of one proposal. The person who may decide on it sees the two buttons, another why not. */
async function subjectView<Subject extends Row, Deps extends ActScreenDeps, Beside>(
  { decision: { approve }, desk }: Shown<Subject, Deps, Beside>,
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
  const how = status === 'lapsed' ? null : desk.ended?.(request, row, name)
  const ended = open
    ? lapseLine(request, deps.console, row)
    : html`<p class="soft">${how ?? endOfProposal(say, row, name)}</p>`
  const title = desk.title(row, say)
  const proposal = proposalSection(request, around, { proposed_by, reason: row.reason, ended, why })
  return subjectPage(request, id, around, errors, {
    back: { to: desk.path, words: say(desk.back) },
    title,
    standing: desk.standing(row, say),
    amount: { said: `${title}${say([' : ', ': '])}`, francs: row.amount },
    line: desk.line(request, row, beside, around),
    slip: html`${proposal}${deciding && twoButtons(desk, request, id)}`,
    below: deciding && refusalForm(desk, request, id, errors),
    beside: desk.beside(request, row, beside, around),
    open,
    facts: desk.facts.page(row, around.merchant, beside),
    deciding,
  })
}

type Deciding = { readonly path: string; readonly reason?: Field<string> }

function twoButtons({ path, reason }: Deciding, request: Request, id: string): Html {
  const { say, at } = request
  const asks = reason !== undefined
  const no = { to: asks ? '#refuse' : at(`${path}/${id}/refuse`), words: say(declineWords), asks }
  return decideBar(request, no, { to: at(`${path}/${id}/approve`), words: say(['Confirmer', 'Confirm']) })
}

/** The form of a refusal that needs a reason. */
function refusalForm({ path, reason }: Deciding, request: Request, id: string, errors: readonly FieldError[]): Piece {
  if (reason === undefined) return undefined
  const decline = request.say(declineWords)
  const content = html`${actField(request, 'refusal', reason, errors)}<button class="stop">${decline}</button>`
  return panel(decline, form(request, request.at(`${path}/${id}/refuse`), content), { id: 'refuse' })
}

const declineWords = ['Refuser', 'Decline'] as const
