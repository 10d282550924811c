import { type AnyAct, refusalOf } from '../../acts/act.ts'
import { linesOf } from '../../acts/facts.ts'
import type { ActProposal } from '../../acts/proposal.ts'
import { readProposal } from '../../acts/proposal-store.ts'
import { canDecideOn } from '../../acts/second-person.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { rows, status } from '../../console/components.ts'
import { decideBar, type FieldError, form } from '../../console/forms.ts'
import type { Words } from '../../console/say.ts'
import {
  defineDeskScreen,
  type Screen,
  type ScreenAnswer,
  type ScreenRequest,
  type ScreenView,
} from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { normalizePerson } from '../../values/independent-approver.ts'
import { personName, proposalWords } from './case-words.ts'
import { endOfProposal, lapseLine } from './lapse-words.ts'
import { actOn, readAround, subjectPage } from './subject-page.ts'

type Request = ScreenRequest<'desk'>

/** The two acts of `defineDecision`, and the first person's (`defineWithdrawal`). `match`: an act that finds the second person in a statement. */
type Decision = {
  readonly approve: AnyAct
  readonly refuse: AnyAct
  readonly withdraw: AnyAct
  readonly match?: AnyAct
}

/** One kind of acts that wait for a second person. */
type Kind<Deps> = {
  readonly acts: readonly ActProposal['act'][]
  readonly path: string
  /** The name of its page, in metrics. */
  readonly operation: string
  readonly summary: string
  /** Why a reader without the right cannot decide. */
  readonly otherRole: Words
  /** The page of what an approval made. Absent: the proposal's own. */
  readonly made?: (outcome: string) => string
  /** Reads what an approval needs from outside the database. `wait`: it cannot be approved yet, and why. */
  readonly prepare?: (request: Request, deps: Deps, row: ActProposal) => Promise<Deps | { readonly wait: Words }>
  /** Draws what the second person reads below the facts. Null: nothing. */
  readonly below?: (request: Request, row: ActProposal) => Html | null
  /** Draws the question of an approval in place of its facts. */
  readonly shown?: (request: Request, deps: Deps, row: ActProposal, content: object) => Promise<Html>
}

const states = {
  proposed: ['wait', ['Proposé, à confirmer', 'Proposed, to confirm']],
  approved: ['ok', ['Confirmé', 'Confirmed']],
  refused: ['off', ['Refusé', 'Refused']],
  withdrawn: ['off', ['Retiré', 'Withdrawn']],
  lapsed: ['off', ['Éteint', 'Lapsed']],
} as const satisfies Record<ActProposal['status'], readonly ['wait' | 'ok' | 'off', Words]>

/** The screens of an act that waits for a second person: its page on the desk, and both decisions. */
export function proposalScreens<Deps extends ActScreenDeps>(
  decision: Decision,
  kind: Kind<Deps>,
): readonly Screen<Deps>[] {
  const { path, operation, summary } = kind
  const withProposal = actOn<ActProposal>((db, id) => readProposal(db, id, kind.acts))
  const again = (request: Request, deps: Deps, errors: readonly FieldError[]): Promise<ScreenAnswer> =>
    withProposal(request, deps, (row) => proposalView({ decision, kind }, request, deps, row, errors))
  const common = { back: ({ at, params }: Request) => at(`${path}/${params.id}`), again }
  const { prepare, shown } = kind
  return [
    defineDeskScreen<Deps>({
      method: 'GET',
      path: `${path}/:id`,
      operation,
      summary,
      right: 'cases.read',
      handle: (request, deps) => again(request, deps, []),
    }),
    deskAct<unknown, ActProposal, Deps>(decision.approve, {
      ...common,
      path: `${path}/:id/approve`,
      done: ({ params }, { outcome }) => {
        const made = outcome === null ? undefined : kind.made?.(outcome)
        return `${made ?? `${path}/${params.id}`}?done=confirmed`
      },
      ...(prepare && {
        prepare: (request, deps) =>
          withProposal(request, deps, async (row): Promise<Deps | ScreenAnswer> => {
            const prepared = await prepare(request, deps, row)
            if (!('wait' in prepared)) return prepared
            return again(request, deps, [{ field: 'main', text: request.say(prepared.wait) }])
          }),
      }),
      ...(shown && {
        shown: async (request, deps, content) =>
          shown(request, deps, (await readProposal(deps.sql, request.params.id!, kind.acts))!, content),
      }),
    }),
    deskAct<unknown, ActProposal, Deps>(decision.refuse, {
      ...common,
      path: `${path}/:id/refuse`,
      done: ({ params }) => `${path}/${params.id}?done=declined`,
    }),
    deskAct<unknown, ActProposal, Deps>(decision.withdraw, {
      ...common,
      path: `${path}/:id/withdraw`,
      done: ({ params }) => `${path}/${params.id}?done=withdrawn`,
    }),
    ...(decision.match === undefined
      ? []
      : [
          deskAct<unknown, ActProposal, Deps>(decision.match, {
            ...common,
            path: `${path}/:id/match`,
            done: ({ params }) => `${path}/${params.id}?done=confirmed`,
          }),
        ]),
  ]
}

