import type { Words } from '../../values/language.ts'
import type { ConnectorContext, ConnectorType } from '../contracts/connector-type.ts'
import { compressedWords } from '../operator-api/answer-encoding.ts'
import { objectIn } from '../operator-api/answer-words.ts'
import { compareNames } from '../operator-api/compare-names.ts'
import { clockProblem, unreachable } from '../operator-api/connection-problems.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import {
  type Capabilities,
  type Connector,
  liveInquiryPlan,
  type NextAction,
  type Order,
  type ReferencePromise,
  usualSilence,
} from '../port.ts'
import { readCallback } from './callback.ts'
import { createMtnMomoClient, type MtnMomoClient, type OrderPath, orderPaths } from './client.ts'
import {
  assertUsable,
  keysOf,
  type MtnMomoSettings,
  mtnMomoLabels,
  mtnMomoSecrets,
  mtnMomoSettings,
  type Product,
  products,
  type SubscriptionKeyName,
  subscriptionKeys,
} from './settings.ts'
import { holderIn, readBalance, refusesKey, translateOperation, translateOrder } from './translate.ts'

/** MTN documents that it accepts a reference once and answers 409 to a repeated one. Others measured this on its sandbox. */
const promise: ReferencePromise = { same_reference: 'never_twice', not_found: { after_seconds: 10, times: 1 } }

const paths: Readonly<Record<Order['direction'], OrderPath>> = {
  collect: 'requesttopay',
  payout: 'transfer',
  refund: 'refund',
}

/** MTN's MoMo Open API, with the products Collection and Disbursement. */
export const mtnMomo: ConnectorType<typeof mtnMomoSettings> = {
  type: 'mtn_momo',
  settings: mtnMomoSettings,
  labels: mtnMomoLabels,
  secrets: mtnMomoSecrets,
  addresses: ['base_url'],
  create: createMtnMomo,
  accounts: (settings) =>
    products.flatMap((product) => {
      const keys = keysOf(settings, product)
      return keys === null ? [] : [`${settings.target_environment} ${keys.api_user.toLowerCase()}`]
    }),
  realMoneyWarning({ base_url, target_environment }) {
    const isMtn = /(?:^|\.)(?:momodeveloper|momoapi)\.mtn\.com$/.test(new URL(base_url).hostname)
    return isMtn && target_environment !== 'sandbox'
      ? [
          'target_environment en est un où MTN bouge de l’argent réel, et le mode est celui de test.',
          'target_environment is one where MTN moves real money, and the mode is test.',
        ]
      : null
  },
}

function createMtnMomo(settings: MtnMomoSettings, context: ConnectorContext): Connector {
  assertUsable(settings, context.livemode)
  const client = createMtnMomoClient(settings, context)
  const { currency = 'XOF', message = 'Paiement' } = settings
  const has = (product: Product) => keysOf(settings, product) !== null
  const capabilities: Capabilities = {
    collect: has('collection'),
    collect_without_number: false,
    payout: has('disbursement'),
    refund: has('disbursement') ? (settings.refund ?? 'full') : 'none',
  }

  /** The body of an order, from the order and the settings alone. Null when the order has no number, or no collection to refund. */
  function bodyOf({ direction, operator, reference, amount, msisdn, refund_of }: Order): object | null {
    if (operator !== 'mtn_ci' || !has(orderPaths[paths[direction]])) return null
    const common = {
      amount: String(amount),
      currency,
      // MTN does not check that this is unique, but returns it in every callback.
      externalId: reference,
      payerMessage: message,
      payeeNote: message,
    }
    if (direction === 'refund')
      return refund_of === null ? null : { ...common, referenceIdToRefund: refund_of.reference }
    if (msisdn === null) return null
    const party = { partyIdType: 'MSISDN', partyId: msisdn.e164.slice(1) }
    return { ...common, ...(direction === 'collect' ? { payer: party } : { payee: party }) }
  }

  return {
    name: context.name,
    callbacks: settings.send_callback_url === false ? 'none' : 'unsigned',
    capabilitiesOf: (operator) => (operator === 'mtn_ci' ? capabilities : null),
    promises: { collect: promise, payout: promise, refund: promise },
    inquiryPlan: liveInquiryPlan,
    silenceAfter: usualSilence(),

    async send(order) {
      const body = bodyOf(order)
      if (body === null) {
        const reason = 'the contract does not offer this, or the order lacks a number or its collection'
        return { kind: 'refused', failure_code: 'operator_configuration', evidence: { reason } }
      }
      const prompt = order.direction === 'collect' ? onPhone : null
      return translateOrder(await client.create(paths[order.direction], order.reference, body), prompt)
    },

    async read(order) {
      const path = paths[order.direction]
      if (!has(orderPaths[path])) return { kind: 'unknown', evidence: { reason: 'the contract has no keys for this' } }
      return translateOperation(await client.readOrder(path, order.reference), order, currency)
    },

    readCallback,

    async check() {
      for (const product of products.filter(has)) {
        const problem = await productProblem(product, client, { settings, context })
        if (problem !== null) return { kind: 'fails', problem }
      }
      return { kind: 'works' }
    },

    async checkRecipient({ operator, msisdn, name }) {
      if (operator !== 'mtn_ci' || !has('disbursement')) return 'unknown'
      const holder = holderIn(await client.accountHolder(msisdn.e164.slice(1)))
      return holder === null ? 'unknown' : compareNames(name, holder)
    },

    async balance() {
      const read = readBalance(await client.balance(has('disbursement') ? 'disbursement' : 'collection'))
      if (read === null) throw new Error('MTN did not tell the balance.')
      return { amount: read.amount, currency: read.currency === currency ? 'XOF' : read.currency }
    },
  }
}

