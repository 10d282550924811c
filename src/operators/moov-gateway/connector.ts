import type { Words } from '../../values/language.ts'
import type { Secret } from '../../values/secret.ts'
import type { ConnectorContext, ConnectorType } from '../contracts/connector-type.ts'
import { compressedWords } from '../operator-api/answer-encoding.ts'
import { objectIn } from '../operator-api/answer-words.ts'
import { unreachable } from '../operator-api/connection-problems.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import {
  type Capabilities,
  type Connector,
  type ConnectorCheck,
  liveInquiryPlan,
  type NextAction,
  type Order,
  promisesNothing,
  type ReadOutcome,
  type SendOutcome,
  usualSilence,
} from '../port.ts'
import { readCallback } from './callback.ts'
import { createMoovGatewayClient, type Kind, type MoovGatewayClient } from './client.ts'
import {
  assertUsable,
  type MoovGatewaySettings,
  moovGatewayLabels,
  moovGatewaySecrets,
  moovGatewaySettings,
  walletOf,
} from './settings.ts'
import {
  byCode,
  codeIn,
  codeOrderOf,
  codePaymentOf,
  isByCode,
  translateCodeOrder,
  translateCodePayment,
  translateLostCodeOrder,
  translateOperation,
  translateOrder,
} from './translate.ts'

const MINUTE = 60_000

/**
 * Moov answers about an order only on the day of the order. So after a quarter of an hour we ask every 10 minutes until the end of that
 * day.
 */
const inquiryPlan: readonly number[] = [
  ...liveInquiryPlan.filter((pause) => pause <= MINUTE),
  ...Array.from({ length: 143 }, () => 10 * MINUTE),
  1440 * MINUTE,
]

/** A reference that no order has. A check asks about it. */
const NO_ORDER = 'connection-check'

/** Moov Money through its JSON gateway: prompts or codes to collect, and payouts. Moov promises nothing about references. */
export const moovGateway: ConnectorType<typeof moovGatewaySettings> = {
  type: 'moov_gateway',
  settings: moovGatewaySettings,
  labels: moovGatewayLabels,
  secrets: moovGatewaySecrets,
  addresses: ['base_url', 'path', 'read_path'],
  create: createMoovGateway,
  accounts: ({ user }) => [user],
}

/** The contract, as its functions use it. */
type Contract = {
  readonly settings: MoovGatewaySettings
  readonly client: MoovGatewayClient
  readonly platform: NonNullable<MoovGatewaySettings['platform']> | 'unknown'
  readonly wallet: ReturnType<typeof walletOf>
}

function createMoovGateway(settings: MoovGatewaySettings, { name, http }: ConnectorContext): Connector {
  assertUsable(settings)
  const { platform = 'unknown', collection = 'prompt', payout = 'none' } = settings
  const client = createMoovGatewayClient(settings, http)
  const contract: Contract = { settings, client, platform, wallet: walletOf(settings) }
  const capabilities: Capabilities = {
    collect: collection !== 'none',
    collect_without_number: false,
    payout: payout !== 'none',
    refund: 'none',
  }
  return {
    name,
    callbacks: 'none',
    capabilitiesOf: (operator) => (operator === 'moov_ci' ? capabilities : null),
    promises: { collect: promisesNothing, payout: promisesNothing, refund: promisesNothing },
    inquiryPlan,
    silenceAfter: usualSilence(),
    stateBeforeSend({ direction }) {
      return direction === 'collect' && collection === 'code' ? byCode : null
    },
    send: (order) => send(contract, order),
    submitCode: (order, code) => submitCode(contract, order, code),
    read: (order) => read(contract, order),
    readCallback,
    check: () => check(contract),
  }
}

/** The kinds of orders that the contract offers. */
function kindsOf({ collection = 'prompt', payout = 'none' }: MoovGatewaySettings): readonly Kind[] {
  return [...(collection === 'none' ? [] : [collection]), ...(payout === 'none' ? [] : (['transfer'] as const))]
}

/** The kind of an order when it began. Null: the contract does not offer it, or no longer. */
function kindOf(settings: MoovGatewaySettings, order: Order): Kind | null {
  if (order.operator !== 'moov_ci' || order.direction === 'refund') return null
  const kind = order.direction === 'payout' ? 'transfer' : isByCode(order) ? 'code' : 'prompt'
  return kindsOf(settings).includes(kind) ? kind : null
}

function onPhone({ dial_code }: MoovGatewaySettings): NextAction {
  return {
    type: 'approve_on_phone',
    ...(dial_code === undefined ? {} : { dial_code, prompted: true }),
    message: 'The payer approves on the phone.',
  }
}

const typed: NextAction = {
  type: 'enter_code',
  message: 'The payer receives a code by SMS and types it.',
}

