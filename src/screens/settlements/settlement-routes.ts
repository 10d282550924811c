import { randomUUID } from 'node:crypto'
import { pageHead, panel } from '../../console/components.ts'
import { fieldsOf } from '../../console/lists/define-list.ts'
import { drawList, readList } from '../../console/lists/draw-list.ts'
import { defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { readKeptAnswer } from '../../platform/commands/keys.ts'
import { sha256 } from '../../platform/digest.ts'
import type { Idempotency } from '../../platform/http/call.ts'
import { html } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { CreateSettlement } from '../../settlements/create-settlement.ts'
import type { Settlement } from '../../settlements/settlement.ts'
import { readSettlementsOf } from '../../settlements/store.ts'
import { readFrancs, writeFrancs } from '../../values/read-typed.ts'
import { readNames } from '../approvals/waiting.ts'
import { fileScreen } from '../lists/list-screens.ts'
import { type AskDeps, readAsk, refusalOf } from './ask-facts.ts'
import { type AskRefusal, type AskTyped, askConfirmation, askPart } from './ask-view.ts'
import { settlementColumns } from './settlement-columns.ts'
import { settlementList } from './settlement-list.ts'

type SettlementDeps = AskDeps & {
  readonly reads: Db
  readonly clock: Clock
  readonly createSettlement: CreateSettlement
}
type Request = ScreenRequest<'console'>

const { path } = settlementList

/** Shows the list with the request form beside it, as typed. */
async function show(request: Request, deps: SettlementDeps, typed: AskTyped | null = null): Promise<ScreenAnswer> {
  const { tenant, say } = request
  const [listed, ask] = await Promise.all([readList(settlementList, request, deps.reads, null), readAsk(deps, tenant)])
  const shown = typed ?? { amount: writeFrancs(ask.available), form_id: randomUUID(), refused: null }
  const ids = listed.page.rows.map(({ id }) => id)
  const [settlements, names] = await Promise.all([
    ids.length === 0 ? [] : readSettlementsOf(deps.reads, tenant, ids),
    readNames(deps.reads, tenant),
  ])
  const byId = new Map(settlements.map((settlement) => [settlement.id, settlement]))
  const columns = settlementColumns(request, { byId, names })
  const { tabs, filters, chips, rows, turns } = drawList(request, settlementList, listed, { columns })
  const lead = say([
    'Ce que le service vous doit, versé à votre destination.',
    'What the service owes you, paid to your destination.',
  ])
  const title = say(settlementList.title)
  const form = askPart(request, ask, shown, deps.clock.now())
  const main = html`${pageHead({ title, lead })}
<div class="two flip">${form}<div>${tabs}${filters}
${chips}
${panel(null, html`${rows}${turns}`, { flush: true })}</div></div>`
  const error = shown.refused === null ? null : { code: shown.refused }
  const status = error === null ? 200 : statusOf(error.code)
  const { chosen, page } = listed
  const facts = { chosen, operations: page.rows, has_more: page.after !== null }
  return { kind: 'view', status, title, main, facts: { ...facts, ask, error } }
}

function statusOf(code: AskRefusal): number {
  return code.startsWith('idempotency') || code === 'merchant_inactive' ? 409 : 422
}

type Wanted = { readonly amount: number; readonly beneficiary_id: string }

/** Reads the form as typed. The amount is null when it is invalid. */
function readTyped({ fields }: Request) {
  const typed = { amount: fields.text('amount'), form_id: fields.text('form') }
  return { typed, amount: readFrancs(typed.amount), beneficiary_id: fields.text('destination') }
}

/**
 * Returns the idempotency key of a form and its person, so that one form makes one settlement, however often it is submitted. Null for an
 * invalid form id.
 */
function keyOf({ session }: Request, form_id: string, { amount, beneficiary_id }: Wanted): Idempotency | null {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(form_id)) return null
  const key = `console_${session.person.person_id}_${form_id}`
  return { key, fingerprint: sha256(`${key} ${amount} ${beneficiary_id}`) }
}

const getSettlements = defineConsoleScreen<SettlementDeps>({
  method: 'GET',
  path,
  query: [...fieldsOf(settlementList).map(({ name }) => name), 'starting_after'],
  operation: 'listSettlementsScreen',
  summary: 'Settlements of a merchant, newest first, and the form that asks for one',
  right: 'settlements.read',
  menu: { group: 'account', icon: 'bank', words: settlementList.title },
  handle: (request, deps) => show(request, deps),
})

const settlementAsk = defineConsoleScreen<SettlementDeps>({
  method: 'POST',
  path,
  operation: 'askSettlementScreen',
  summary: 'Ask for a settlement to the designated destination',
  right: 'settlements.request',
  async confirm(request, deps) {
    const { tenant } = request
    const { typed, amount, beneficiary_id } = readTyped(request)
    if (amount === null) return show(request, deps, { ...typed, refused: 'amount_unreadable' })
    const claim = keyOf(request, typed.form_id, { amount, beneficiary_id })
    if (claim === null) return show(request, deps)
    const kept = await readKeptAnswer(deps.sql, tenant, claim.key)
    if (kept !== null) return answerKept(request, deps, JSON.parse(kept) as Settlement)
    const ask = await readAsk(deps, tenant)
    const refused = refusalOf(ask, { amount, beneficiary_id })
    if (refused !== null || ask.destination === null) return show(request, deps, { ...typed, refused })
    return askConfirmation(request, amount, ask.destination)
  },
  async handle(request, deps) {
    const { tenant, actor, at } = request
    const { typed, amount, beneficiary_id } = readTyped(request)
    const claim = keyOf(request, typed.form_id, { amount: amount!, beneficiary_id })
    const { active: merchant_active } = await deps.settings(tenant.merchant_id)
    const order = { amount: amount!, beneficiary_id }
    const result = await deps.createSettlement(
      { caller: { ...tenant, merchant_active, actor }, idempotency: claim! },
      order,
    )
    if (result.kind === 'refused') return show(request, deps, { ...typed, refused: result.code })
    return moved(at(`${path}?done=settlement_asked`))
  },
})

/** Answers a form that was submitted before: an equal request is the first one, a different one is refused. */
async function answerKept(
  request: Request,
  deps: SettlementDeps,
  { amount, beneficiary }: Settlement,
): Promise<ScreenAnswer> {
  const { typed, ...wanted } = readTyped(request)
  if (amount === wanted.amount && beneficiary.id === wanted.beneficiary_id)
    return moved(request.at(`${path}?done=settlement_asked`))
  return show(request, deps, { ...typed, refused: 'idempotency_key_reused' })
}

/** The screens of a merchant's settlements and of a request. */
export const settlementScreens = [getSettlements, fileScreen(settlementList), settlementAsk] as const
