import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readToOrder, writeBankFile } from '../../settlements/bank/write-transfers.ts'
import { listSettlements } from '../../settlements/list-settlements.ts'
import { paySettlement } from '../../settlements/pay-settlement.ts'
import { rejectSettlement } from '../../settlements/reject-settlement.ts'
import { type SettlementRow, type SettlementStatus, settlementStatuses } from '../../settlements/settlement.ts'
import { readTakings } from '../../settlements/store.ts'
import { validateSettlement } from '../../settlements/validate-settlement.ts'
import { readMoment } from '../../values/read-typed.ts'
import { readSettlementFile } from './settlement-facts.ts'
import { settlementListView } from './settlement-list-view.ts'
import { settlementView } from './settlement-view.ts'

export type SettlementDeps = {
  sql: Sql
  clock: Clock
}
type Request = ScreenRequest<'desk'>

/** Settlements in one state. Those that wait for people come oldest first. */
export const getDeskSettlements = defineDeskScreen<SettlementDeps>({
  method: 'GET',
  path: '/settlements',
  query: ['status', 'merchant', 'after'],
  operation: 'deskSettlements',
  summary: 'Read settlements by state',
  right: 'cases.read',
  menu: {
    group: 'money',
    icon: 'bank',
    words: ['Reversements', 'Settlements'],
    dock: ['Reverser', 'Settle'],
    count: 'to_settle',
  },
  async handle(request, deps) {
    const { query } = request
    const status = settlementStatuses.find((known) => known === query.get('status')) ?? 'pending_validation'
    return showList(request, deps, { status, merchant: query.get('merchant') ?? '', after: query.get('after') })
  },
})

/** Shows the settlements of one state. @param nothing_new a file for the bank was wanted, and nothing is new */
async function showList(
  request: Request,
  { sql, clock }: SettlementDeps,
  of: { status: SettlementStatus; merchant: string; after: string | null; nothing_new?: true },
): Promise<ScreenAnswer> {
  const { livemode, can } = request
  const { status, merchant, after, nothing_new = false } = of
  const merchant_id = /^\d{1,15}$/.test(merchant) ? Number(merchant) : null
  const pays = status === 'validated' && can('settlements.pay')
  const [page, takings, to_order] = await Promise.all([
    listSettlements(sql, { livemode, status, merchant_id, after }),
    pays ? readTakings(sql, livemode, TAKINGS_SHOWN) : [],
    pays ? readToOrder(sql, livemode) : { ready: [], held_back: [] },
  ])
  const [merchants, names] = await Promise.all([
    readMerchantNames(
      sql,
      [...page.rows, ...to_order.held_back].map((row) => row.merchant_id),
    ),
    readPersonNames(
      sql,
      takings.map(({ account_taken_by }) => account_taken_by),
    ),
  ])
  const now = clock.now()
  return settlementListView(request, { page, takings, to_order, status, merchant, merchants, names, now, nothing_new })
}

export const getDeskSettlement = defineDeskScreen<SettlementDeps>({
  method: 'GET',
  path: '/settlements/:id',
  operation: 'deskSettlement',
  summary: 'Read a settlement as two people decide on it',
  right: 'cases.read',
  handle: (request, deps) => showAgain(request, deps),
})

/** The acts of a settlement, each on its page. */
const onPage = (verb: 'validate' | 'pay' | 'reject', done: string) => ({
  path: `/settlements/:id/${verb}`,
  back: ({ at, params }: Request) => at(`/settlements/${params.id}`),
  done: (_: Request, { id }: SettlementRow) => `/settlements/${id}?done=settlement_${done}`,
  again: showAgain,
})

type ActDeps = SettlementDeps & ActScreenDeps

export const settlementDecisions = [
  deskAct<unknown, SettlementRow, ActDeps>(validateSettlement, onPage('validate', 'validated')),
  deskAct<unknown, SettlementRow, ActDeps>(paySettlement, onPage('pay', 'paid')),
  deskAct<unknown, SettlementRow, ActDeps>(rejectSettlement, onPage('reject', 'rejected')),
]

/**
 * Downloads the transfers to make, with whole accounts, for the bank. The audit log has a line for each settlement in the file. Without
 * `taken_at` it has those that no file had, and with it those of a file that was taken then.
 */
export const postBankFile = defineDeskScreen<SettlementDeps>({
  method: 'POST',
  path: '/settlements/bank-file',
  operation: 'deskBankFile',
  summary: 'Take the file of the transfers to make',
  right: 'settlements.pay',
  async handle(request, deps) {
    const { fields, livemode, actor } = request
    const taken_at = readMoment(fields.text('taken_at'))
    if (taken_at === null && fields.text('taken_at') !== '') return absent
    const alone = fields.text('settlement')
    const { csv, settlements } = await writeBankFile(deps, livemode, taken_at, actor, alone === '' ? null : alone)
    if (settlements === 0)
      return showList(request, deps, { status: 'validated', merchant: '', after: null, nothing_new: true })
    const name = `reversements-${deps.clock.now().toISOString().slice(0, 10)}.csv`
    return { kind: 'file', name, type: 'text/csv; charset=utf-8', body: csv }
  },
})

/** The most files on the page whose transfers are not all entered. */
const TAKINGS_SHOWN = 50

/** Shows the settlement as it stands now, with the reasons of a refusal above it. */
async function showAgain(
  request: Request,
  { sql, clock }: SettlementDeps,
  errors: readonly FieldError[] = [],
): Promise<ScreenAnswer> {
  const { livemode, params, actor } = request
  const file = await readSettlementFile(sql, livemode, params.id ?? '', actor.person)
  return file === null ? absent : settlementView(request, file, clock.now(), errors)
}
