import type { Words } from '../../values/language.ts'
import type { ConnectorContext, ConnectorType } from '../contracts/connector-type.ts'
import { compressedWords } from '../operator-api/answer-encoding.ts'
import { evidenceOf } from '../operator-api/answer-evidence.ts'
import { clockProblem, unreachable } from '../operator-api/connection-problems.ts'
import type { OperatorReply } from '../operator-api/operator-http.ts'
import {
  type Capabilities,
  type Collected,
  type Connector,
  type ConnectorBalance,
  type ConnectorCheck,
  liveInquiryPlan,
  type Order,
  type ReadOutcome,
  type ReferencePromise,
  type SendOutcome,
  type StatementPage,
  usualSilence,
} from '../port.ts'
import { createReadCallback } from './callback.ts'
import { createWaveClient, type WaveClient } from './client.ts'
import { type WaveSettings, waveLabels, waveSecrets, waveSettings } from './settings.ts'
import {
  errorIn,
  paidSessionIn,
  readBalance,
  readNameMatch,
  readTransactions,
  refundAmong,
  translateNewPayout,
  translateNewRefund,
  translateNewSession,
  translatePayout,
  translateSession,
} from './translate.ts'

/** A session moves no money until a payer pays it, and nobody has the link of a session whose answer was lost. */
const ofSessions: ReferencePromise = { same_reference: 'never_twice', not_found: { after_seconds: 10, times: 1 } }
/** Wave refunds a session once and in full, however often we ask. */
const ofRefunds: ReferencePromise = { same_reference: 'never_twice', not_found: { after_seconds: 60, times: 1 } }
/**
 * Wave carries out an Idempotency-Key once. Its search can miss a payout in the first minute. Wave does not publish for how long it remembers
 * a key: we trust it for a day.
 */
const ofPayouts: ReferencePromise = { ...ofRefunds, for_seconds: 86_400 }

const DAY_MS = 86_400_000
/** Most pages of a day's transactions that we read. */
const PAGES_MAX = 40

/** Wave's Business API: one wallet of one company. */
export const wave: ConnectorType<typeof waveSettings> = {
  type: 'wave',
  settings: waveSettings,
  labels: waveLabels,
  secrets: waveSecrets,
  addresses: ['base_url'],
  create: createWave,
  accounts: ({ api_key, aggregated_merchant_id: merchant }) => [
    merchant === undefined ? api_key : `${api_key} ${merchant}`,
  ],
  realMoneyWarning({ base_url }) {
    const real = /(?:^|\.)wave\.com$/.test(new URL(base_url).hostname)
    return real
      ? [
          'base_url est là où Wave bouge de l’argent réel, et le mode est celui de test : Wave n’a pas de bac à sable.',
          'base_url is where Wave moves real money, and the mode is test: Wave has no sandbox.',
        ]
      : null
  },
}

/** The contract, as its functions use it. */
type Wave = Pick<ConnectorContext, 'return_url' | 'now'> & {
  readonly settings: WaveSettings
  readonly client: WaveClient
  /** Whether base_url is plain http. */
  readonly plain: boolean
}

const paysOut = ({ payouts }: WaveSettings): boolean => payouts ?? true
const restrictsPayer = ({ restrict_payer }: WaveSettings): boolean => restrict_payer ?? true

/** The field that every order of an aggregator's merchant has. */
function commonOf({ aggregated_merchant_id }: WaveSettings) {
  return aggregated_merchant_id === undefined ? {} : { aggregated_merchant_id }
}

function createWave(settings: WaveSettings, { name, http, return_url, now }: ConnectorContext): Connector {
  const client = createWaveClient(settings, http, now)
  const plain = new URL(settings.base_url).protocol === 'http:'
  const contract: Wave = { settings, client, plain, return_url, now }
  const capabilities: Capabilities = {
    collect: true,
    collect_without_number: true,
    collects_from_number: restrictsPayer(settings),
    payout: paysOut(settings),
    refund: 'full',
  }
  return {
    name,
    callbacks: 'signed',
    capabilitiesOf: (operator) => (operator === 'wave_ci' ? capabilities : null),
    promises: { collect: ofSessions, payout: ofPayouts, refund: ofRefunds },
    inquiryPlan: liveInquiryPlan,
    silenceAfter: usualSilence(),
    // A session counts as lapsed ten minutes after its end. A refund is refused only in the answer to its send: later nobody can tell it from
    // another refund of the same session and amount.
    refusesForGood: ['collect', 'refund'],

    send: (order) => send(contract, order),
    read: (order) => read(contract, order),
    readCallback: createReadCallback(settings, now),
    check: () => check(contract),

    async checkRecipient({ operator, msisdn, name: holder }) {
      if (operator !== 'wave_ci' || !paysOut(settings)) return 'unknown'
      return readNameMatch(await client.verifyRecipient({ mobile: msisdn.e164, name: holder }))
    },

    // Several merchants of an aggregator share its wallet: nobody tells the part of one.
    ...(settings.aggregated_merchant_id === undefined
      ? { balance: () => balance(contract), readStatement: (day, cursor) => readStatement(contract, day, cursor) }
      : {}),
  }
}