/** The button by which the first person takes their proposal back. */
function withdrawForm(request: Request, to: string): Html {
  const words = request.say(['Retirer ma demande', 'Withdraw my proposal'])
  return form(request, to, html`<button class="quiet">${words}</button>`, { class: 'acts' })
}

/** The page of one proposal. The person who may decide on it sees the two buttons, another why not. */
async function proposalView<Deps extends ActScreenDeps>(
  { decision: { approve }, kind }: { decision: Decision; kind: Kind<Deps> },
  request: Request,
  deps: Deps,
  row: ActProposal,
  errors: readonly FieldError[],
): Promise<ScreenView> {
  const { say, at, can, actor } = request
  // Sealed secrets leave the database for nobody.
  const { sealed: _sealed, ...proposal } = row
  const { id, proposed_by, decided_by, amount, content } = proposal
  const around = await readAround(deps.sql, row, [proposed_by, decided_by], actor.person)
  const { names, merchant } = around
  const open = row.status === 'proposed'
  const may = can(approve.right)
  const deciding = open && may && canDecideOn(around.reader, [proposed_by])
  const why = !open || deciding ? null : say(may ? refusalOf(approve, 'same_person').words : kind.otherRole)
  const cannot = why !== null && html`<p class="hint gap">${why}</p>`
  const own = open && may && normalizePerson(proposed_by) === normalizePerson(actor.person)
  const takeBack = own && withdrawForm(request, at(`${kind.path}/${id}/withdraw`))
  const name = decided_by === null ? '' : personName(decided_by, names, say)
  const ended = open
    ? lapseLine(request, deps.console, row)
    : html`<p class="soft">${endOfProposal(say, row, name)}</p>`
  const below = kind.below?.(request, row) ?? null
  const by = say(['Proposé par {name}', 'Proposed by {name}'], { name: personName(proposed_by, names, say) })
  const title = say(kind.acts.length > 1 ? proposalWords[row.act] : approve.title)
  const [shape, words] = states[row.status]
  const { amount: _, ...others } = approve.facts
  const facts = linesOf(others, content).map(({ name, value }) => ({ name: say(name), value: say(value) }))
  const no = { to: at(`${kind.path}/${id}/refuse`), words: say(['Refuser', 'Decline']), asks: false }
  const yes = { to: at(`${kind.path}/${id}/approve`), words: say(['Confirmer', 'Confirm']) }
  const bar = decideBar(request, no, yes)
  return subjectPage(request, id, around, errors, {
    back: { to: '', words: say(['File d’attente', 'Queue']) },
    title,
    standing: status(shape, say(words)),
    amount: amount === null ? null : { said: `${title}${say([' : ', ': '])}`, francs: amount },
    line: row.merchant_id === WHOLE_SERVICE ? row.subject : html`${merchant} · ${title}`,
    slip: html`<section><h2>${by}</h2>${rows(facts)}${below}${ended}${cannot}${takeBack}</section>${deciding && bar}`,
    beside: null,
    open,
    facts: { proposal, merchant },
    deciding,
  })
}
