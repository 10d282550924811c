import { type ActDecision, defineAct, merchant, type RefusalWords, refuse } from '../acts/act.ts'
import { type Fact, type Field, francs, optional, recipientFact, sumField, text } from '../acts/facts.ts'
import type { ActDeps } from '../acts/perform.ts'
import { holderField, msisdnField, operatorField } from '../beneficiaries/account-fields.ts'
import { beneficiaryIdIn, holderNameIn } from '../beneficiaries/beneficiary.ts'
import { feesAt } from '../merchants/fees.ts'
import { selectSettings } from '../merchants/store.ts'
import type { Prediction } from '../operators/prediction/prediction.ts'
import type { OrderKey } from '../operators/reference.ts'
import { claimKey, type KeyClaim, keepAnswer } from '../platform/commands/keys.ts'
import { sha256 } from '../platform/digest.ts'
import { writeAmount, writeNumberEnd } from '../platform/http/pages/write-values.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { withoutInvisible } from '../values/as-seen.ts'
import { type Tenant, tenantKey } from '../values/caller.ts'
import type { Words } from '../values/language.ts'
import { Msisdn } from '../values/msisdn.ts'
import { isOperatorCode, type OperatorCode, operatorNames } from '../values/operators.ts'
import { readLine, writeFrancs } from '../values/read-typed.ts'
import { decidePayout } from './decide-payout.ts'
import { loadPayouts, orderPayout, type PayoutOrder, type PayoutRefusal } from './order-payout.ts'
import type { UsualCaps } from './spending-limits.ts'

export type MakePayoutDeps = {
  readonly payoutCaps: UsualCaps
  /** Days after which a request that nobody decided expires. */
  readonly request_expiry_days: number
  /** Of `keyOfPayout`. */
  readonly order_key: OrderKey
  /** The operator of the typed number, for a person who named none. Null: no number was typed. */
  readonly predicted: Prediction | null
  /** Whether a connector sends to this operator. Absent: nobody asks before the send. */
  readonly serves?: (operator: string) => boolean
  /** Reads the ids of the payouts, requests and drafts of the last weeks with the same number and amount. */
  readonly readAlike: (tx: Tx, tenant: Tenant, send: { msisdn: string; amount: number }) => Promise<readonly string[]>
  /** The answers of operators about failed payouts like this one. Absent: nobody asked. */
  readonly operators_said?: object | undefined
}

/** The cap that holds a payout: of one operation, or of all in 24 hours. In francs. */
export type HeldAbove = { readonly reason: string; readonly cap: number }

/** A payout that was sent, or a payout request that waits. */
export type MadePayout = { readonly id: string; readonly status: 'created' | 'pending_approval' }

/** The most characters of what a payout is for. */
export const PURPOSE_MAX = 80

const hidden = (name: string) => ({ label: [name, name], kind: 'line', fault: ['', ''] }) as const

const purposeFact = text(['Pour', 'For'])

/** A point or a comma may separate thousands or cents: we ask rather than guess. */
function faultOfAmount(typed: string): Words {
  const sum = /^\s*\d{1,3}(?:[.,]\d{3})+\s*$/.test(typed) ? writeFrancs(Number(typed.replace(/\D/g, ''))) : null
  if (sum === null) return ['Un montant est un nombre entier de francs.', 'An amount is a whole number of francs.']
  return [`Écrivez le montant sans point ni virgule : ${sum}.`, `Write the amount without a point or comma: ${sum}.`]
}