const onPhone: NextAction = { type: 'approve_on_phone', message: 'The payer approves on the phone.' }

/** A sentence about the first problem of a product. Null when there is none. */
async function productProblem(
  product: Product,
  client: MtnMomoClient,
  { settings, context }: { settings: MtnMomoSettings; context: ConnectorContext },
): Promise<Words | null> {
  const token = await client.token(product)
  if (token.kind === 'refused') return tokenProblem(product, token.reply)
  const asked = await client.balance(product)
  if (asked.kind === 'no_token') return tokenProblem(product, asked.reply)
  const clock = clockProblem(asked, context.now(), 'MTN', ['la fin des jetons en dépend', 'tokens end by it'])
  if (clock !== null) return clock
  const balance = readBalance(asked)
  if (balance === null) return balanceProblem(product, asked)
  const { currency = 'XOF', target_environment, send_callback_url = true } = settings
  if (balance.currency !== currency)
    return [
      `MTN tient ce contrat en ${balance.currency}, et currency est ${currency} : réglez-la, ou corrigez target_environment.`,
      `MTN keeps this contract in ${balance.currency} and currency is ${currency}: set it, or correct target_environment.`,
    ]
  const key = await refusedKey(product, client, settings)
  if (key !== null) return keyProblem(product, key)
  if (target_environment !== 'sandbox' || !send_callback_url) return null
  return hostProblem(product, await client.apiUser(product), new URL(context.callback_url).hostname)
}

/** The key that MTN refuses, of a pair of which it accepts the other. Null when there is none. */
async function refusedKey(
  product: Product,
  client: MtnMomoClient,
  settings: MtnMomoSettings,
): Promise<SubscriptionKeyName | null> {
  const pair = subscriptionKeys.filter((name) => settings[`${product}.${name}`] !== undefined)
  if (pair.length < 2) return null
  for (const name of pair) if (await client.refusesKey(product, name)) return name
  return null
}

function keyProblem(product: Product, name: SubscriptionKeyName): Words {
  return [
    `MTN n’accepte pas ${product}.${name}, mais bien l’autre clé de la paire : donnez celle qui l’a remplacée.`,
    `MTN does not accept ${product}.${name}, and accepts the other key of the pair: set the one that replaced it.`,
  ]
}

function tokenProblem(product: Product, reply: OperatorReply): Words {
  if (reply.kind !== 'answered') return unreachable(reply)
  const compressed = compressedWords(reply)
  if (compressed !== null) return compressed
  const { code } = objectIn(reply.json) ?? {}
  if (code === 'NOT_ALLOWED_TARGET_ENVIRONMENT')
    return [
      `${product}.api_user est d’un autre produit ou d’un autre environnement : créez un utilisateur avec ${product}.subscription_key.`,
      `${product}.api_user belongs to another product or another environment: make a user with ${product}.subscription_key.`,
    ]
  if (refusesKey(reply))
    return [
      `MTN n’accepte pas ${product}.subscription_key : elle est fausse, ou d’un autre produit ou environnement.`,
      `MTN does not accept ${product}.subscription_key: it is wrong, or it is that of another product or environment.`,
    ]
  if (reply.status === 401)
    return [
      `MTN n’accepte pas ${product}.api_user avec ${product}.api_key : l’un des deux est faux, ou de l’autre environnement.`,
      `MTN does not accept ${product}.api_user with ${product}.api_key: one of them is wrong, or of the other environment.`,
    ]
  if (reply.status === 403) return addressProblem(product)
  return [
    `base_url a répondu ${reply.status} sans jeton pour ${product} : vérifiez l’adresse.`,
    `base_url answered ${reply.status} and no token for ${product}: check the address.`,
  ]
}

function balanceProblem(product: Product, reply: OperatorReply): Words {
  if (reply.kind !== 'answered') return unreachable(reply)
  const compressed = compressedWords(reply)
  if (compressed !== null) return compressed
  if (objectIn(reply.json)?.code === 'NOT_ALLOWED_TARGET_ENVIRONMENT')
    return [
      'target_environment n’est pas l’environnement de ces clés : mettez celui du contrat.',
      'target_environment is not the environment of these keys: set it to the one of the contract.',
    ]
  if (reply.status === 403) return addressProblem(product)
  return [
    `MTN a donné un jeton pour ${product} et répondu ${reply.status} sur son solde : demandez à MTN si le produit est activé.`,
    `MTN gave a token for ${product} and answered ${reply.status} to its balance: ask MTN whether the product is active.`,
  ]
}

function addressProblem(product: Product): Words {
  return [
    `MTN interdit ${product} depuis cette machine : déclarez son adresse à MTN, et demandez si le produit est activé.`,
    `MTN forbids ${product} from this machine: declare its address to MTN, and ask whether the product is active.`,
  ]
}

/** Every payment fails if the callback's host is not that of the API user. Only the sandbox tells this host. */
function hostProblem(product: Product, reply: OperatorReply, host: string): Words | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const registered = body?.providerCallbackHost
  if (typeof registered !== 'string' || registered === '' || registered.toLowerCase() === host) return null
  return [
    `${product}.api_user ne peut être rappelé que sur un autre hôte que ${host} : créez un utilisateur pour celui-ci, ou mettez send_callback_url à false.`,
    `${product}.api_user may be called back at another host than ${host}: make a new user for it, or set send_callback_url to false.`,
  ]
}
