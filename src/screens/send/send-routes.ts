import { randomUUID } from 'node:crypto'
import type { ActDeps } from '../../acts/perform.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import type { OrderKeys } from '../../operators/order-keys.ts'
import { readCapsInUse } from '../../payouts/caps/read-caps.ts'
import { keyOfPayout, type MadePayout, type MakePayoutDeps, makePayout } from '../../payouts/make-payout.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { operatorCodes } from '../../values/operators.ts'
import { readDifferences, readUsualAmounts } from '../approvals/read-request.ts'
import { askAboutSame, askedFacts, askingWords, isAsking } from '../ask-first.ts'
import { readStopsFor, stopHolding } from '../stop-note.ts'
import { drawQuestion, type QuestionFacts, type Signed } from './question-view.ts'
import {
  alikeIds,
  type Recipient,
  readAlike,
  readFromBook,
  readFromPayout,
  readSend,
  type SendDeps,
  servesPayouts,
} from './send-facts.ts'
import { sendView } from './send-view.ts'

type Request = ScreenRequest<'console'>
type Deps = SendDeps &
  ActScreenDeps & {
    readonly orderKeyOf: OrderKeys
    readonly payoutCaps: MakePayoutDeps['payoutCaps'] & { readonly collection_amount_max: number }
    readonly payout_request_expiry_days: number
  }
/** The dependencies of the act, with what operators said of failed payouts like it. */
type Making = Deps & MakePayoutDeps & { readonly asked: readonly RefusedOrder[] }

type Again = { readonly errors: readonly FieldError[]; readonly code: string }

/** Shows the form for its recipient, as typed. */
async function show(request: Request, deps: Deps, again: Again | null = null): Promise<ScreenAnswer> {
  const { tenant, query, fields } = request
  const typed = fields.text('key')
  const named =
    again === null
      ? { entry: query.get('to') ?? '', former: query.get('again') ?? '' }
      : { entry: fields.text('beneficiary'), former: fields.text('again') }
  const recipient = await recipientOf(deps, request, named)
  // A recipient who is gone meanwhile leaves a form in which the number is typed.
  if (recipient === 'absent' && again === null) return absent
  const serves = servesPayouts(deps, tenant, null)
  const [facts, stops] = await Promise.all([readSend(deps.sql, tenant), readStopsFor(deps.sql, tenant)])
  return sendView(request, {
    facts,
    stops,
    recipient: recipient === 'absent' ? null : recipient,
    operators: operatorCodes.filter(serves),
    key: typed === '' ? randomUUID() : typed,
    ...{ errors: again?.errors ?? [], code: again?.code ?? null },
  })
}

async function recipientOf(
  { sql }: Deps,
  { tenant }: Request,
  { entry, former }: { entry: string; former: string },
): Promise<Recipient | null | 'absent'> {
  if (entry !== '') return (await readFromBook(sql, tenant, entry)) ?? 'absent'
  if (former !== '') return (await readFromPayout(sql, tenant, former)) ?? 'absent'
  return null
}

const getSend = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/send',
  query: ['to', 'again'],
  operation: 'sendScreen',
  summary: 'The form to send money to one number',
  right: 'payouts.make',
  handle: (request, deps) => show(request, deps),
})

/** Finds the operator of the number, and asks the operators about failed payouts like this one, before anybody is asked. */
async function prepare(request: Request, deps: Deps): Promise<Making | ScreenAnswer> {
  const { sql, clock, numbers, orderKeyOf, payout_request_expiry_days: request_expiry_days } = deps
  const { tenant, fields, actor } = request
  const { to: number, amount, beneficiary } = makePayout.fields
  const entry = beneficiary.read(fields.text('beneficiary'))
  const inBook = entry ? await readFromBook(sql, tenant, entry) : null
  const written = inBook?.msisdn ?? number.read(fields.text('to')) ?? null
  const msisdn = written === null ? null : Msisdn.stored(written)
  const serves = servesPayouts(deps, tenant, msisdn)
  const send = { msisdn: written ?? '', amount: amount.read(fields.text('amount')) ?? 0 }
  const asked = msisdn === null ? [] : await askAboutSame(deps, request, [send])
  if (isAsking(asked)) {
    const text = request.say(askingWords.text)
    return show(request, deps, { errors: [{ field: 'main', text }], code: 'asking_operator' })
  }
  return {
    ...deps,
    request_expiry_days,
    serves,
    order_key: await orderKeyOf(tenant, keyOfPayout(actor.person, fields.text('key'))),
    predicted: msisdn === null ? null : await numbers.predict(tenant, msisdn, serves),
    readAlike: alikeIds(clock.now()),
    ...{ asked, ...askedFacts(asked) },
  }
}

const send = consoleAct<MakePayoutDeps & ActDeps, MadePayout, Making>(makePayout, {
  path: '/send',
  back: ({ at }) => at('/payouts'),
  prepare,
  shown: async (request, deps, content) => {
    const signed = content as unknown as Signed
    return drawQuestion(request, signed, await readQuestion(request, deps, signed))
  },
  done: ({ at }, { id, status }) => moved(at(status === 'created' ? `/payouts/${id}` : `/approvals/${id}`)),
  again(request, deps, errors, refusal) {
    // A form without its key is shown anew.
    if (errors.some(({ field }) => field === 'key')) return show(request, deps)
    return show(request, deps, { errors, code: refusal?.code ?? 'unreadable' })
  },
})

/** Reads what a person should know before they agree. */
async function readQuestion(request: Request, deps: Making, signed: Signed): Promise<QuestionFacts> {
  const { sql, clock, payoutCaps, asked } = deps
  const { tenant, fields } = request
  const { msisdn, amount, recipient } = signed
  const now = clock.now()
  // Asked once: an answer to the question does not use up another check.
  const isChecked = fields.text('name') !== '' && fields.text('again') === '' && fields.text('step_up_id') === ''
  const named = { ...recipient, name: recipient.name ?? '' }
  const destination = { kind: 'inline', msisdn: Msisdn.stored(msisdn), ...named } as const
  const [differences, alike, amounts, balances, caps, stops, checked] = await Promise.all([
    readDifferences(sql, tenant, [{ id: 'this', msisdn, amount }], now),
    readAlike(sql, tenant, { msisdn, amount }, now),
    readUsualAmounts(sql, tenant),
    readBalances(sql, tenant),
    readCapsInUse(sql, tenant, payoutCaps),
    readStopsFor(sql, tenant),
    isChecked ? deps.checkDestination({ ...tenant, merchant_active: true }, destination, (call) => call()) : null,
  ])
  const { last_sent_at, usual } = differences.get('this')!
  const largest = Math.max(0, ...amounts)
  return {
    ...{ last_sent_at, alike, usual, asked },
    largest: amounts.length > 0 && amount > largest ? { amount: largest, of: amounts.length } : null,
    name_check: checked?.kind === 'checked' ? checked.result : null,
    transfer: balances?.transfer ?? 0,
    ...{ used: caps.used, cap_day: caps.day },
    stop: stopHolding(stops, recipient.operator),
    is_down: isDown(deps, tenant, recipient.operator),
  }
}

/** Whether the operator's connector is refused calls now, as far as this process knows. */
function isDown({ registry }: Deps, tenant: Request['tenant'], operator: string | null): boolean {
  const connector = operator === null ? null : registry.connectorFor({ ...tenant, operator, direction: 'payout' })
  return connector !== null && !registry.admits(connector, '')
}

/** The screens to send money to one number. */
export const sendScreens = [getSend, send] as const