async function send(contract: Wave, order: Order): Promise<SendOutcome> {
  if (order.operator !== 'wave_ci') return refused('the contract does not reach this operator')
  if (order.direction === 'collect') return await collect(contract, order)
  return order.direction === 'payout' ? await payOut(contract, order) : await giveBack(contract, order)
}

async function read(contract: Wave, order: Order): Promise<ReadOutcome> {
  const { client } = contract
  const { direction, reference, operator_reference } = order
  if (direction === 'refund') return await readRefund(contract, order)
  if (direction === 'payout') {
    if (operator_reference !== null) return translatePayout(await client.readPayout(operator_reference), order)
    return translatePayout(await client.searchPayouts(reference), order)
  }
  return await readCollection(contract, order)
}

async function readCollection({ client, plain }: Wave, order: Order): Promise<ReadOutcome> {
  const { reference, operator_state } = order
  const id = operator_state?.session_id
  const search = async () => translateSession(await client.searchSessions(reference), order, plain)
  if (typeof id !== 'string') return await search()
  const known = translateSession(await client.readSession(id), order, plain)
  if (known.kind === 'settled') return known
  if (order.sent_again > 0) return amongSeveral(known, await search())
  if (known.kind !== 'refused') return known
  // Our reference may have an earlier session whose record we lost, with its link in a payer's hands.
  const among = await search()
  return among.kind === 'not_found' ? known : among
}

async function balance({ client }: Wave): Promise<ConnectorBalance> {
  const amount = readBalance(await client.balance())
  if (amount === null) throw new Error('Wave did not tell the balance of the wallet.')
  return { amount, currency: 'XOF' }
}

async function readStatement({ client }: Wave, day: string, cursor: string | null): Promise<StatementPage> {
  const read = readTransactions(await client.transactions(day, cursor))
  if (read === null) throw new Error('Wave did not list the movements of the day.')
  return { rows: read.lines, next: read.next }
}

async function collect({ settings, client, plain, return_url }: Wave, order: Order): Promise<SendOutcome> {
  const { amount, currency, reference, msisdn } = order
  const back = `${return_url}/${reference}`
  const restricts = msisdn !== null && restrictsPayer(settings)
  const body = {
    amount: String(amount),
    currency,
    client_reference: reference,
    ...(restricts ? { restrict_payer_mobile: msisdn.e164 } : {}),
    success_url: back,
    error_url: back,
    ...commonOf(settings),
  }
  return translateNewSession(await client.createSession(body), order, plain)
}

async function payOut({ settings, client }: Wave, order: Order): Promise<SendOutcome> {
  const { amount, currency, reference, msisdn } = order
  const { payment_reason } = settings
  if (msisdn === null) return refused('the order has no number')
  const body = {
    currency,
    receive_amount: String(amount),
    mobile: msisdn.e164,
    client_reference: reference,
    ...(payment_reason === undefined ? {} : { payment_reason }),
    ...commonOf(settings),
  }
  return translateNewPayout(await client.createPayout(body, reference), order)
}

async function giveBack({ client }: Wave, { refund_of }: Order): Promise<SendOutcome> {
  if (refund_of === null) return refused('the order lacks its collection')
  const session = await sessionOf(refund_of, client)
  if ('reply' in session) {
    const evidence = evidenceOf(session.reply, { reason: 'the session of the collection is not known' })
    return { kind: session.reply.kind === 'not_sent' ? 'not_sent' : 'unknown', evidence }
  }
  return translateNewRefund(await client.refundSession(session.id))
}

async function readRefund(contract: Wave, order: Order): Promise<ReadOutcome> {
  const { refund_of, operator_state, sent_at, sent_ms_ago } = order
  if (refund_of === null) return { kind: 'unknown', evidence: { reason: 'the order lacks its collection' } }
  const session = await sessionOf(refund_of, contract.client)
  if ('reply' in session) return { kind: 'unknown', evidence: { reason: 'the session of the collection is not known' } }
  for (const date of daysSince(sent_at ?? contract.now(), sent_ms_ago ?? 0)) {
    const found = await refundOn(contract, date, session.id)
    if (found !== null) return found
  }
  const evidence = { reason: 'no refund of the session in the list of transactions' }
  return operator_state?.taken === true ? { kind: 'pending', evidence } : { kind: 'not_found', evidence }
}

/** The refund of a session in the list of a day. Null when the list has none. */
async function refundOn({ client }: Wave, date: string, session_id: string): Promise<ReadOutcome | null> {
  let after: string | null = null
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const reply = await client.transactions(date, after)
    const read = readTransactions(reply)
    if (read === null) return { kind: 'unknown', evidence: { reason: 'the list of transactions cannot be read' } }
    const found = refundAmong(read.lines, session_id, reply)
    if (found !== null || read.next === null) return found
    after = read.next
  }
  return { kind: 'unknown', evidence: { reason: 'the list of transactions is too long' } }
}

