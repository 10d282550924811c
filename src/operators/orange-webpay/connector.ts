import type { Words } from '../../values/language.ts'
import type { ConnectorContext, ConnectorType } from '../contracts/connector-type.ts'
import { compressedWords } from '../operator-api/answer-encoding.ts'
import { objectIn } from '../operator-api/answer-words.ts'
import { unreachable } from '../operator-api/connection-problems.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import { writtenText } from '../operator-api/whole-francs.ts'
import {
  type Capabilities,
  type Connector,
  type ConnectorCheck,
  liveInquiryPlan,
  type Order,
  type ReferencePromise,
  usualSilence,
} from '../port.ts'
import { readCallback } from './callback.ts'
import { createOrangeWebpayClient } from './client.ts'
import {
  assertUsable,
  type OrangeWebpaySettings,
  orangeWebpayLabels,
  orangeWebpaySecrets,
  orangeWebpaySettings,
} from './settings.ts'
import { orderIdOf, payTokenOf, translateAnnouncement, translateStatus, translateUnreadable } from './translate.ts'

/** Most characters of an address that Orange accepts. */
const ADDRESS_MAX = 120

const capabilities: Capabilities = { collect: true, collect_without_number: true, payout: false, refund: 'none' }

/**
 * Orange refuses a used order id and then gives no page, so sending an order again is useless. An order without a known
 * page is over half an hour later.
 */
const promise: ReferencePromise = { same_reference: 'unknown', not_found: { after_seconds: 1_800, times: 3 } }

/** Orange Money Web Payment, which only collects, on a page of Orange. */
export const orangeWebpay: ConnectorType<typeof orangeWebpaySettings> = {
  type: 'orange_webpay',
  settings: orangeWebpaySettings,
  labels: orangeWebpayLabels,
  secrets: orangeWebpaySecrets,
  addresses: ['base_url', 'token_path', 'country_path'],
  create: createOrangeWebpay,
  accounts: ({ country_path, merchant_key }) => [`${country_path} ${merchant_key}`],
  realMoneyWarning({ base_url, country_path }) {
    const real = /(?:^|\.)orange\.com$/.test(new URL(base_url).hostname) && country_path !== 'dev'
    return real
      ? [
          'country_path en est un où Orange bouge de l’argent réel, et le mode est celui de test.',
          'country_path is one where Orange moves real money, and the mode is test.',
        ]
      : null
  },
}

