import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { ReadSettings } from '../../merchants/fees.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import type { Clock } from '../../platform/clock.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readToOrder, writeBankFile } from '../../settlements/bank/write-transfers.ts'
import { listSettlements } from '../../settlements/list-settlements.ts'
import { paySettlement, type SettlementPaid } from '../../settlements/pay-settlement.ts'
import { rejectSettlement, type SettlementRejected } from '../../settlements/reject-settlement.ts'
import { type SettlementStatus, settlementStatuses } from '../../settlements/settlement.ts'
import { readTakings } from '../../settlements/store.ts'
import { validateSettlement } from '../../settlements/validate-settlement.ts'
import { bankReferenceIn } from '../../values/bank-reference.ts'
import { readLine, readMoment } from '../../values/read-typed.ts'
import { readSettlementFile, type SettlementFile } from './settlement-facts.ts'
import { settlementListView } from './settlement-list-view.ts'
import { referenceUsed, samePerson, sayStanding } from './settlement-standing.ts'
import { destinationName, isOpen, settlementView } from './settlement-view.ts'

export type SettlementDeps = {
  sql: Sql
  clock: Clock
  settings: ReadSettings
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
  handle: (request, deps) => withFile(request, deps, async (file) => settlementView(request, file, deps.clock.now())),
})

/** Validates a settlement, as the first of two people. */
export const postValidateSettlement = defineDeskScreen<SettlementDeps>({
  method: 'POST',
  path: '/settlements/:id/validate',
  operation: 'deskValidateSettlement',
  summary: 'Validate a settlement, as the first of two people',
  right: 'settlements.validate',
  confirm: (request, deps) =>
    withFile(request, deps, async (file) => {
      const { settlement } = file
      if (settlement.status !== 'pending_validation') return notNow(request, deps, file)
      return confirmation(
        request,
        file,
        request.say(['Vous validez. Une autre personne paiera.', 'You validate. Another person will pay.']),
        {},
      )
    }),
  handle: (request, deps) =>
    withFile(request, deps, async (file) => {
      const result = await validateSettlement(deps, file.settlement.id, request.actor)
      return answered(request, deps, file, result, 'validated')
    }),
})

/** Enters the bank's transfer of a settlement, as the second of two people. */
export const postPaySettlement = defineDeskScreen<SettlementDeps>({
  method: 'POST',
  path: '/settlements/:id/pay',
  operation: 'deskPaySettlement',
  summary: 'Enter the transfer that paid a settlement, as the second of two people',
  right: 'settlements.pay',
  confirm: (request, deps) =>
    withFile(request, deps, async (file) => {
      const { say } = request
      if (file.settlement.status !== 'validated') return notNow(request, deps, file)
      const reference = bankReferenceIn(request.fields.text('reference'))
      if (reference === null) return refused(request, deps, file, { field: 'reference', text: say(referenceMissing) })
      const says = say(['Le virement {reference} est fait.', 'The transfer {reference} was made.'], { reference })
      return confirmation(request, file, says, { bank_reference: reference })
    }),
  handle: (request, deps) =>
    withFile(request, deps, async (file) => {
      const typed = request.fields.text('reference')
      const result = await paySettlement(deps, file.settlement.id, request.actor, typed)
      return answered(request, deps, file, result, 'paid')
    }),
})

/** Rejects a settlement: the amount returns to the merchant, who sees the reason. */
export const postRejectSettlement = defineDeskScreen<SettlementDeps>({
  method: 'POST',
  path: '/settlements/:id/reject',
  operation: 'deskRejectSettlement',
  summary: 'Reject a settlement with a reason',
  right: 'settlements.validate',
  confirm: (request, deps) =>
    withFile(request, deps, async (file) => {
      const { say } = request
      if (!isOpen(file.settlement)) return notNow(request, deps, file)
      const reason = readLine(request.fields.text('reason'), 500)
      if (reason === null) return refused(request, deps, file, { field: 'reason', text: say(reasonMissing) })
      const { account_taken_at } = file.settlement
      if (account_taken_at !== null && readStated(request)?.getTime() !== account_taken_at.getTime())
        return refused(request, deps, file, { field: 'no_transfer', text: say(transferPossible) })
      const says = say(
        [
          'Vous rejetez : « {reason} ». L’argent revient au marchand.',
          'You reject: “{reason}”. The money goes back to the merchant.',
        ],
        { reason },
      )
      const warned = account_taken_at === null ? says : `${says} ${say(noTransferStated)}`
      return confirmation(request, file, warned, { rejection_reason: reason, no_transfer_since: account_taken_at })
    }),
  handle: (request, deps) =>
    withFile(request, deps, async (file) => {
      const reason = request.fields.text('reason')
      const result = await rejectSettlement(deps, file.settlement.id, request.actor, reason, readStated(request))
      return answered(request, deps, file, result, 'rejected')
    }),
})

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