/** The body of an order, from the order and the settings alone. */
function bodyOf(
  { settings: { message = 'Paiement' }, wallet }: Contract,
  kind: Kind,
  id: string,
  amount: number,
  destination: string,
  extended: object = {},
): object {
  return {
    'request-id': id,
    ...(kind === 'transfer' && wallet !== null ? { 'command-id': 'WCASH', ...wallet } : {}),
    destination,
    amount: String(amount),
    remarks: message,
    message,
    'extended-data': extended,
  }
}

async function send(contract: Contract, order: Order): Promise<SendOutcome> {
  const { settings, client, platform } = contract
  const { reference, amount, msisdn } = order
  const kind = kindOf(settings, order)
  if (kind === null || msisdn === null) {
    const reason = 'the contract does not offer this, or the order lacks a number'
    return { kind: 'refused', failure_code: 'operator_configuration', evidence: { reason } }
  }
  const id = kind === 'code' ? codeOrderOf(reference) : reference
  const reply = await client.create(kind, bodyOf(contract, kind, id, amount, msisdn.e164.slice(1)))
  if (kind === 'code') return translateCodeOrder(reply, order, platform, typed)
  return translateOrder(reply, order, platform, kind === 'prompt' ? onPhone(settings) : null)
}

async function submitCode(contract: Contract, order: Order, code: Secret): Promise<ReadOutcome> {
  const { reference, operator_reference, amount, msisdn } = order
  const extended = { module: 'MERCHOTPPAY', otp: code.reveal(), 'trans-id': operator_reference }
  const body = bodyOf(contract, 'code', codePaymentOf(reference), amount, msisdn!.e164.slice(1), extended)
  return translateCodePayment(await contract.client.payWithCode(body), order, contract.platform)
}

async function read({ client, platform }: Contract, order: Order): Promise<ReadOutcome> {
  // An order can be asked about even if the contract offers its kind no longer.
  if (isByCode(order)) {
    const lost = order.operator_reference === null ? translateLostCodeOrder(order) : null
    if (lost?.kind === 'unknown') return lost
    const id = codePaymentOf(order.reference)
    const outcome = translateOperation(await client.readOrder('code', id), order, platform, id)
    return lost !== null && outcome.kind === 'not_found' ? lost : outcome
  }
  const reply = await client.readOrder(order.direction === 'collect' ? 'prompt' : 'transfer', order.reference)
  return translateOperation(reply, order, platform)
}

async function check({ settings, client }: Contract): Promise<ConnectorCheck> {
  for (const kind of kindsOf(settings)) {
    const problem = problemOf(await client.readOrder(kind, NO_ORDER))
    if (problem !== null) return { kind: 'fails', problem }
  }
  return { kind: 'works' }
}

const notAllowed: Words = [
  'Moov ne permet pas à cet utilisateur de demander où en sont les ordres : demandez à Moov si la consultation est activée.',
  'Moov does not allow this user to ask about orders: ask Moov whether look-up is active.',
]

/** The codes that refuse a check, by the table of the older platform. */
const refusedCalls: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['1', notAllowed],
  ['2', notAllowed],
  ['4', notAllowed],
  [
    '91',
    [
      'Moov ne lit pas ce qui est demandé à read_path : vérifiez path, read_path et platform.',
      'Moov does not read what was asked at read_path: check path, read_path and platform.',
    ],
  ],
  [
    '98',
    [
      'Moov n’accepte pas user avec password : l’un des deux est faux, ou authorization ou hash ne sont pas ceux du contrat.',
      'Moov does not accept user with password: one of them is wrong, or authorization or hash is not that of the contract.',
    ],
  ],
])

/** A sentence about the first problem of the settings. Null when the gateway answered in its own words. */
function problemOf(reply: OperatorReply): Words | null {
  if (reply.kind !== 'answered') return unreachable(reply)
  const compressed = compressedWords(reply)
  if (compressed !== null) return compressed
  if (reply.status === 401)
    return [
      'Moov a répondu 401 : user, password ou authorization est faux, ou hash n’est pas celui du contrat.',
      'Moov answered 401: user, password or authorization is wrong, or hash is not that of the contract.',
    ]
  if (reply.status === 403)
    return [
      'Moov interdit cette machine : déclarez son adresse à Moov.',
      'Moov forbids this machine: declare its address to Moov.',
    ]
  const body = reply.status === 200 ? objectIn(reply.json) : null
  const code = body === null ? null : codeIn(body)
  if (code === null)
    return [
      `La passerelle de Moov ne répond pas à read_path (HTTP ${reply.status}) : vérifiez base_url, path et read_path.`,
      `Moov's gateway does not answer at read_path (HTTP ${reply.status}): check base_url, path and read_path.`,
    ]
  return refusedCalls.get(code) ?? null
}