const fields = {
  /** Empty: an entry of the book names the recipient. */
  to: optional({
    ...msisdnField,
    form: { ...msisdnField.form, label: ['Numéro qui reçoit', 'Number that receives'] },
    option: { ...msisdnField.option, says: 'the number that receives' },
  }),
  beneficiary: optional({
    ...text(['Bénéficiaire', 'Recipient']),
    read: (typed) => beneficiaryIdIn(typed) ?? undefined,
    form: hidden('beneficiary'),
    option: {
      value: 'UUID',
      says: 'an entry of the book, in place of --to',
      must: 'is the id of an entry of the book.',
    },
  } as Field<string>),
  /** Empty: as predicted for the number. */
  operator: optional({
    ...operatorField,
    option: { ...operatorField.option, says: "the operator of the number; without it, that of the number's prefix" },
  }),
  amount: {
    ...sumField(['Montant, F CFA', 'Amount, F CFA']),
    form: {
      label: ['Montant, F CFA', 'Amount, F CFA'],
      kind: 'sum',
      fault: faultOfAmount,
    },
  } as Field<number>,
  purpose: optional({
    ...purposeFact,
    read: (typed) => readLine(withoutInvisible(typed), PURPOSE_MAX) ?? undefined,
    form: {
      label: ['Pour quoi (facultatif)', 'What for (optional)'],
      kind: 'line',
      longest: PURPOSE_MAX,
      fault: [`Une ligne de ${PURPOSE_MAX} signes au plus.`, `One line of ${PURPOSE_MAX} characters at most.`],
    },
    option: {
      name: 'reference',
      value: 'TEXT',
      says: 'your reference',
      must: 'must be one line of 1 to 80 characters.',
    },
  } as Field<string>),
  name: optional({
    ...holderField,
    read: (typed) => (readLine(typed, 200) === null ? undefined : (holderNameIn(typed, 1) ?? undefined)),
    form: { ...holderField.form, label: ['Nom que vous attendez (facultatif)', 'Name that you expect (optional)'] },
    option: { ...holderField.option, says: 'the name that you expect' },
  } as Field<string>),
  /** One form makes one payout. */
  key: {
    ...text(['Formulaire', 'Form']),
    read: (typed) => (/^[\w-]{1,64}$/.test(typed) ? typed : undefined),
    form: hidden('key'),
    option: {
      value: 'KEY',
      says: 'your own name for this payout, which is then made once',
      sample: 'rent-2026-11',
      must: 'has 1 to 64 letters, digits, _ and -.',
    },
  } as Field<string>,
} as const

/** The idempotency key of a person's form or command, which never matches another person's or that of a program. */
export function keyOfPayout(person: string, key: string): string {
  return `person_${sha256(`${person} ${key}`).toString('hex')}`
}

const refusals = {
  no_number: { at: 'to', words: ['Écrivez le numéro qui reçoit.', 'Write the number that receives.'] },
  no_operator: {
    at: 'operator',
    words: ['Son opérateur n’est pas connu : choisissez-le.', 'The operator of this number is not known: choose it.'],
  },
  not_served: {
    at: 'operator',
    words: [
      '{operator} n’est pas relié pour les envois. Choisissez un autre opérateur.',
      '{operator} is not connected for payouts. Choose another operator.',
    ],
  },
  beneficiary_gone: {
    at: 'to',
    words: [
      'Ce bénéficiaire n’est plus dans votre liste. Écrivez son numéro.',
      'This recipient is no longer in your list. Write the number.',
    ],
    command: 'There is no active entry with this id in the book of this merchant and mode.',
  },
  merchant_inactive: [
    'Votre compte est désactivé. Contactez l’équipe du service.',
    'Your account is deactivated. Contact the team of the service.',
  ],
  insufficient_funds: {
    at: 'amount',
    words: [
      'Il y a {sum} pour vos envois ; il faut {total} avec les frais.',
      'There are {sum} for your payouts; it takes {total} with the fees.',
    ],
  },
  idempotency_key_reused: {
    words: [
      'Ce formulaire a déjà servi à un autre envoi : regardez la liste. Rien de plus n’est parti.',
      'This form has already made another payout: look at the list. Nothing more has left.',
    ],
    command: 'This --key has already made another payout. Nothing more has left.',
  },
  idempotency_in_progress: [
    'Cet envoi est déjà en route. Attendez un instant, puis regardez la liste.',
    'This payout is already being made. Wait a moment, then look at the list.',
  ],
} as const satisfies Record<string, RefusalWords>