function createOrangeWebpay(settings: OrangeWebpaySettings, context: ConnectorContext): Connector {
  const { name, livemode, http, callback_url, return_url, now } = context
  assertUsable(settings, livemode)
  const client = createOrangeWebpayClient(settings, http, now)
  const { merchant_key, country_path, lang = 'fr', reference: payee = 'Paiement' } = settings
  const plain = new URL(settings.base_url).protocol === 'http:'

  /** The body of an announcement, from the order and the settings alone. Null when Orange cannot accept the order. */
  function bodyOf({ direction, operator, reference, amount }: Order): object | null {
    const order_id = orderIdOf(reference)
    const back = `${return_url}/${reference}`
    const notif_url = `${callback_url}.${order_id}`
    const fits = [back, notif_url].every(({ length }) => length <= ADDRESS_MAX)
    if (direction !== 'collect' || operator !== 'orange_ci' || !fits) return null
    const currency = country_path === 'dev' ? 'OUV' : 'XOF'
    const addresses = { return_url: back, cancel_url: back, notif_url }
    return { merchant_key, currency, order_id, amount, ...addresses, lang, reference: payee }
  }

  return {
    name,
    callbacks: 'unsigned',
    capabilitiesOf: (operator) => (operator === 'orange_ci' ? capabilities : null),
    promises: { collect: promise, payout: promise, refund: promise },
    inquiryPlan: liveInquiryPlan,
    silenceAfter: usualSilence(),

    async send(order) {
      const body = bodyOf(order)
      if (body === null) {
        const reason = 'the contract does not offer this, or an address for it is too long'
        return { kind: 'refused', failure_code: 'operator_configuration', evidence: { reason } }
      }
      return translateAnnouncement(await client.announce(body), plain)
    },

    async read(order) {
      const pay_token = payTokenOf(order)
      if (pay_token === null) return translateUnreadable(order)
      const { reference, amount } = order
      const question = { order_id: orderIdOf(reference), amount, pay_token }
      return translateStatus(await client.readStatus(question), order)
    },

    readCallback,

    async check() {
      const longest = Math.max(`${return_url}/`.length + 36, `${callback_url}.`.length + 25)
      if (longest > ADDRESS_MAX)
        return fails([
          `Orange prend des adresses de ${ADDRESS_MAX} signes, et les nôtres en ont ${longest} : donnez au connecteur un nom plus court, ou à PUBLIC_URL un hôte plus court.`,
          `Orange takes addresses of ${ADDRESS_MAX} characters, and ours have ${longest}: give the connector a shorter name, or PUBLIC_URL a shorter host.`,
        ])
      const token = await client.token()
      if (token.kind === 'refused') return fails(tokenProblem(token.reply))
      // Asks about an order that does not exist. This proves the country and the subscription.
      const asked = await client.readStatus({ order_id: 'check', amount: 1, pay_token: 'check' })
      const problem = asked.kind === 'no_token' ? tokenProblem(asked.reply) : statusProblem(asked)
      return problem === null ? { kind: 'works', unproven: merchantKeyUnproven } : fails(problem)
    },
  }
}

const merchantKeyUnproven: Words = [
  'Aucun appel ne prouve merchant_key sans créer de paiement : le premier paiement le fera.',
  'No call proves merchant_key without creating a payment: the first payment will.',
]

function fails(problem: Words): ConnectorCheck {
  return { kind: 'fails', problem }
}

function tokenProblem(reply: OperatorReply): Words {
  if (reply.kind !== 'answered') return unreachable(reply)
  const compressed = compressedWords(reply)
  if (compressed !== null) return compressed
  if ([400, 401, 403].includes(reply.status))
    return [
      'Orange n’accepte pas client_id avec client_secret : l’un des deux est faux, ou d’une autre application.',
      'Orange does not accept client_id with client_secret: one of them is wrong, or of another application.',
    ]
  return [
    `base_url a répondu ${reply.status} sans jeton : vérifiez l’adresse et token_path.`,
    `base_url answered ${reply.status} and no token: check the address and token_path.`,
  ]
}

function statusProblem(reply: OperatorReply): Words | null {
  if (reply.kind !== 'answered') return unreachable(reply)
  const compressed = compressedWords(reply)
  if (compressed !== null) return compressed
  const { status } = reply
  if (status === 401)
    return [
      'Orange a donné un jeton et ne l’accepte pas ici : country_path n’est pas celui de ces identifiants, dev ou ci.',
      'Orange gave a token and does not accept it here: country_path is not that of these credentials, dev or ci.',
    ]
  if (status === 403)
    return [
      'Orange interdit les paiements en ligne à cette application : abonnez-la à Orange Money Web Payment.',
      'Orange forbids web payments to this application: subscribe it to Orange Money Web Payment.',
    ]
  if (status === 429 || status >= 500)
    return [
      `Orange a donné un jeton et répondu ${status} à une question : réessayez plus tard.`,
      `Orange gave a token and answered ${status} to a question: try again later.`,
    ]
  // Nobody could verify how Orange answers about an order that it does not know. Its own answers have one of the two.
  const body = objectIn(reply.json)
  return writtenText(body?.code) !== null || writtenText(body?.status) !== null
    ? null
    : [
        `Orange a donné un jeton et répondu ${status} à une question, sans ses propres mots : vérifiez base_url.`,
        `Orange gave a token and answered ${status} to a question, without words of its own: check base_url.`,
      ]
}
