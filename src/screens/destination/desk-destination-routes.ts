import { confirmCallBack, noteCallBack, refuseCallBack } from '../../beneficiaries/call-back.ts'
import type { CoolingDeps } from '../../beneficiaries/decide-destination.ts'
import { readWaitingOfCompany } from '../../beneficiaries/proposal-store.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { SettlementRules } from '../../settlements/create-settlement.ts'
import { readAround } from '../desk/subject-page.ts'
import { readCallBack } from './desk-destination-facts.ts'
import { deskDestinationsView, deskDestinationView } from './desk-destination-view.ts'

type Deps = { readonly sql: Sql; readonly clock: Clock; readonly settlementRules: SettlementRules }
type ActDeps = Deps & ActScreenDeps
type Request = ScreenRequest<'desk'>

async function show(request: Request, deps: Deps, errors: readonly FieldError[] = []): Promise<ScreenAnswer> {
  const { params, livemode, actor } = request
  const facts = await readCallBack(deps, { id: params.id ?? '', livemode })
  if (facts === null) return absent
  const { proposal } = facts
  const people = [proposal.proposed_by, proposal.called_by, proposal.decided_by]
  const around = await readAround(deps.sql, proposal, people, actor.person)
  return deskDestinationView(request, facts, around, errors)
}

const getDeskDestinations = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/destinations',
  operation: 'deskDestinations',
  summary: 'Read the destinations of merchants of one person that wait for a call and two people',
  right: 'cases.read',
  menu: {
    group: 'clients',
    icon: 'bank',
    words: ['Destinations à confirmer', 'Destinations to confirm'],
    count: 'to_designate',
  },
  async handle(request, { sql, clock }) {
    const waiting = await readWaitingOfCompany(sql, request.livemode)
    const merchants = await readMerchantNames(
      sql,
      waiting.map(({ merchant_id }) => merchant_id),
    )
    return deskDestinationsView(request, waiting, merchants, clock.now())
  },
})

const getDeskDestination = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/destinations/:id',
  operation: 'deskDestination',
  summary: 'Read a destination of a merchant of one person, with the call about it',
  right: 'cases.read',
  handle: (request, deps) => show(request, deps),
})

const place = (done: string) => ({
  back: ({ at, params }: Request) => at(`/destinations/${params.id}`),
  done: ({ params }: Request) => `/destinations/${params.id}?done=${done}`,
  again: (request: Request, deps: Deps, errors: readonly FieldError[]) => show(request, deps, errors),
})

/** The company's part in the destination of a merchant of one person: a call, and a second person. */
export const deskDestinationScreens = [
  getDeskDestinations,
  getDeskDestination,
  deskAct<unknown, null, ActDeps>(noteCallBack, { path: '/destinations/:id/call', ...place('called') }),
  deskAct<CoolingDeps, null, ActDeps>(confirmCallBack, { path: '/destinations/:id/confirm', ...place('confirmed') }),
  deskAct<unknown, null, ActDeps>(refuseCallBack, { path: '/destinations/:id/refuse', ...place('stopped') }),
] as const
