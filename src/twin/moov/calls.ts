import type { ApiContext } from '../api.ts'
import type { Outcome } from '../rules.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { type Fields, isAdmitted, readFields, readOrder, referenceIn } from './orders.ts'
import { addressesOf, type Kind, type Settings, WALLET } from './settings.ts'
import { outcomeByNumber } from './test-numbers.ts'
import { codeOf, says, statusOf } from './words.ts'

/** The codes that were sent, by the `request-id` of their first step. */
export type SentCodes = Record<string, { transaction: string; destination: string; amount: number; tried: boolean }>

type Parts = Pick<ApiContext, 'time' | 'phones' | 'operations'> & {
  settings: Settings
  sent: SentCodes
  /** A prompt was taken, and its payer is to be asked. */
  taken: (key: { api: string; kind: string; reference: string }) => void
}

/** Digits of a code by SMS. */
const CODE_DIGITS = 6

const REFUSED = 'With which HTTP status and code the gateway refuses a call.'
const REPEATED = 'Whether a repeated request-id is refused, and how.'
const PAID = 'Whether 0 to a payout says that it was carried out: one source only.'
const CODE_PAID = 'Which request-id the payment with a code brings, what 0 to it says, and how a wrong code is refused.'
const FIRST_STEP =
  'Whether a question about prompts finds the first step of a code, and what 0 then says: no money has moved.'
const WAITING = 'The code of what has not ended.'
const FORGOTTEN = 'For how long a request-id can be asked about: the same day only, as seen in two places.'

/** A command of the gateway, as a row. `address`: the one of orders, or the one of questions about them. */
type Command = {
  readonly address: 'order' | 'ask'
  readonly answer: (parts: Parts, fields: Fields, request: TwinRequest) => TwinAnswer | Promise<TwinAnswer>
}

const ordering = (kind: Kind): Command => ({
  address: 'order',
  answer: (parts, fields, request) => order(parts, kind, fields, request),
})
const asking = (...kinds: readonly Kind[]): Command => ({
  address: 'ask',
  answer: (parts, fields, request) => ask(parts, kinds, fields, request),
})

/** The commands, by the value of `command-id`. */
const commands: Readonly<Record<string, Command>> = {
  'mror-transaction-ussd': ordering('prompt'),
  'transfer-api-transaction': ordering('transfer'),
  'process-create-mror-otp': { address: 'order', answer: sendCode },
  'process-commit-otppay': { address: 'order', answer: payWithCode },
  'process-check-mror-transaction': asking('prompt'),
  'process-check-transaction': asking('transfer', 'code'),
  'process-check-subscriber': { address: 'order', answer: subscriber },
}

const unknownCommand: Command = {
  address: 'order',
  answer: ({ settings }) =>
    says('91', settings, { unverified: 'How a command that the twin does not speak is answered.' }),
}

/** Answers the calls of the gateway: the address first, then the credentials, then the command. */
export function callsOf(parts: Parts): (request: TwinRequest) => Promise<TwinAnswer> {
  return (request) => answer(parts, request)
}

async function answer(parts: Parts, request: TwinRequest): Promise<TwinAnswer> {
  const { settings } = parts
  const named = String(request.headers['command-id'])
  const command = Object.hasOwn(commands, named) ? commands[named]! : unknownCommand
  if (request.method !== 'POST' || request.path !== addressesOf(settings)[command.address])
    return { status: 404, unverified: 'How an unknown address is answered.' }
  if (!isAdmitted(request, settings)) return says('98', settings, { unverified: REFUSED })
  const fields = readFields(request.body)
  if (fields === null) return says('91', settings, { unverified: REFUSED })
  return await command.answer(parts, fields, request)
}

