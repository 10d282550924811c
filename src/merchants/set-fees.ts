import { type ActCall, defineAct, merchantInBothModes, refuse } from '../acts/act.ts'
import { type Fact, merchantFact, oneOf, type ValuesOf } from '../acts/facts.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import { feeFields, momentInWords } from './fee-fields.ts'
import { type FeeTerms, feeInWords, feeServiceWords } from './fee-words.ts'
import { type FeeSchedule, feeAt } from './fees.ts'
import * as store from './store.ts'

/**
 * Seconds after which every process has read a new schedule: one for the age of settings in memory, one for the commit and for clocks that
 * differ. No schedule begins sooner, so that its moment is exact.
 */
export const KNOWN_AFTER_SECONDS = 2

/** Seconds after which a schedule without a moment begins: those, and one for the act itself. */
export const AT_ONCE_SECONDS = KNOWN_AFTER_SECONDS + 1

/** @property unread whether no process has read the merchant yet, so that its fees begin at once; absent: no */
export type FeeDeps = { readonly unread?: boolean }

export type FeesSet = FeeSchedule & { readonly merchant_id: number }

type NewSchedule = FeesSet & { readonly known_after_seconds: number | null }

const insert = defineEffect<NewSchedule>('new row', async (tx, schedules) => {
  for (const { merchant_id, known_after_seconds, ...schedule } of schedules)
    if (!(await store.insertFeeSchedule(tx, merchant_id, schedule, known_after_seconds)))
      throw Object.assign(new Error('The transaction was too slow.'), { conflict: 'too_slow' })
})

const none = 'none' as const
const terms = (name: Fact<never>['name']): Fact<FeeTerms | typeof none> => ({
  name,
  write: (fees) => feeInWords(fees === none ? null : fees),
})

/**
 * Adds a fee schedule of a merchant for one service, from a moment on. Schedules never change: the latest that has begun applies to new
 * operations, and a payment keeps the fee of its creation.
 */
export const setFees = defineAct({
  name: 'fees.set',
  summary: 'Set the fees of a merchant, from now or from a later time; an operation keeps the fee of its creation',
  title: ['Changer les frais', 'Change the fees'],
  right: 'fees.manage',
  fresh: true,
  on: merchantInBothModes,
  fields: feeFields,
  async load(
    tx,
    { merchant_id }: ActCall<typeof merchantInBothModes, ValuesOf<typeof feeFields>>,
    { unread = false }: FeeDeps,
  ) {
    if ((await store.lockMerchant(tx, merchant_id)) === null) return null
    const { fee_schedules } = (await store.selectSettings(tx, [merchant_id])).get(merchant_id)!
    const known_after_seconds = unread ? null : KNOWN_AFTER_SECONDS
    const after = unread ? null : { known: KNOWN_AFTER_SECONDS, at_once: AT_ONCE_SECONDS }
    const { known, at_once } = await store.readFeeMoments(tx, after)
    return { about: { merchant_id, livemode: null }, fee_schedules, known_after_seconds, known, at_once }
  },
  facts: {
    merchant: merchantFact,
    service: oneOf(['Sur', 'On'], feeServiceWords),
    fees: terms(['Nouveaux frais', 'New fees']),
    from: {
      name: ['Dès le', 'From'],
      write: (moment) => (moment === 'now' ? ['maintenant', 'now'] : momentInWords(moment)),
    } as Fact<string>,
    today: terms(['Aujourd’hui', 'Today']),
  },
  content({ fee_schedules, at_once }, values) {
    const from = values.from === null ? at_once : new Date(values.from)
    const before = feeAt(fee_schedules, values.service, from)
    return {
      service: values.service,
      fees: termsOf(values),
      from: values.from ?? 'now',
      today: before === null ? none : strip(before),
    }
  },
  decide({ merchant_id, values }, { fee_schedules, known, at_once, known_after_seconds }) {
    const { service, from } = values
    const fees = termsOf(values)
    if (!canBeCharged(fees)) return refuse('invalid_fees')
    const effective_from = from === null ? at_once : new Date(from)
    if (effective_from < known) return refuse('effective_too_early')
    const same = (one: FeeSchedule) =>
      one.service === service && one.effective_from.getTime() === effective_from.getTime()
    if (fee_schedules.some(same)) return refuse('schedule_exists')
    const schedule = { service, ...fees, effective_from }
    const before = feeAt(fee_schedules, service, effective_from)
    return {
      kind: 'accepted',
      effects: [insert({ merchant_id, ...schedule, known_after_seconds })],
      result: { merchant_id, ...schedule } satisfies FeesSet,
      subject: service,
      ...(before === null ? {} : { before }),
      after: schedule,
    }
  },
  unknown: 'There is no such merchant.',
  conflicts: { too_slow: 'effective_too_early', fee_schedules_pkey: 'schedule_exists' },
  refusals: {
    invalid_fees: {
      words: ['« Au plus » ne peut pas être inférieur à « Au moins ».', '“At most” must not be below “At least”.'],
      command: 'These fees cannot be charged: the maximum must be at least the minimum.',
      at: 'maximum',
    },
    effective_too_early: {
      words: [
        'Choisissez un jour à venir, ou laissez vide pour commencer tout de suite.',
        'Choose a day to come, or leave it empty to begin at once.',
      ],
      command: `--from must lie at least ${KNOWN_AFTER_SECONDS} seconds ahead, so that every process knows the new fee in time.`,
      at: 'from',
    },
    schedule_exists: {
      words: ['Des frais commencent déjà à ce moment.', 'Fees begin at that moment already.'],
      command: 'There is a schedule for that moment already. Give another --from.',
      at: 'from',
    },
  },
})

function strip({ basis_points, fixed, minimum, maximum, bearer }: FeeTerms): FeeTerms {
  return { basis_points, fixed, minimum, maximum, bearer }
}

/** The fee of a payout is always on top, so its bearer is no choice. */
function termsOf({ service, percent, bearer, ...sums }: ValuesOf<typeof feeFields>): FeeTerms {
  return strip({ ...sums, basis_points: percent, bearer: service === 'payout' ? 'merchant' : bearer })
}

/** Francs up to the largest amount, so that every sum made of them is exact. */
function canBeCharged({ basis_points, fixed, minimum, maximum }: FeeTerms): boolean {
  const isAmount = (value: number) => Number.isInteger(value) && value >= 0 && value <= AMOUNT_MAX
  const bounded = maximum === null || (isAmount(maximum) && maximum >= minimum)
  return isAmount(basis_points) && basis_points <= 10_000 && isAmount(fixed) && isAmount(minimum) && bounded
}
