import type { Words } from '../../values/language.ts'
import { type ConnectorContext, type ConnectorType, SettingsError } from '../contracts/connector-type.ts'
import { compressedWords } from '../operator-api/answer-encoding.ts'
import { objectIn } from '../operator-api/answer-words.ts'
import { clockProblem, unreachable } from '../operator-api/connection-problems.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import {
  type Bounds,
  type Connector,
  type ConnectorCheck,
  liveInquiryPlan,
  type NextAction,
  type Order,
  type ReferencePromise,
  type SendOutcome,
  usualSilence,
} from '../port.ts'
import { createReadCallback } from './callback.ts'
import { createPawapayClient, type OperationKind, type PawapayClient } from './client.ts'
import { type PawapaySettings, pawapayLabels, pawapaySecrets, pawapaySettings, providersOf } from './settings.ts'
import {
  type Configuration,
  failureCodeIn,
  operationTypes,
  type ProviderTerms,
  readBalance,
  readConfiguration,
  translateInitiation,
  translateOperation,
} from './translate.ts'

/** pawaPay documents that it ignores a repeated id, and that NOT_FOUND shortly after the send proves that the order never arrived. */
const promise: ReferencePromise = { same_reference: 'never_twice', not_found: { after_seconds: 10, times: 1 } }

const kinds: Readonly<Record<Order['direction'], OperationKind>> = {
  collect: 'deposit',
  payout: 'payout',
  refund: 'refund',
}

/** Milliseconds after which we read the account's configuration again, and between two failed attempts. */
const CONFIGURATION_AGE_MS = 600_000
const CONFIGURATION_PAUSE_MS = 30_000

/** pawaPay's Merchant API v2: one account reaches MTN, Orange and Wave of Côte d'Ivoire. */
export const pawapay: ConnectorType<typeof pawapaySettings> = {
  type: 'pawapay',
  settings: pawapaySettings,
  labels: pawapayLabels,
  secrets: pawapaySecrets,
  addresses: ['base_url'],
  create: createPawapay,
  accounts: ({ api_token }) => [api_token],
  realMoneyWarning: ({ base_url }) =>
    environmentOf(base_url) === 'production'
      ? [
          'base_url est là où pawaPay bouge de l’argent réel, et le mode est celui de test.',
          'base_url is where pawaPay moves real money, and the mode is test.',
        ]
      : null,
}

/** The environment of pawaPay at an address. Null for another address, such as that of the twin. */
function environmentOf(base_url: string): 'sandbox' | 'production' | null {
  const { hostname } = new URL(base_url)
  if (!/(?:^|\.)pawapay\.(?:io|cloud)$/.test(hostname)) return null
  return hostname.includes('sandbox') ? 'sandbox' : 'production'
}

/** The contract, as its functions use it. */
type Pawapay = Pick<ConnectorContext, 'callback_url' | 'return_url' | 'now'> & {
  readonly settings: PawapaySettings
  readonly client: PawapayClient
  readonly providers: ReturnType<typeof providersOf>
  /** Whether callbacks must be signed. */
  readonly required: boolean
  /** The terms of the account, as far as they are known. */
  readonly termsOf: (operator: string | null, direction: Order['direction']) => ProviderTerms | null
}

function createPawapay(settings: PawapaySettings, context: ConnectorContext): Connector {
  const { name, http, callback_url, return_url, now } = context
  const providers = providersOf(settings)
  assertUsable(settings, context, providers)
  const client = createPawapayClient(settings, http, now)
  const required = settings.require_signed_callbacks ?? true
  const plain = new URL(settings.base_url).protocol === 'http:'
  const known = rememberConfiguration(client.activeConfiguration, now)
  const termsOf: Pawapay['termsOf'] = (operator, direction) =>
    known()?.terms.get(`${providers.get(operator ?? '')} ${operationTypes[direction]}`) ?? null
  const contract: Pawapay = { settings, client, providers, required, termsOf, callback_url, return_url, now }
  return {
    name,
    callbacks: required ? 'signed' : 'unsigned',
    capabilitiesOf: (operator) =>
      providers.has(operator ?? '')
        ? { collect: true, collect_without_number: false, payout: true, refund: 'partial' }
        : null,
    boundsOf: (operator, direction): Bounds | null => termsOf(operator, direction)?.bounds ?? null,
    promises: { collect: promise, payout: promise, refund: promise },
    refundsInTurn: true,
    inquiryPlan: liveInquiryPlan,
    silenceAfter: usualSilence(),

    send: (order) => send(contract, order),

    async read(order) {
      return translateOperation(await client.readOperation(kinds[order.direction], order.reference), order, plain)
    },

    readCallback: createReadCallback({ callback_url, required, fetchKeys: client.publicKeys, now }),

    check: () => check(contract),

    async balance() {
      const amount = readBalance(await client.walletBalances())
      if (amount === null) throw new Error('pawaPay did not tell the balance of the wallet of Côte d’Ivoire.')
      return { amount, currency: 'XOF' }
    },
  }
}

