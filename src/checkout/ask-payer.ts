import { type ActAccepted, type ActRefused, defineAct, merchant, refuse, row } from '../acts/act.ts'
import { type Field, optional } from '../acts/facts.ts'
import type { Fees } from '../merchants/fees.ts'
import type { UncheckedDay } from '../merchants/payment-limit.ts'
import { isMerchantActive } from '../merchants/store.ts'
import { createPaymentCommand, leftOf, lockDays, type TakeAttempt } from '../payments/create-payment.ts'
import { writeAmount, writeNumberEnd } from '../platform/http/pages/write-values.ts'
import { rowKey, type Tenant, tenantOf } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import { type Sale, type SaleDeps, saleFields, saleOf } from './create-sale.ts'
import { mayAttempt, type NoAttempt } from './decide-attempt.ts'
import { insertSession } from './insert-session.ts'
import { suspended } from './link-fields.ts'
import { readAttempt } from './page/store.ts'
import type { NewSession } from './store.ts'
import * as store from './store.ts'
import { createTakeAttempt, lockLinksOf, lockSessions } from './take-attempts.ts'

/** The needs of an attempt from outside the database: the payer, the fees in force, and the reference of its order. */
export type AskDeps = {
  readonly asking: {
    readonly msisdn: Msisdn
    readonly operator: OperatorCode
    readonly fees: Fees
    readonly order_reference: string
    readonly unchecked: UncheckedDay | null
  }
}

/** A payer's mobile number. Neither the audit log nor the address of a page has it. */
const number: Field<Msisdn> = {
  name: ['Numéro du client', 'Payer’s number'],
  write: ({ last4 }) => [writeNumberEnd(last4), writeNumberEnd(last4)],
  read: (typed) => Msisdn.parse(typed) ?? undefined,
  form: {
    label: ['Numéro du client', 'Payer’s number'],
    hint: [
      'Il confirme sur son téléphone. Wave : montrez plutôt le code.',
      'They confirm on their phone. Wave: show the code.',
    ],
    kind: 'line',
    longest: 40,
    fault: (typed) => numberFault(typed),
  },
  option: { value: 'NUMBER', must: 'must be a mobile number of Côte d’Ivoire.' },
}

/** Says what is wrong with a number: how many digits are missing or too many, or its beginning. */
function numberFault(typed: string): readonly [string, string] {
  const digits = typed.replace(/\D/g, '').replace(/^(?:00)?225(?=\d{10}$)/, '').length
  if (digits === 0) return ['Tapez le numéro du client.', 'Type the number of the payer.']
  if (digits < 10)
    return [`Il manque des chiffres : ${digits} au lieu de 10.`, `Digits are missing: ${digits} in place of 10.`]
  if (digits > 10)
    return [`Il y a trop de chiffres : ${digits} au lieu de 10.`, `Too many digits: ${digits} in place of 10.`]
  return ['Un numéro mobile commence par 01, 05 ou 07.', 'A mobile number begins with 01, 05 or 07.']
}

const command = createPaymentCommand(lockSessions)

/** The words of the refusals that both acts share. */
const refusals = {
  merchant_inactive: suspended,
  amount_too_high: { words: ['Un montant est de {max} au plus.', 'An amount is {max} at most.'], at: 'amount' },
  above_day: [
    'Votre dossier n’est pas encore vérifié : il reste {left} à encaisser aujourd’hui, sur {max}.',
    'Your file is not checked yet: {left} of {max} are left to collect today.',
  ],
} as const

/** Asks a payer's number for a payment now: the session of the sale and its first attempt, in one transaction. */
export const askPayer = defineAct({
  name: 'payment.ask',
  summary: 'Ask a number for a payment now: its operator prompts the payer',
  title: ['Demander à ce numéro', 'Ask this number'],
  right: 'links.manage',
  fresh: false,
  on: merchant,
  fields: { ...saleFields, number },
  load: async (tx, { tenant }, deps: SaleDeps & AskDeps) => ({
    about: tenant,
    deps,
    ofDays: await lockDays(tx, [{ caller: tenant, unchecked: deps.asking.unchecked }]),
    active: await isMerchantActive(tx, tenant.merchant_id),
  }),
  facts: {},
  content: () => ({}),
  decide(
    { tenant, values },
    { deps, active, ofDays },
    now,
  ): ActAccepted<Sale> | ActRefused<keyof typeof refusals | 'made_before'> {
    if (!active) return refuse('merchant_inactive')
    if (values.amount > deps.amount_max) return refuse('amount_too_high', { max: writeAmount(deps.amount_max) })
    const session = saleOf(deps, tenant, values, now)
    const first: TakeAttempt = ({ payment_id }) => [
      insertSession({ ...session, payment_id, attempts: 1, attempt_live: true } as NewSession),
    ]
    return attempt(deps, session, { takeAttempt: first, ofDays }, now)
  },
  unknown: 'There is no such merchant.',
  refusals: { ...refusals, made_before: ['La demande est déjà partie.', 'The request has left already.'] },
  conflicts: { checkout_sessions_pkey: 'made_before' },
})

