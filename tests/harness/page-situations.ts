import type {
  AttemptFacts,
  LinkFacts,
  PageRefusal,
  Receipt,
  SessionFacts,
  Verification,
  View,
  ViewContext,
} from '../../src/checkout/page/facts.ts'
import { pageRefusalStatuses } from '../../src/checkout/page/facts.ts'
import { pageViews } from '../../src/checkout/page/views.ts'
import { type FailureCode, failureMessages } from '../../src/values/failure-codes.ts'
import type { Language } from '../../src/values/language.ts'
import { discPng } from './pictures.ts'
import { tillSituations } from './till-situations.ts'

// Every page of the hosted checkout, made from facts, so that tests can check each without a whole payment.

/** One page in both languages. `name` is also the name of its picture. */
export type PageSituation = { name: string; render: (language: Language) => View }

const token = 'k3q9v7m2x8c4w6z1t5b0n3r7y2h6d8f0g4j1s5a9'

export function contextOf(language: Language, more: Partial<ViewContext> = {}): ViewContext {
  return {
    language,
    in_language: { fr: `/pay/${token}?lang=fr`, en: `/pay/${token}?lang=en` },
    brand_name: 'Bandama',
    still: false,
    other_number: false,
    handheld: false,
    refusal: null,
    wrong_address: false,
    typed: {},
    request_id: '6f1f4b0e-58a9-4f5b-b1a6-0d4f7e4f2a11',
    ...more,
  }
}

const offer = {
  brand_name: 'Bandama',
  merchant_name: 'Librairie du Plateau',
  merchant_color: null,
  merchant_logo: null,
  livemode: true,
  description: 'Commande n° 1042, trois manuels de CE2',
  reference: null,
  reference_in_address: false,
  operators: ['orange_ci', 'mtn_ci', 'moov_ci', 'wave_ci'],
  unavailable_operators: [],
  failing_operators: [],
  out_of_bounds_operators: [],
  nonce: 'n0nce',
} as const
const price = { amount: 10_000, fee_amount: 0, amount_collected: 10_000 }
const dearer = { amount: 10_000, fee_amount: 150, amount_collected: 10_150 }

export function sessionFacts(more: Partial<SessionFacts> = {}): SessionFacts {
  return {
    kind: 'session',
    ...offer,
    address: `/pay/${token}`,
    url: `https://pay.example.ci/pay/${token}`,
    ...price,
    status: 'open',
    expires_at: '2026-11-20T13:45:00.000Z',
    payable: true,
    attempt: null,
    return_url: null,
    receipt: null,
    ...more,
  }
}

export function linkFacts(more: Partial<LinkFacts> = {}): LinkFacts {
  return {
    kind: 'link',
    ...offer,
    address: `/link/${token}`,
    in_address: { amount: null, reference: null },
    status: 'open',
    payable: true,
    price,
    min_amount: null,
    max_amount: null,
    fee_on_top: false,
    expires_at: null,
    url: `https://pay.example.ci/link/${token}`,
    ...more,
  }
}

export function attemptFacts(more: Partial<AttemptFacts> = {}): AttemptFacts {
  return {
    number: 1,
    payment_id: 'txn_01kag5x9y2f3v8n4q7m1c6w0zt',
    status: 'pending',
    operator: 'orange_ci',
    msisdn_end: '17',
    amount_collected: 10_000,
    failure_code: null,
    next_action: null,
    code_submitted: false,
    in_doubt: false,
    created_at: '2026-11-20T13:16:00.000Z',
    ended_at: null,
    ...more,
  }
}

export function receiptOf(more: Partial<Receipt> = {}): Receipt {
  const signed_text = `BDM1.${'3fN7kQ2vX9cB5mT8wR1zL6yH4sD0gJ'.repeat(7)}`
  return {
    ...price,
    merchant_name: offer.merchant_name,
    livemode: true,
    description: offer.description,
    payment_id: 'txn_01kag5x9y2f3v8n4q7m1c6w0zt',
    short_reference: 'KAG5X-6W0ZT',
    code: 'W0ZT',
    whatsapp: null,
    msisdn_end: '17',
    merchant_reference: 'CMD-1042',
    reference_in_address: false,
    operator: 'orange_ci',
    paid_at: '2026-11-20T13:17:12.000Z',
    status: 'succeeded',
    signed_text,
    verify_url: `https://pay.example.ci/verify?receipt=${signed_text}`,
    ...more,
  }
}

function session(name: string, facts: Partial<SessionFacts>, context: Partial<ViewContext> = {}): PageSituation {
  return { name, render: (language) => pageViews.session(sessionFacts(facts), contextOf(language, context)) }
}

function link(name: string, facts: Partial<LinkFacts>, context: Partial<ViewContext> = {}): PageSituation {
  return { name, render: (language) => pageViews.link(linkFacts(facts), contextOf(language, context)) }
}