/** @throws SettingsError for settings with which no order can go the way that the mode promises */
function assertUsable(
  { base_url }: PawapaySettings,
  { livemode }: ConnectorContext,
  providers: Pawapay['providers'],
): void {
  if (livemode && environmentOf(base_url) === 'sandbox')
    throw new SettingsError('base_url', [
      'base_url est celle du bac à sable de pawaPay, où aucun argent ne bouge, et le mode est réel.',
      "base_url is that of pawaPay's sandbox, where no money moves, and the mode is live.",
    ])
  if (providers.size === 0)
    throw new SettingsError('provider.mtn_ci', [
      'Un provider.… au moins doit être autre que none.',
      'At least one provider.… must be other than none.',
    ])
}

/** The body of an initiation, from the order and the settings alone. Null when the order has no number or no known provider. */
function bodyOf({ settings, providers, return_url }: Pawapay, order: Order): object | null {
  const amount = { amount: String(order.amount), currency: order.currency }
  const { reference, direction, refund_of, msisdn } = order
  if (direction === 'refund') {
    return refund_of === null ? null : { refundId: reference, depositId: refund_of.reference, ...amount }
  }
  const provider = providers.get(order.operator ?? '')
  if (provider === undefined || msisdn === null) return null
  const account = { type: 'MMO', accountDetails: { phoneNumber: msisdn.e164.slice(1), provider } }
  const { customer_message } = settings
  const message = customer_message === undefined ? {} : { customerMessage: customer_message }
  if (direction === 'payout') return { payoutId: reference, ...amount, recipient: account, ...message }
  const back = `${return_url}/${reference}`
  const pages = leadsToPage(order) ? { successfulUrl: back, failedUrl: back } : {}
  return { depositId: reference, ...amount, payer: account, ...message, ...pages }
}

async function send(contract: Pawapay, order: Order): Promise<SendOutcome> {
  const body = bodyOf(contract, order)
  if (body === null) {
    const reason = 'the contract does not reach this operator, or the order lacks a number or its collection'
    return { kind: 'refused', failure_code: 'operator_configuration', evidence: { reason } }
  }
  const prompt =
    order.direction === 'collect' && !leadsToPage(order)
      ? promptOf(contract.termsOf(order.operator, 'collect')?.dial ?? null)
      : null
  return translateInitiation(await contract.client.initiate(kinds[order.direction], body), order, prompt)
}

async function check({ settings, client, callback_url, required, now }: Pawapay): Promise<ConnectorCheck> {
  const asked = await client.activeConfiguration()
  const configuration = readConfiguration(asked)
  if (configuration === null) return fails(unreadable(asked))
  const problem =
    clockProblem(asked, now(), 'pawaPay', ['les signatures portent l’heure', 'signatures hold the time']) ??
    configurationProblem(configuration, { settings, callback_url, required })
  if (problem !== null) return fails(problem)
  const balances = await client.walletBalances()
  if (readBalance(balances) !== null) return { kind: 'works' }
  return fails([
    'Le compte n’a pas de portefeuille en XOF en Côte d’Ivoire, ou le jeton ne peut pas le lire : demandez à pawaPay.',
    'The account has no wallet for XOF in Côte d’Ivoire, or the token may not read it: ask pawaPay.',
  ])
}

/** Payers of Wave approve on a page, whose address comes later. The others get a prompt on the phone. */
function leadsToPage({ operator }: Order): boolean {
  return operator === 'wave_ci'
}