/** Asks again for a sale whose last attempt has ended: the same number, or another one. One attempt at a time: a second tap does nothing. */
export const askPayerAgain = defineAct({
  name: 'payment.ask_again',
  summary: 'Ask a number again for the payment of a sale',
  title: ['Redemander', 'Ask again'],
  right: 'links.manage',
  fresh: false,
  on: row('cs', 'payment page', { option: 'session', place: 'named' }),
  fields: { number: optional(number) },
  async load(tx, { id: session_id, within }, deps: AskDeps) {
    const tenant = within as Tenant
    const ofDays = await lockDays(tx, [{ caller: tenant, unchecked: deps.asking.unchecked }])
    const [session] = await store.lockSessions(tx, [{ ...tenantOf(tenant), session_id }])
    if (session === undefined) return null
    const links = await lockLinksOf(tx, [session])
    const { payment_id } = session
    const [active, last] = await Promise.all([
      isMerchantActive(tx, tenant.merchant_id),
      payment_id === null ? null : readAttempt(tx, { ...tenantOf(tenant), payment_id }),
    ])
    return { about: tenantOf(tenant), session, links, active, ofDays, in_doubt: last?.in_doubt === true, deps }
  },
  facts: {},
  content: () => ({}),
  decide(_, { session, links, active, ofDays, in_doubt, deps }, now) {
    if (session.attempt_live) return { kind: 'unchanged', result: { session_id: session.id } }
    if (!active) return refuse('merchant_inactive')
    if (in_doubt) return refuse('in_doubt')
    const link = session.link_id === null ? null : (links.get(rowKey(session, session.link_id)) ?? null)
    const why = mayAttempt(session, link)
    if (why !== null) return refuse(whyNot[why])
    const takeAttempt = createTakeAttempt(new Map([[rowKey(session, session.id), session]]), links)
    return attempt(deps, session, { takeAttempt, ofDays }, now)
  },
  refusals: {
    merchant_inactive: refusals.merchant_inactive,
    above_day: refusals.above_day,
    in_doubt: [
      'L’opérateur a peut-être déjà l’argent : ne demandez pas une deuxième fois.',
      'The operator may have the money already: do not ask a second time.',
    ],
    over: ['Ce code ne sert plus. Faites payer à nouveau.', 'This code has ended. Ask for the payment anew.'],
    too_many: [
      'Trop d’essais pour cette vente. Faites payer à nouveau.',
      'Too many attempts for this sale. Ask for the payment anew.',
    ],
  },
})

const whyNot: Readonly<Record<NoAttempt, 'over' | 'too_many' | 'in_doubt'>> = {
  session_expired: 'over',
  session_closed: 'over',
  lien_indisponible: 'over',
  idempotency_in_progress: 'in_doubt',
  too_many_attempts: 'too_many',
}

/** The payment of an attempt, decided as any other. It is refused when the day of an unchecked merchant is full. */
function attempt(
  { asking: { msisdn, operator, fees, order_reference, unchecked } }: AskDeps,
  session: NewSession | store.LockedSession,
  { takeAttempt, ofDays }: { takeAttempt: TakeAttempt; ofDays: Map<string, number> },
  now: Date,
): ActAccepted<Sale> | ActRefused<'above_day'> {
  const tenant = tenantOf(session)
  const left = leftOf({ caller: tenant, unchecked }, ofDays)
  if (left !== null && session.amount > left)
    return refuse('above_day', { max: writeAmount(unchecked!.most), left: writeAmount(Math.max(0, left)) })
  const request = {
    amount: session.amount,
    ...{ operator, msisdn, description: session.description },
    ...{ merchant_reference: null, metadata: null, simulate: null },
    checkout_session_id: session.id,
  }
  const caller = { ...tenant, key_id: 'console', scope: 'collect', merchant_active: true } as const
  const call = {
    caller,
    idempotency: { key: '', fingerprint: Buffer.alloc(0) },
    request,
    fees,
    order_reference,
    blocked: null,
    unchecked,
  }
  const decided = command.decide(call, { references: new Set(), takeAttempt, ofDays }, now)
  if (decided.kind === 'refused') throw new Error(`An attempt that its session takes was refused with ${decided.code}.`)
  return {
    kind: 'accepted',
    effects: decided.effects,
    result: { session_id: session.id },
    subject: session.id,
    after: { amount: session.amount, operator },
  }
}
