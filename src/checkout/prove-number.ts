import { type ActAccepted, type ActRefused, defineAct, merchant, type RefusalWords, refuse } from '../acts/act.ts'
import type { Field } from '../acts/facts.ts'
import { aloneRefusals, readFirstDestination, whyNotAlone } from '../beneficiaries/first-destination.ts'
import { isMerchantActive } from '../merchants/store.ts'
import { lockDays } from '../payments/create-payment.ts'
import { tenantOf } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import { type AskDeps, askPayer } from './ask-payer.ts'
import type { Sale, SaleDeps } from './create-sale.ts'
import { suspended } from './link-fields.ts'
import { insertProof, type NumberProof } from './number-proofs.ts'

/** The francs of the payment that proves a number. They are credited as those of any payment. */
export const PROOF_AMOUNT = 100

/** @property holder the owner's name, and the operator's answer about it */
export type ProveDeps = SaleDeps & AskDeps & { readonly proving: Pick<NumberProof, 'holder' | 'name_match'> }

const { form, ...number } = askPayer.fields.number
const ownNumber: Field<Msisdn> = {
  ...number,
  name: ['Votre numéro', 'Your number'],
  form: {
    ...form,
    label: ['Votre numéro', 'Your number'],
    hint: ['Celui de votre propre compte Mobile Money.', 'The one of your own Mobile Money account.'],
  },
}

const refusals = {
  ...aloneRefusals,
  merchant_inactive: suspended,
  above_day: askPayer.refusals.above_day!,
  amount_too_high: ['Votre boutique ne prend pas 100 F CFA.', 'Your shop does not take 100 francs.'],
  made_before: ['La demande est déjà partie.', 'The request has left already.'],
} as const satisfies Record<string, RefusalWords>

/**
 * Asks an owner's own number for 100 francs, which prove it. The payment is one of the shop like any other; the number serves once its owner has
 * chosen it (`choose-own-number.ts`).
 */
export const proveNumber = defineAct({
  name: 'destination.prove',
  summary: 'Ask the own number of an owner for the payment of 100 francs that proves it',
  title: ['Prouver mon numéro', 'Prove my number'],
  right: 'destination.propose',
  fresh: false,
  on: merchant,
  fields: { number: ownNumber },
  load: async (tx, { tenant }, deps: ProveDeps) => ({
    about: tenant,
    deps,
    ofDays: await lockDays(tx, [{ caller: tenant, unchecked: deps.asking.unchecked }]),
    first: await readFirstDestination(tx, tenant),
    active: await isMerchantActive(tx, tenant.merchant_id),
  }),
  facts: {},
  content: () => ({}),
  decide(call, { about, deps, first, active, ofDays }, now): ActAccepted<Sale> | ActRefused<keyof typeof refusals> {
    const { by, tenant, values } = call
    const why = whyNotAlone(first, by.person)
    if (why !== null) return refuse(why)
    const sale = { amount: PROOF_AMOUNT, description: 'Preuve de mon numéro', number: values.number }
    const asked = askPayer.decide({ ...call, values: sale }, { about, deps, active, ofDays }, now)
    if (asked.kind === 'unchanged') throw new Error('A payment is asked for once, or refused.')
    if (asked.kind === 'refused') return asked as ActRefused<keyof typeof refusals>
    const { session_id } = asked.result
    const { e164: msisdn } = values.number
    const proof = { ...tenantOf(tenant), ...deps.proving, session_id, person: by.person, msisdn }
    return { ...asked, effects: [...asked.effects, insertProof({ ...proof, operator: deps.asking.operator })] }
  },
  refusals,
  conflicts: { checkout_sessions_pkey: 'made_before' },
})
