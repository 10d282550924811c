import type { ProposalRow } from '../../anomalies/anomaly.ts'
import { approveResolution, refuseResolution } from '../../anomalies/decide-resolution.ts'
import { openAnomaly } from '../../anomalies/open-anomaly.ts'
import { proposeResolution } from '../../anomalies/propose-resolution.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { askOperator } from '../../operators/doubts/ask-operator.ts'
import type { Conclusions } from '../../operators/doubts/conclude-by-hand.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readCase } from './case-facts.ts'
import { caseView } from './case-view.ts'

export type CaseDeps = { sql: Sql; clock: Clock; registry: Registry; conclusions: Conclusions }
type Request = ScreenRequest<'desk'>

/** A doubt or an anomaly with its evidence. */
export const getCase = defineDeskScreen<CaseDeps>({
  method: 'GET',
  path: '/cases/:id',
  operation: 'deskCase',
  summary: 'Read a doubt or an anomaly with its evidence',
  right: 'cases.read',
  handle: (request, deps) => showAgain(request, deps),
})

const onPage = (done: string) => ({
  back: ({ at, params }: Request) => at(`/cases/${params.id}`),
  done: ({ params }: Request) => `/cases/${params.id}?done=${done}`,
  again: showAgain,
})

/** The decisions on a proposal. The address has the proposal that the page showed, so that nobody decides a newer, unseen one. */
const decided = (done: string) => ({ ...onPage(done), query: ['proposal'] })

type ActDeps = CaseDeps & ActScreenDeps

export const caseActs = [
  deskAct<unknown, object, ActDeps>(askOperator, { ...onPage('operator_asked'), path: '/cases/:id/ask' }),
  deskAct<CaseDeps, { anomaly_id: string }, ActDeps>(openAnomaly, {
    ...onPage('opened'),
    path: '/cases/:id/open',
    done: (_, { anomaly_id }) => `/cases/${anomaly_id}?done=opened`,
  }),
  deskAct<CaseDeps, ProposalRow, ActDeps>(proposeResolution, { ...onPage('proposed'), path: '/cases/:id/propose' }),
  deskAct<CaseDeps, ProposalRow, ActDeps>(approveResolution, { ...decided('resolved'), path: '/cases/:id/approve' }),
  deskAct<unknown, ProposalRow, ActDeps>(refuseResolution, { ...decided('disputed'), path: '/cases/:id/dispute' }),
]

/** Shows the case as it is now with the reasons of a refusal above it, and all typed text. */
async function showAgain(request: Request, deps: CaseDeps, errors: readonly FieldError[] = []): Promise<ScreenAnswer> {
  const { livemode, params, actor } = request
  const file = await readCase(deps.sql, livemode, params.id ?? '', actor.person)
  return file === null ? absent : caseView(request, file, deps.clock.now(), errors)
}