const referenceMissing = [
  'Écrivez la référence du virement, 140 caractères au plus.',
  'Write the reference of the transfer, at most 140 characters.',
] as const
const reasonMissing = [
  'Écrivez pourquoi, sur une ligne de 500 caractères au plus.',
  'Write why, on a line of 500 characters at most.',
] as const

const transferPossible = [
  'Demandez à la banque si le virement est ordonné, puis cochez la case s’il ne l’est pas.',
  'Ask the bank whether the transfer is ordered, then tick the box if it is not.',
] as const
const noTransferStated = [
  'Vous attestez que la banque n’a fait aucun virement et n’en fera pas.',
  'You state that the bank has made no transfer and will not make one.',
] as const

/** Reads since when no transfer was made, as the person states. Null: no statement. */
function readStated(request: Request): Date | null {
  return readMoment(request.fields.text('no_transfer'))
}

async function withFile<Answer>(
  request: Request,
  { sql }: SettlementDeps,
  act: (file: SettlementFile) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const file = await readSettlementFile(sql, request.livemode, request.params.id ?? '', request.actor.person)
  return file === null ? absent : act(file)
}

/** Returns the content that a person confirms: the amount, the merchant, the destination, and the typed text. */
function confirmation({ say, at }: Request, { settlement, merchant }: SettlementFile, says: string, typed: object) {
  const { id, amount, merchant_id, name, last4, status } = settlement
  return {
    kind: 'confirm' as const,
    subject: id,
    content: { settlement_id: id, merchant_id, amount, destination: { name, last4 }, status, ...typed },
    title: say(['Reversement', 'Settlement']),
    back: at(`/settlements/${id}`),
    shown: html`<h1>${drawAmount(amount)}</h1><p class="say">${merchant} → ${destinationName(settlement)}, ${name}</p><p class="soft">${says}</p>`,
  }
}

/** Shows the current settlement with the reason of a refusal above it. */
async function refused(
  request: Request,
  { sql, clock }: SettlementDeps,
  file: SettlementFile,
  error: FieldError,
): Promise<ScreenAnswer> {
  const now = (await readSettlementFile(sql, request.livemode, file.settlement.id, request.actor.person)) ?? file
  return settlementView(request, now, clock.now(), [error])
}

function notNow(request: Request, deps: SettlementDeps, file: SettlementFile): Promise<ScreenAnswer> {
  return refused(request, deps, file, { field: 'main', text: sayStanding(request, file) })
}

async function answered(
  request: Request,
  deps: SettlementDeps,
  file: SettlementFile,
  result: SettlementPaid | SettlementRejected,
  done: 'validated' | 'paid' | 'rejected',
): Promise<ScreenAnswer> {
  const { say, at } = request
  if (result.kind === 'moved') return moved(at(`/settlements/${file.settlement.id}?done=settlement_${done}`))
  switch (result.code) {
    case 'resource_not_found':
      return absent
    case 'not_now':
      return refused(request, deps, file, {
        field: 'main',
        text: sayStanding(request, { ...file, settlement: result.settlement }),
      })
    case 'same_person':
    case 'invalid_person':
      return refused(request, deps, file, {
        field: 'main',
        text: say(samePerson),
      })
    case 'merchant_inactive':
      return refused(request, deps, file, {
        field: 'main',
        text: say([
          'Ce marchand est désactivé. Le reversement attend.',
          'This merchant is deactivated. The settlement goes on waiting.',
        ]),
      })
    case 'transfer_possible':
      return refused(request, deps, file, { field: 'no_transfer', text: say(transferPossible) })
    case 'bank_reference_used': {
      const text = say(referenceUsed, { id: result.paid_id })
      return refused(request, deps, file, { field: 'reference', text })
    }
    case 'invalid_bank_reference':
      return refused(request, deps, file, { field: 'reference', text: say(referenceMissing) })
    case 'invalid_reason':
      return refused(request, deps, file, { field: 'reason', text: say(reasonMissing) })
  }
}
