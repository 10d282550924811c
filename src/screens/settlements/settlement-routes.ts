import { randomUUID } from 'node:crypto'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import { pageHead, panel } from '../../console/components.ts'
import { fieldsOf } from '../../console/lists/define-list.ts'
import { drawList, readList } from '../../console/lists/draw-list.ts'
import { defineConsoleScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type RequestDeps, requestSettlement } from '../../settlements/request-settlement.ts'
import { readSchedule } from '../../settlements/schedule-store.ts'
import type { Settlement } from '../../settlements/settlement.ts'
import { readOpen, readSettlementsOf } from '../../settlements/store.ts'
import { writeFrancs } from '../../values/read-typed.ts'
import { readNames } from '../approvals/waiting.ts'
import { fileScreen } from '../lists/list-screens.ts'
import { type AskDeps, readAsk } from './ask-facts.ts'
import { type AskTyped, askPart, destinationPanel } from './ask-view.ts'
import { askedPart } from './asked-part.ts'
import { schedulePanel } from './schedule-view.ts'
import { settlementColumns } from './settlement-columns.ts'
import { settlementList } from './settlement-list.ts'

type SettlementDeps = AskDeps & {
  readonly reads: Db
  readonly clock: Clock
}
type Request = ScreenRequest<'console'>

const { path } = settlementList

/** Shows the list with the request form beside it, as typed. */
async function show(
  request: Request,
  deps: SettlementDeps,
  typed: AskTyped | null = null,
  code: string | null = null,
): Promise<ScreenAnswer> {
  const { tenant, say } = request
  const [listed, ask, schedule, [newest]] = await Promise.all([
    readList(settlementList, request, deps.reads, null),
    readAsk(deps, tenant),
    readSchedule(deps.sql, tenant),
    readOpen(deps.sql, { ...tenant, limit: 1, newest: true }),
  ])
  const shown = typed ?? { amount: writeFrancs(ask.available), form_id: randomUUID(), errors: [] }
  const ids = listed.page.rows.map(({ id }) => id)
  const [settlements, names] = await Promise.all([
    ids.length === 0 ? [] : readSettlementsOf(deps.reads, tenant, ids),
    readNames(deps.reads, tenant),
  ])
  const byId = new Map(settlements.map((settlement) => [settlement.id, settlement]))
  const columns = settlementColumns(request, { byId, names })
  const { tabs, filters, chips, rows, turns } = drawList(request, settlementList, listed, { columns })
  const lead = say(['Votre argent disponible, versé où vous voulez.', 'Your available money, paid where you want it.'])
  const title = say(['Retirer mon argent', 'Withdraw my money'])
  const asked = newest && askedPart(request, newest, newest.open - 1, names)
  const form = askPart(request, ask, shown, deps.clock.now())
  const beside = html`<div class="stack">${asked}${foldUnder(request, newest !== undefined && typed === null, form)}
${destinationPanel(request, ask)}${schedulePanel(request, schedule)}</div>`
  const main = html`${pageHead({ title, lead })}
<div class="two flip">${beside}<div>${tabs}${filters}
${chips}
${panel(null, html`${rows}${turns}`, { flush: true })}</div></div>`
  const error = code === null ? null : { code }
  const status = error === null ? 200 : statusOf(error.code)
  const { chosen, page } = listed
  const facts = { chosen, operations: page.rows, has_more: page.after !== null }
  const moving = newest !== undefined
  return {
    kind: 'view',
    status,
    title,
    main,
    facts: { ...facts, ask, error, newest: newest?.id ?? null, open: newest?.open ?? 0 },
    moving,
  }
}

/** Folds the form once a request waits: the next one is rarely at once. */
function foldUnder({ say, can }: Request, folds: boolean, form: Html): Html {
  if (!folds || !can('settlements.request')) return form
  return html`<details class="panel"><summary>${say(['Retirer encore', 'Withdraw more'])}</summary><div>${form}</div></details>`
}

function statusOf(code: string): number {
  return code.startsWith('idempotency') || code === 'merchant_inactive' ? 409 : 422
}

const getSettlements = defineConsoleScreen<SettlementDeps>({
  method: 'GET',
  path,
  query: [...fieldsOf(settlementList).map(({ name }) => name), 'starting_after'],
  operation: 'listSettlementsScreen',
  summary: 'Settlements of a merchant, newest first, and the form that asks for one',
  right: 'settlements.read',
  menu: { group: 'account', icon: 'bank', words: ['Retirer mon argent', 'Withdraw my money'] },
  handle: (request, deps) => show(request, deps),
})

const settlementAsk = consoleAct<RequestDeps, Settlement, SettlementDeps & RequestDeps & ActScreenDeps>(
  requestSettlement,
  {
    path,
    back: ({ at }) => at(path),
    done: () => `${path}?done=settlement_asked`,
    prepare: async ({ session }, deps) => ({ ...deps, form_of: session.person.person_id }),
    again(request, deps, errors, refusal) {
      const { fields } = request
      // A form without its id is shown anew.
      if (errors.some(({ field }) => field === 'form')) return show(request, deps)
      const typed = { amount: fields.text('amount'), form_id: fields.text('form'), errors }
      return show(request, deps, typed, refusal?.code ?? 'amount_unreadable')
    },
  },
)

/** The screens of a merchant's settlements and of a request. */
export const settlementScreens = [getSettlements, fileScreen(settlementList), settlementAsk] as const