/**
 * A person's payout to one number, decided like that of a key (`orderPayout`): within the caps it is sent, above them it waits as a payout
 * request, of which this person is the maker.
 */
export const makePayout = defineAct({
  name: 'payout.make',
  summary: 'Send money to one number, or ask for it above a cap; the same --key again sends nothing',
  title: ['Envoyer de l’argent', 'Send money'],
  right: 'payouts.make',
  fresh: true,
  on: merchant,
  fields,
  async load(tx, { by, tenant, values }, deps: MakePayoutDeps & ActDeps) {
    const key = keyOfPayout(by.person, values.key)
    const claim: KeyClaim = { ...tenant, key, fingerprint: sha256(`${key} ${JSON.stringify(values)}`) }
    const answered = await claimKey(tx, claim)
    // A repeated form waits for no balance.
    if (answered !== null) return { about: tenant, claim, answered, ordered: null, lacks: null }
    const to = values.to === null ? null : Msisdn.stored(values.to)
    if (values.beneficiary === null && to === null)
      return { about: tenant, claim, answered, ordered: null, lacks: 'no_number' } as const
    const inBook = { kind: 'book', beneficiary_id: values.beneficiary ?? '' } as const
    const named = to === null || values.beneficiary !== null ? inBook : ({ kind: 'inline', msisdn: to } as const)
    // The fees are those of the moment when the person decided, however long the locks take.
    const asked_at = deps.clock.now()
    const settings = (await selectSettings(tx, [tenant.merchant_id])).get(tenant.merchant_id)!
    const caller = { ...tenant, merchant_active: settings.active, actor: by }
    const { amount, purpose: reference } = values
    const unnamed = named.kind === 'book' ? named : { ...named, operator: null, name: null }
    const loaded = await loadPayouts(
      tx,
      [{ caller, order: { amount, reference, destination: unnamed } }],
      deps.payoutCaps,
    )
    const known = loaded.book.find({ ...tenant, ...named })
    const { fee_amount } = feesAt(settings, 'payout', amount, asked_at)
    const chosen = named.kind === 'book' ? null : chosenFor(values, known, deps.predicted)
    if (chosen?.operator === null)
      return { about: tenant, claim, answered, ordered: null, lacks: 'no_operator' } as const
    const destination: PayoutOrder['destination'] =
      named.kind === 'book' ? named : { ...named, operator: chosen!.operator, name: chosen!.name }
    const msisdn = known?.msisdn ?? to?.e164 ?? ''
    const spending = loaded.spending.get(tenantKey(tenant))!
    const ordered = {
      ...{ caller, loaded, fee_amount, msisdn },
      order: { amount, reference, destination },
      recipient: { name: chosen?.name ?? known?.name ?? null, operator: chosen?.operator ?? known?.operator ?? null },
      isServed: servesTo(deps, chosen?.operator ?? known?.operator ?? null),
      transfer: spending.transfer,
      // Decided on a copy, so that a person agrees to a payout or to a request, and not to either.
      cap: capOf(decidePayout(spending.caps, { ...spending }, { amount, total_debited: amount + fee_amount })),
      repeated: msisdn === '' ? [] : await deps.readAlike(tx, tenant, { msisdn, amount }),
    }
    const { order_key, request_expiry_days, operators_said } = deps
    return {
      about: tenant,
      claim,
      answered,
      lacks: null,
      ordered: { ...ordered, order_key, request_expiry_days, operators_said },
    }
  },
  facts: {
    amount: francs(['Montant', 'Amount']),
    recipient: recipientFact,
    reference: purposeFact,
    fee_amount: francs(['Frais', 'Fees']),
    taken: francs(['Pris sur l’argent de vos envois', 'Taken from your money for payouts']),
    cap: {
      name: ['Attend l’accord d’une autre personne, au-dessus de', 'Waits for another person, above'],
      write: ({ reason, cap }) =>
        reason === 'plafond_24h'
          ? [`${writeAmount(cap)} en 24 h`, `${writeAmount(cap)} in 24 h`]
          : [writeAmount(cap), writeAmount(cap)],
    } as Fact<HeldAbove>,
    repeated: {
      name: ['Déjà envoyé, demandé ou préparé', 'Sent, requested or prepared already'],
      write: ({ length: n }) => [`${n} fois ce montant à ce numéro`, `${n} times this amount to this number`],
    } as Fact<readonly string[]>,
  },
  content({ ordered }, { amount }) {
    if (ordered === null) return { amount, ...nothingElse }
    const { msisdn, fee_amount, cap, order, repeated, operators_said } = ordered
    return {
      amount,
      recipient: { ...ordered.recipient, number_end: msisdn.slice(-4) },
      ...{ reference: order.reference, fee_amount, taken: amount + fee_amount, cap },
      repeated: repeated.length === 0 ? null : repeated,
      msisdn,
      ...(operators_said === undefined ? {} : { operators_said }),
    }
  },
  decide(_, has, now): ActDecision<MadePayout, keyof typeof refusals> {
    const { claim, answered, ordered, lacks } = has
    if (answered?.kind === 'replayed') return { kind: 'unchanged', result: madeOf(answered.text) }
    if (answered !== null) return refuse(answered.code)
    if (ordered === null) return refuse(lacks)
    const { loaded, request_expiry_days, transfer, fee_amount, order } = ordered
    if (!ordered.isServed) return refuse('not_served', { operator: nameOfOperator(ordered.recipient.operator) })
    const made = orderPayout(ordered, loaded, request_expiry_days, now)
    const total = order.amount + fee_amount
    if (made.kind === 'refused')
      return refuse(codeOf(made.code), { sum: writeAmount(transfer), total: writeAmount(total) })
    const { status, body, effects } = made
    const kept = keepAnswer({ ...claim, status, body: JSON.stringify(body) })
    const after = { status: body.status, amount: order.amount, fee_amount, last4: ordered.msisdn.slice(-4) }
    const result = madeOf(JSON.stringify(body))
    return { kind: 'accepted', effects: [...effects, kept], result, subject: body.id, after }
  },
  refusals,
})