/** The weather in which many payments fail with two operators, of which a payer may choose one. */
const failing: Partial<SessionFacts> = { failing_operators: ['orange_ci', 'wave_ci'] }
const noneTakes: Partial<SessionFacts> = { operators: [], out_of_bounds_operators: ['mtn_ci', 'wave_ci'] }
const waits = (attempt: Partial<AttemptFacts>): Partial<SessionFacts> => ({
  payable: false,
  attempt: attemptFacts(attempt),
})
const asks = (
  type: 'approve_on_phone' | 'redirect' | 'enter_code',
  more: { url?: string; dial_code?: string; prompted?: true } = {},
) => waits({ next_action: { type, message: 'The payer approves.', ...more } })
const paid = (receipt: Partial<Receipt>, more: Partial<SessionFacts> = {}): Partial<SessionFacts> => ({
  status: 'paid',
  payable: false,
  attempt: attemptFacts({ status: 'succeeded', ended_at: '2026-11-20T13:17:12.000Z' }),
  receipt: receiptOf(receipt),
  return_url: 'https://librairie.example.ci/merci',
  ...more,
})
const failed = (failure_code: FailureCode | null, more: Partial<SessionFacts> = {}): Partial<SessionFacts> => ({
  attempt: attemptFacts({
    status: failure_code === null ? 'expired' : 'failed',
    failure_code,
    ended_at: '2026-11-20T13:17:12.000Z',
  }),
  ...more,
})

const longest = 'Groupement des coopératives agricoles et maraîchères de l’Ouest (Man, Danané, Biankouma)'
const typed = { msisdn: '0700000017', operator: 'orange_ci' }
const order = `${'Commande n° 1042 : trois manuels de CE2, deux cahiers de 200 pages, une boîte de craies.'} ${longest}.
Livraison à Abobo, derrière la pharmacie, après 16 h.`

const logo = (width: number, height: number) => `data:image/png;base64,${discPng(width, height).toString('base64')}`
const branded = { merchant_color: '#8a1538', merchant_logo: logo(160, 64) }
/** A light colour with dark text: in the light scheme a button needs its edge to be visible. */
const brandedBright = { merchant_color: '#fff7d6', merchant_logo: logo(64, 64) }

const sessionSituations: readonly PageSituation[] = [
  session('ask', {}),
  session('ask-test-mode', { livemode: false, description: null }),
  session('ask-with-fee', dearer),
  session('ask-long-names', { merchant_name: longest, amount_collected: 1_999_999, description: longest }),
  session('ask-long-description', { description: order }),
  session('ask-one-operator', { operators: ['mtn_ci'] }),
  session('ask-failing-operator', failing, { typed: { operator: 'orange_ci' } }),
  session('ask-no-operator', { operators: [] }),
  session('ask-other-amounts', { operators: ['orange_ci', 'moov_ci'], out_of_bounds_operators: ['mtn_ci', 'wave_ci'] }),
  session('ask-amount-of-nobody', noneTakes),
  session('ask-inactive-merchant', { payable: false }),
  session('ask-wrong-number', {}, { refusal: 'invalid_msisdn', typed: { msisdn: '07 00 00', operator: 'wave_ci' } }),
  session('ask-wrong-operator', {}, { refusal: 'invalid_operator', typed: { msisdn: '0700000017' } }),
  session('ask-too-many-attempts', {}, { refusal: 'too_many_attempts', typed }),
  session('ask-amount-above-limit', {}, { refusal: 'amount_above_limit', typed }),
  session('ask-stale-form', {}, { refusal: 'invalid_request', typed }),
  session('ask-our-fault', {}, { refusal: 'payment_failed', typed }),
  session('branded-ask', branded),
  session('branded-ask-bright', { ...brandedBright, merchant_name: longest }),
  session('branded-approve', { ...asks('approve_on_phone'), ...branded }),
  session('branded-receipt', paid({}, branded)),
  session('starting', waits({ status: 'created' })),
  session('approve-on-phone', asks('approve_on_phone')),
  session('approve-long-description', {
    ...asks('approve_on_phone'),
    description: order,
    merchant_name: longest,
  }),
  session('approve-other-number', asks('approve_on_phone'), { other_number: true }),
  session('approve-again', asks('approve_on_phone', { dial_code: '*144*82#', prompted: true })),
  session('dial', asks('approve_on_phone', { dial_code: '*144*82#' })),
  session('enter-code', asks('enter_code', { dial_code: '#144*82#' })),
  session('enter-code-plain', asks('enter_code')),
  session('enter-code-wrong', asks('enter_code'), { refusal: 'invalid_request' }),
  session('code-submitted', waits({ code_submitted: true })),
  session('redirect', asks('redirect', { url: 'https://wave.example.ci/c/1' })),
  session('unsure', waits({ in_doubt: true })),
  session('unsure-after-failure', {
    payable: false,
    attempt: attemptFacts({ status: 'failed', failure_code: 'payer_declined', in_doubt: true }),
  }),
  session('busy', { status: 'busy', payable: false }),
  session('failed', failed('payer_insufficient_funds')),
  session('failed-other-number', failed(null), { other_number: true }),
  session('failed-wrong-number', failed('payer_not_found'), { refusal: 'invalid_msisdn', typed: { msisdn: '07 00' } }),
  session('failed-lapsed', failed(null)),
  session('failed-amount-of-nobody', failed('payer_declined', noneTakes)),
  session('failed-out-of-time', failed('payer_declined', { payable: false })),
  session('receipt', paid({})),
  session('receipt-with-fee', paid({ ...dearer, description: null, merchant_reference: null })),
  session('receipt-test-mode', paid({ livemode: false }, { livemode: false, return_url: null })),
  session('receipt-long-description', paid({ description: order })),
  session('receipt-refunded', paid({ status: 'refunded' })),
  session('receipt-test-refunded', paid({ livemode: false, status: 'refunded' }, { livemode: false })),
  session('receipt-part-refunded', paid({ status: 'partially_refunded' })),
  session('expired', { status: 'expired', payable: false }),
  session('closed', { status: 'closed', payable: false }),
]

