import { type ActDecision, defineAct, merchant, type RefusalWords, refuse } from '../acts/act.ts'
import { type Fact, type Field, francs, sumField, text } from '../acts/facts.ts'
import { type End, endFact, endOf } from '../beneficiaries/destination-facts.ts'
import { selectSettings } from '../merchants/store.ts'
import { claimKey, type KeyClaim, keepAnswer } from '../platform/commands/keys.ts'
import { sha256 } from '../platform/digest.ts'
import { writeAmount, writeDate } from '../platform/http/pages/write-values.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { Words } from '../values/language.ts'
import { factsOf, isHeldBack, loadSettlements, orderSettlement, type SettlementRules } from './create-settlement.ts'
import type { SettlementRefusal } from './decide-settlement.ts'
import type { Settlement } from './settlement.ts'

export type RequestDeps = {
  readonly settlementRules: SettlementRules
  /** The person of the form: one form makes one settlement, and never matches another person's. */
  readonly form_of: string
}

const hidden = (name: string) => ({ label: [name, name], kind: 'line', fault: ['', ''] }) as const

const momentFact = (name: Words): Fact<string> => ({
  name,
  write: (at) => [writeDate(new Date(at), 'fr'), writeDate(new Date(at), 'en')],
})

const fields = {
  amount: {
    ...sumField(['Montant, F CFA', 'Amount, F CFA']),
    form: {
      label: ['Montant, F CFA', 'Amount, F CFA'],
      kind: 'sum',
      fault: ['Un montant est un nombre entier de francs.', 'An amount is a whole number of francs.'],
    },
  } as Field<number>,
  /** The destination that the page showed. */
  destination: {
    ...text(['Vers', 'To']),
    read: (typed) => typed,
    form: hidden('destination'),
    option: { must: 'is the id of the designated destination.' },
  } as Field<string>,
  /** The form that was shown. */
  form: {
    ...text(['Formulaire', 'Form']),
    read: (typed) => (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(typed) ? typed : undefined),
    form: hidden('form'),
    option: { must: 'names the form.' },
  } as Field<string>,
} as const

/** The key of a form and its person, so that one form makes one settlement, however often it is sent. */
function claimOf(
  tenant: Tenant,
  { amount, destination, form }: { amount: number; destination: string; form: string },
  { form_of }: RequestDeps,
): KeyClaim {
  const key = `console_${form_of}_${form}`
  return { ...tenant, key, fingerprint: sha256(`${key} ${amount} ${destination}`) }
}

const changed: RefusalWords = {
  words: [
    'La destination de vos reversements a changé entre-temps. Rien n’est demandé. Vérifiez-la, puis recommencez.',
    'The destination of your settlements has changed meanwhile. Nothing was requested. Check it, then start again.',
  ],
}

const refusals = {
  destination_introuvable: changed,
  destination_non_designee: changed,
  unchecked: [
    'Rien n’est demandé : votre dossier n’est pas encore vérifié. Jusque-là, vos reversements vont seulement au numéro que vous avez prouvé.',
    'Nothing was requested: your file is not checked yet. Until then, settlements go only to the number that you proved.',
  ],
  destination_trop_recente: [
    'Rien n’est demandé : la destination sert à partir du {when}.',
    'Nothing was requested: the destination can be used from {when}.',
  ],
  merchant_inactive: [
    'Votre compte est désactivé. Contactez l’équipe du service.',
    'Your account is deactivated. Contact the team of the service.',
  ],
  sous_le_plancher: { at: 'amount', words: ['Demandez au moins {sum}.', 'Request at least {sum}.'] },
  montant_non_eligible: {
    at: 'amount',
    words: [
      '{sum} sont disponibles : demandez cette somme au plus.',
      '{sum} are available: request that much at most.',
    ],
  },
  idempotency_key_reused: [
    'Ce formulaire a déjà servi à une demande d’un autre montant : regardez la liste. Rien de plus n’est demandé.',
    'This form has already requested another amount: look at the list. Nothing more was requested.',
  ],
  idempotency_in_progress: [
    'Cette demande est déjà en route. Attendez un instant, puis regardez la liste.',
    'This request is already being processed. Wait a moment, then look at the list.',
  ],
} as const satisfies Record<string, RefusalWords>

/** A person's request of a settlement to the designated destination. Decided like the request of a key. */
export const requestSettlement = defineAct({
  name: 'settlement.request',
  summary: 'Ask for a settlement to the designated destination',
  title: ['Demander un reversement', 'Request a settlement'],
  right: 'settlements.request',
  fresh: true,
  on: merchant,
  fields,
  async load(tx, { by, tenant, values }, deps: RequestDeps) {
    const { settlementRules: rules } = deps
    const claim = claimOf(tenant, values, deps)
    const answered = await claimKey(tx, claim)
    // A repeated form waits for no balance.
    if (answered !== null) return { about: tenant, claim, answered, asked: null }
    const { active } = (await selectSettings(tx, [tenant.merchant_id])).get(tenant.merchant_id)!
    const asked = callOf(tenant, by, active, values)
    const facts = factsOf(asked, await loadSettlements(tx, [asked], rules), rules)
    return { about: tenant, claim, answered: null, asked: { ...asked, facts, available: facts.funds.available } }
  },
  facts: {
    amount: francs(['Montant', 'Amount']),
    to: endFact(['Vers', 'To']),
    holder: text(['Au nom de', 'Holder']),
    designated_at: momentFact(['Désignée', 'Designated']),
    taken: francs(['Pris sur le solde disponible', 'Taken from the available balance']),
  },
  content({ asked }, { amount }) {
    const candidate = asked?.facts.candidate ?? null
    const to: End | null = candidate && endOf(candidate)
    const designated_at = candidate?.designated_at?.toISOString() ?? null
    return { amount, to, holder: candidate?.name ?? null, designated_at, taken: amount }
  },
  decide(_, has, now): ActDecision<Settlement, keyof typeof refusals> {
    const { claim, answered, asked } = has
    if (answered?.kind === 'replayed') return { kind: 'unchanged', result: JSON.parse(answered.text) as Settlement }
    if (answered !== null) return refuse(answered.code)
    const { facts, available } = asked
    const ordered = orderSettlement(asked, facts, now)
    const held = facts.candidate !== null && isHeldBack(facts.candidate)
    if (ordered.kind === 'refused' && ordered.code === 'destination_non_designee' && held) return refuse('unchecked')
    if (ordered.kind === 'refused') return refuse(ordered.code, fillingsOf(ordered.code, { ...facts, available }))
    const { settlement, body, effects } = ordered
    const { id: subject, amount, beneficiary_id } = settlement
    const kept = keepAnswer({ ...claim, status: 202, body: JSON.stringify(body) })
    const after = { status: body.status, amount, beneficiary_id }
    return { kind: 'accepted', effects: [...effects, kept], result: body, subject, after }
  },
  refusals,
})

function callOf(
  tenant: Tenant,
  maker: Actor,
  merchant_active: boolean,
  { amount, destination: beneficiary_id }: { amount: number; destination: string },
) {
  return { caller: { ...tenant, merchant_active, actor: maker }, order: { amount, beneficiary_id } }
}

function fillingsOf(
  code: SettlementRefusal,
  { floor, available, candidate }: { floor: number; available: number; candidate: { serves_from: Date | null } | null },
) {
  if (code === 'sous_le_plancher') return { sum: writeAmount(floor) }
  if (code === 'montant_non_eligible') return { sum: writeAmount(available) }
  const at = candidate?.serves_from
  return at ? { when: [writeDate(at, 'fr'), writeDate(at, 'en')] as const } : {}
}