/** @param code_is_right uses up the code of a payment by code */
async function order(
  { settings, operations, taken }: Parts,
  kind: Kind,
  fields: Fields,
  request: TwinRequest,
  code_is_right = () => true,
): Promise<TwinAnswer> {
  const read = readOrder(kind, fields, settings)
  if (typeof read === 'string') return says(read, settings, { unverified: REFUSED })
  const { reference, destination, amount } = read
  const about = { 'request-id': reference }
  if (kind === 'transfer' && !settings.transfers_activated)
    return says('2', settings, { ...about, unverified: REFUSED })
  const number = outcomeByNumber(kind, destination)
  const key = { api: 'moov', kind, reference }
  const direction = kind === 'transfer' ? 'payout' : 'collection'
  const submitted = await operations.submit(request, {
    ...key,
    direction,
    operator: 'moov_ci',
    amount,
    msisdn: `+${destination}`,
    payee: settings.display_name,
    wallet: WALLET,
    detail: number?.stays_unknown === true ? { stays_unknown: true } : {},
    by_number: number?.outcome ?? (kind === 'code' ? byCode(code_is_right()) : null),
    asks_later: true,
  })
  if (submitted.kind === 'refused') return says(codeOf(submitted.reason, direction, settings), settings, about)
  if (submitted.kind === 'duplicate') return says('99', settings, { ...about, unverified: REPEATED })
  const { operation } = submitted
  if (kind === 'prompt') taken(key)
  if (number?.answers_internal === true && operation.outcome === number.outcome) return says('99', settings, about)
  // On a prompt it says that the prompt was sent, and nothing about money.
  const unverified = kind === 'transfer' ? { unverified: PAID } : kind === 'code' ? { unverified: CODE_PAID } : {}
  return says('0', settings, { ...about, 'trans-id': operation.transaction, ...unverified })
}

/** The first step of a payment by code: nothing is paid, and the payer gets an SMS. */
function sendCode({ settings, sent, phones }: Parts, fields: Fields): TwinAnswer {
  const read = readOrder('code', fields, settings)
  if (typeof read === 'string') return says(read, settings, { unverified: REFUSED })
  const { reference, destination, amount } = read
  const about = { 'request-id': reference }
  if (Object.hasOwn(sent, reference)) return says('99', settings, { ...about, unverified: REPEATED })
  const transaction = `TWC.${Object.keys(sent).length + 1}`
  sent[reference] = { transaction, destination, amount, tried: false }
  phones.newCode(`+${destination}`, 'moov_ci', CODE_DIGITS)
  return says('0', settings, { ...about, 'trans-id': transaction })
}

/** The payment with a code, which has a `request-id` of its own. Each code has one try. */
async function payWithCode(parts: Parts, fields: Fields, request: TwinRequest): Promise<TwinAnswer> {
  const { settings, sent, phones } = parts
  const { module, otp, 'trans-id': transaction } = (fields['extended-data'] ?? {}) as Fields
  const code = Object.values(sent).find((one) => one.transaction === transaction && !one.tried)
  const { destination, amount } = fields
  const fits = code !== undefined && code.destination === destination && String(code.amount) === amount
  if (module !== 'MERCHOTPPAY' || !fits) return says('91', settings, { unverified: CODE_PAID })
  const use = (): boolean => phones.useCode(`+${destination}`, 'moov_ci', String(otp)) === 'right'
  const answer = await order(parts, 'code', fields, request, use)
  code.tried = true
  return answer
}

function ask(
  { settings, sent, time, operations }: Parts,
  kinds: readonly Kind[],
  fields: Fields,
  request: TwinRequest,
): TwinAnswer {
  const reference = referenceIn(fields)
  if (reference === null) return says('91', settings, { unverified: REFUSED })
  const about = { 'request-id': reference }
  if (kinds.includes('prompt') && Object.hasOwn(sent, reference))
    return says('0', settings, { ...about, 'trans-id': sent[reference]!.transaction, unverified: FIRST_STEP })
  const kind = kinds.find((one) => operations.find({ api: 'moov', kind: one, reference }) !== null) ?? kinds[0]!
  const operation = operations.read(request, { api: 'moov', kind, reference })
  if (operation === null) return says('94', settings, about)
  if (settings.forgets_at_midnight && dayOf(operation.created_at) !== dayOf(time.now()))
    return says('94', settings, { ...about, unverified: FORGOTTEN })
  const status = statusOf(operation, settings)
  const waiting = status === '100' || status === '15' ? { unverified: WAITING } : {}
  return says(status, settings, { ...about, 'trans-id': operation.transaction, ...waiting })
}

function subscriber({ settings }: Parts, fields: Fields): TwinAnswer {
  const reference = referenceIn(fields)
  if (reference === null) return says('91', settings, { unverified: REFUSED })
  const { destination } = fields
  const known = typeof destination === 'string' && /^2250[157]\d{8}$/.test(destination)
  const unverified = 'The fields of this question and of its answer.'
  return says(known ? '0' : '555', settings, { 'request-id': reference, unverified })
}

/** A payment with a right code is carried out at once; a wrong one is refused. */
function byCode(right: boolean): Outcome {
  return right ? { outcome: 'succeed', after_seconds: 0 } : { outcome: 'refuse', reason: '95' }
}

/** Abidjan keeps UTC. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