/** The payer's next step with a prompt. @param dial the code that calls the prompt; null: none does */
function promptOf(dial: ProviderTerms['dial']): NextAction {
  const type = 'approve_on_phone'
  const message = 'The payer approves on the phone.'
  if (dial === null) return { type, message }
  const { code: dial_code, prompted } = dial
  return prompted
    ? { type, dial_code, prompted, message: `${message} ${dial_code} brings the prompt back.` }
    : { type, dial_code, message: `The payer dials ${dial_code} and approves.` }
}

/** The last configuration of the account. We read it again in the background, so that no caller waits. */
function rememberConfiguration(ask: () => Promise<OperatorReply>, now: () => Date): () => Configuration | null {
  let configuration: Configuration | null = null
  let next_at = 0
  return () => {
    const time = now().getTime()
    if (time >= next_at) {
      next_at = time + CONFIGURATION_PAUSE_MS
      void ask().then((reply) => {
        const read = readConfiguration(reply)
        if (read === null) return
        configuration = read
        next_at = time + CONFIGURATION_AGE_MS
      })
    }
    return configuration
  }
}

function fails(problem: Words): ConnectorCheck {
  return { kind: 'fails', problem }
}

/** The reason why we could not read the configuration, as a sentence. */
function unreadable(reply: OperatorReply): Words {
  if (reply.kind !== 'answered') return unreachable(reply)
  const compressed = compressedWords(reply)
  if (compressed !== null) return compressed
  const body = objectIn(reply.json)
  const code = body === null ? undefined : failureCodeIn(body)
  if (code === 'AUTHORISATION_ERROR') {
    return [
      'pawaPay connaît api_token et ne permet pas cet appel : vérifiez les droits du jeton et les adresses d’où il peut venir.',
      'pawaPay knows api_token and does not allow this call: check the rights of the token and the addresses it may come from.',
    ]
  }
  if (reply.status === 401 || reply.status === 403) {
    return [
      'pawaPay n’accepte pas api_token : il est faux, ou de l’autre environnement, bac à sable ou production.',
      'pawaPay does not accept api_token: it is wrong, or it is that of the other environment, sandbox or production.',
    ]
  }
  return [
    `base_url a répondu ${reply.status}, et pas une configuration de pawaPay : vérifiez l’adresse.`,
    `base_url answered ${reply.status} and no configuration of pawaPay's: check the address.`,
  ]
}

function configurationProblem(
  { signed_requests_only, signed_callbacks, terms }: Configuration,
  { settings, callback_url, required }: { settings: PawapaySettings; callback_url: string; required: boolean },
): Words | null {
  if (signed_requests_only && settings.signing_private_key === undefined) {
    return [
      'Le compte ne prend que des demandes signées : donnez signing_key_id et signing_private_key.',
      'The account takes signed requests only: set signing_key_id and signing_private_key.',
    ]
  }
  if (signed_callbacks !== required) {
    return signed_callbacks
      ? [
          'Le compte signe ses appels : mettez require_signed_callbacks à true.',
          'The account signs its callbacks: set require_signed_callbacks to true.',
        ]
      : [
          'Le compte ne signe pas ses appels : activez cela au tableau de bord, ou mettez require_signed_callbacks à false.',
          'The account does not sign its callbacks: turn that on in the dashboard, or set require_signed_callbacks to false.',
        ]
  }
  for (const [operator, provider] of providersOf(settings)) {
    const found = Object.values(operationTypes).flatMap((type) => terms.get(`${provider} ${type}`) ?? [])
    if (found.length === 0) {
      return [
        `Le compte n’a pas de fournisseur ${provider} pour les francs : mettez provider.${operator} à un autre, ou à none.`,
        `The account has no provider ${provider} for francs: set provider.${operator} to another, or to none.`,
      ]
    }
    const elsewhere = found.find((one) => one.callback_url !== null && one.callback_url !== callback_url)
    if (elsewhere !== undefined) {
      return [
        `Au tableau de bord, pawaPay appelle une autre adresse pour ${provider} : mettez ${callback_url} pour toutes les opérations.`,
        `The dashboard has pawaPay call another address for ${provider}: set it to ${callback_url} for all operations.`,
      ]
    }
  }
  return null
}