const nothingElse = { recipient: null, reference: null, fee_amount: null, taken: null, cap: null, repeated: null }

/** The operator and the name of a typed number: as chosen, as learned, as in the book, or by its prefix. */
function chosenFor(
  { operator, name }: { operator: OperatorCode | null; name: string | null },
  known: { operator: string | null; name: string; msisdn: string } | null,
  predicted: Prediction | null,
): { operator: OperatorCode | null; name: string | null } {
  const isNamed = known !== null && known.name !== writeNumberEnd(known.msisdn.slice(-4))
  const inBook = known === null ? null : (operatorField.read(known.operator ?? '') ?? null)
  const proposed = predicted?.operator ?? null
  const found = predicted?.basis === 'learned' ? proposed : (inBook ?? proposed)
  return { operator: operator ?? found, name: name ?? (isNamed ? known.name : null) }
}

function servesTo({ serves = () => true }: MakePayoutDeps, operator: string | null): boolean {
  return operator === null || serves(operator)
}

function nameOfOperator(code: string | null): string {
  return code !== null && isOperatorCode(code) ? operatorNames[code] : ''
}

function capOf(decision: ReturnType<typeof decidePayout>): HeldAbove | null {
  return decision.kind === 'held' ? { reason: decision.reason, cap: decision.cap } : null
}

function codeOf(code: PayoutRefusal) {
  return code === 'resource_not_found' ? 'beneficiary_gone' : code
}

function madeOf(text: string): MadePayout {
  const { id, status } = JSON.parse(text) as MadePayout
  return { id, status }
}