async function check({ settings, client, now }: Wave): Promise<ConnectorCheck> {
  const asked = await client.balance()
  if (readBalance(asked) === null) return fails(unreadable(asked))
  const clock = clockProblem(asked, now(), 'Wave', ['les signatures portent l’heure', 'signatures hold the time'])
  if (clock !== null) return fails(clock)
  // Nobody has this reference: the call only checks the permission.
  if (isForbidden(await client.searchSessions(CHECKED)))
    return fails([
      'api_key n’a pas droit aux pages de paiement : donnez-lui ce droit au portail.',
      'api_key may not use checkout sessions: give it that permission in the portal.',
    ])
  if (paysOut(settings) && isForbidden(await client.searchPayouts(CHECKED))) {
    return fails([
      'api_key n’a pas droit aux envois : donnez-lui ce droit au portail, ou mettez payouts à false.',
      'api_key may not pay out: give it that permission in the portal, or set payouts to false.',
    ])
  }
  return { kind: 'works' }
}

/**
 * Decides on an order that was sent again. It can have several sessions, and the one that we know may not be the paid one, because the search
 * hides a new session for some seconds. The order ended without money only if both answers say so.
 */
function amongSeveral(known: ReadOutcome, all: ReadOutcome): ReadOutcome {
  if (all.kind === 'settled' || known.kind !== 'refused') return all.kind === 'settled' ? all : known
  return all.kind === 'refused' ? known : { kind: 'pending', evidence: all.evidence }
}

const CHECKED = '00000000-0000-4000-8000-000000000000'

/** The session that was paid for a collection, by what we kept of it or by its reference. `reply`: Wave does not tell. */
async function sessionOf(
  { reference, operator_state }: Collected,
  client: WaveClient,
): Promise<{ id: string } | { reply: OperatorReply }> {
  const kept = operator_state?.session_id
  if (typeof kept === 'string') return { id: kept }
  const reply = await client.searchSessions(reference)
  const id = paidSessionIn(reply)
  return id === null ? { reply } : { id }
}

/** Milliseconds by which Wave's clock may be behind ours. */
const CLOCKS_DIFFER_MS = 600_000

/**
 * The days, such as 2026-03-02, on which a refund that was sent then may stand in the list. Wave's day is that of UTC, by its own clock: just
 * after our midnight it may still be the day before.
 */
function daysSince(sent_at: Date, sent_ms_ago: number): ReadonlySet<string> {
  const from = sent_at.getTime()
  const now = from + sent_ms_ago
  const times = [from - CLOCKS_DIFFER_MS, from, from + DAY_MS, now].filter((time) => time <= now)
  return new Set(times.map((time) => new Date(time).toISOString().slice(0, 10)))
}

function refused(reason: string): SendOutcome {
  return { kind: 'refused', failure_code: 'operator_configuration', evidence: { reason } }
}

function fails(problem: Words): ConnectorCheck {
  return { kind: 'fails', problem }
}

function isForbidden(reply: OperatorReply): boolean {
  return reply.kind === 'answered' && reply.status === 403
}

/** Why the balance could not be read. */
function unreadable(reply: OperatorReply): Words {
  if (reply.kind !== 'answered') return unreachable(reply)
  const compressed = compressedWords(reply)
  if (compressed !== null) return compressed
  const { status } = reply
  if (status === 200)
    return [
      'Le portefeuille de api_key n’est pas en francs : c’est celui d’un autre pays.',
      'The wallet of api_key is not one in francs: it is that of another country.',
    ]
  const { code } = errorIn(reply)
  if (status === 401 && code === 'invalid-auth') {
    return [
      'Wave n’accepte pas l’appel : api_key est fausse, ou ses appels doivent être signés avec request_signing_secret.',
      'Wave does not accept the call: api_key is wrong, or its calls have to be signed with request_signing_secret.',
    ]
  }
  if (status === 401)
    return [
      'Wave n’accepte pas api_key : elle est fausse, ou révoquée.',
      'Wave does not accept api_key: it is wrong, or it was revoked.',
    ]
  if (status === 403 && /wallet/.test(String(code)))
    return [
      'Wave a bloqué le portefeuille de api_key : demandez à Wave.',
      'Wave has blocked the wallet of api_key: ask Wave.',
    ]
  if (status === 403)
    return [
      'api_key n’a pas le droit de lire le solde : donnez-lui ce droit au portail.',
      'api_key may not read the balance: give it that permission in the portal.',
    ]
  return [
    `base_url a répondu ${status}, et pas un solde de Wave : vérifiez l’adresse.`,
    `base_url answered ${status} and no balance of Wave's: check the address.`,
  ]
}