const free = { price: null, min_amount: 500, max_amount: 50_000 }

const excludes: Partial<LinkFacts> = { out_of_bounds_operators: ['orange_ci', 'mtn_ci'] }

const linkSituations: readonly PageSituation[] = [
  link('link-ask', {}),
  link('link-free-amount', { ...free, description: 'Offrande' }),
  link('link-free-amount-with-fee', { ...free, fee_on_top: true }),
  link('link-amount-too-small', free, { refusal: 'amount_too_small', typed: { ...typed, amount: '50' } }),
  link('link-amount-too-large', free, { refusal: 'amount_too_large', typed: { ...typed, amount: '60 000' } }),
  link('link-amount-of-others', { ...free, ...excludes }, { refusal: 'invalid_operator', typed }),
  link('link-amount-of-others-with-fee', { ...free, ...excludes, fee_on_top: true }, { refusal: 'invalid_operator' }),
  link('link-amount-unreadable', free, { refusal: 'invalid_amount', typed: { ...typed, amount: 'dix mille' } }),
  link('link-inactive-merchant', { payable: false }),
  link('link-busy', { status: 'busy', payable: false }),
  link('link-paid', { status: 'paid', payable: false }),
  link('link-closed', { status: 'closed', payable: false }),
]

const poster = (name: string, facts: Partial<LinkFacts>): PageSituation => ({
  name,
  render: (language) => pageViews.poster(linkFacts(facts), contextOf(language)),
})
const posterSituations: readonly PageSituation[] = [
  poster('poster', {}),
  poster('poster-free-amount', { ...free, description: null }),
  poster('poster-long-names', { merchant_name: longest, description: longest }),
  poster('poster-branded', { ...branded, ...free, merchant_name: longest, description: longest }),
  poster('poster-test-mode', { livemode: false }),
]

const { signed_text: _text, verify_url: _url, status: _status, ...claim } = receiptOf(dearer)
const verify = (name: string, verification: Verification | null, asked = ''): PageSituation => ({
  name,
  render: (language) => pageViews.verify(verification, asked, contextOf(language)),
})
const verifySituations: readonly PageSituation[] = [
  verify('verify', null),
  verify('verify-genuine', { valid: true, claim, status: 'succeeded' }),
  verify('verify-refunded', { valid: true, claim, status: 'refunded' }),
  verify('verify-part-refunded', { valid: true, claim, status: 'partially_refunded' }),
  verify('verify-test', { valid: true, claim: { ...claim, livemode: false }, status: 'succeeded' }),
  verify('verify-forged', { valid: false, reason: 'forged' }, 'BDM1.forged'),
  verify('verify-unreadable', { valid: false, reason: 'unreadable' }, 'bonjour'),
]

const simulator = (name: string, answered: boolean): PageSituation => ({
  name,
  render: (language) =>
    pageViews.simulator(
      { reference: '6f1f4b0e-58a9-4f5b-b1a6-0d4f7e4f2a11', amount: 10_000, answered },
      contextOf(language),
    ),
})
const simulatorSituations: readonly PageSituation[] = [
  simulator('simulator', false),
  simulator('simulator-answered', true),
]

export const refusedSituations: readonly PageSituation[] = (Object.keys(pageRefusalStatuses) as PageRefusal[]).map(
  (code) => ({
    name: `refused-${code.replaceAll('_', '-')}`,
    render: (language) => pageViews.refused(code, contextOf(language)),
  }),
)

/** One situation for each reason of a failed payment. */
export const failureSituations: readonly PageSituation[] = (Object.keys(failureMessages) as FailureCode[]).map((code) =>
  session(`failed-${code.replaceAll('_', '-')}`, failed(code)),
)

/** The refusals with a look of their own. */
const unlike = /not-found|indisponible|expired|closed|too-many|rate-limit|payment-failed|invalid-request/

const frontSituation: PageSituation = {
  name: 'front',
  render: (language) => pageViews.front(contextOf(language)),
}

export const pageSituations: readonly PageSituation[] = [
  frontSituation,
  ...sessionSituations,
  ...linkSituations,
  ...posterSituations,
  ...verifySituations,
  ...simulatorSituations,
  ...tillSituations,
  ...refusedSituations.filter(({ name }) => unlike.test(name)),
]
