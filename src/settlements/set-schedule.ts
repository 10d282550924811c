import { type ActDecision, defineAct, merchant } from '../acts/act.ts'
import { type Field, francs, optional, sumField } from '../acts/facts.ts'
import { endFact, endOf } from '../beneficiaries/destination-facts.ts'
import { readDesignated } from '../beneficiaries/store.ts'
import { lockMerchant } from '../merchants/store.ts'
import { tenantOf } from '../values/caller.ts'
import type { Words } from '../values/language.ts'
import { type Days, nextRun, readDays, type ScheduleRow, weekdays, writeDays } from './schedule.ts'
import { readSchedule, removeSchedule, writeSchedule } from './schedule-store.ts'

const names: Readonly<Record<(typeof weekdays)[number], Words>> = {
  mon: ['lundi', 'Monday'],
  tue: ['mardi', 'Tuesday'],
  wed: ['mercredi', 'Wednesday'],
  thu: ['jeudi', 'Thursday'],
  fri: ['vendredi', 'Friday'],
  sat: ['samedi', 'Saturday'],
  sun: ['dimanche', 'Sunday'],
}

/** The day of a week by its name. */
export const weekdayWords = (day: Days[number]): Words => names[day]

/** Writes the days of a schedule for people. Null: never. */
export function sayDays(days: Days | null): Words {
  if (days === null) return ['Jamais', 'Never']
  if (days.length === weekdays.length) return ['Chaque jour', 'Every day']
  return [
    `Chaque ${days.map((day) => names[day][0]).join(', ')}`,
    `Every ${days.map((day) => names[day][1]).join(', ')}`,
  ]
}

const HOUR = /^([01]?\d|2[0-3])(?::00)?$/

const every: Field<Days | null> = {
  name: ['Quand', 'When'],
  write: sayDays,
  read: (typed) => (typed === 'never' ? null : (readDays(typed) ?? undefined)),
  form: {
    label: ['Quand', 'When'],
    kind: 'choice',
    fault: ['Choisissez un jour, ou jamais.', 'Choose a day, or never.'],
  },
  option: {
    value: 'DAYS',
    says: 'day, or days such as mon,thu',
    sample: 'mon,thu',
    must: 'must be day, or days such as mon,thu.',
  },
}

const at: Field<number> = {
  name: ['À', 'At'],
  write: (hour) => [`${String(hour).padStart(2, '0')}:00`, `${String(hour).padStart(2, '0')}:00`],
  read: (typed) => (HOUR.test(typed) ? Number(HOUR.exec(typed)![1]) : undefined),
  form: { label: ['Heure', 'Hour'], kind: 'choice', fault: ['Choisissez une heure.', 'Choose an hour.'] },
  option: { value: 'HH', says: 'the hour in Abidjan', sample: '06', must: 'must be an hour from 0 to 23.' },
}

const keep = sumField(['Garder au moins, F CFA', 'Keep at least, F CFA'], {
  name: ['Reste ici', 'Stays here'],
  option: { name: 'floor' },
  min: 0,
  hint: ['Ce qui reste ici pour vos remboursements et vos envois.', 'It stays here for your refunds and your payouts.'],
})

/** A schedule as the command prints it. `next_at`: null when it is off. */
export type ScheduleSet = Pick<ScheduleRow, 'at_hour' | 'keep'> & {
  readonly every: string
  readonly next_at: Date | null
}

/**
 * Sets a withdrawal at a fixed hour of some days, or ends it. Each run makes a request like that of a person, to the destination that is designated
 * then; two people of the company pay it.
 */
export const setSchedule = defineAct({
  name: 'settlement.schedule',
  summary: 'Withdraw at a fixed hour of some days what is available above a floor, or stop doing so',
  title: ['Retrait automatique', 'Automatic withdrawal'],
  right: 'settlements.request',
  fresh: true,
  on: merchant,
  fields: { every, at: optional(at), keep: optional(keep) },
  async load(tx, { tenant }) {
    // Two changes at once take turns; a run has its own lock, and takes the row as it finds it.
    if ((await lockMerchant(tx, tenant.merchant_id)) === null) return null
    return { about: tenant, before: await readSchedule(tx, tenant), designated: await readDesignated(tx, tenant) }
  },
  facts: { every, at, keep: francs(keep.name), to: endFact(['Vers', 'To']) },
  content({ designated }, { every: days, at: hour, keep: kept }) {
    const on = days !== null
    return {
      every: days,
      at: on ? hour : null,
      keep: on ? (kept ?? 0) : null,
      to: on && designated ? endOf(designated) : null,
    }
  },
  decide({ by, tenant, values }, { before }, now): ActDecision<ScheduleSet, 'no_hour'> {
    const { every: days, at: hour, keep: kept } = values
    const was = before && { every: writeDays(before.days), at_hour: before.at_hour, keep: before.keep }
    if (days === null) {
      const result: ScheduleSet = { every: 'never', at_hour: 0, keep: 0, next_at: null }
      if (was === null) return { kind: 'unchanged', result }
      return {
        kind: 'accepted',
        effects: [removeSchedule(tenantOf(tenant))],
        result,
        before: was,
        after: { every: 'never' },
      }
    }
    if (hour === null) return { kind: 'refused', code: 'no_hour' }
    const set = { days, at_hour: hour, keep: kept ?? 0 }
    const next_at = nextRun(set, now)
    const after = { every: writeDays(days), at_hour: hour, keep: set.keep }
    return {
      kind: 'accepted',
      effects: [writeSchedule({ ...tenantOf(tenant), ...set, set_by: by.person, set_at: now, next_at })],
      result: { ...after, next_at },
      ...(was === null ? {} : { before: was }),
      after,
    }
  },
  refusals: {
    no_hour: {
      at: 'at',
      words: ['Choisissez une heure.', 'Choose an hour.'],
      command: 'Give --at with an hour from 0 to 23.',
    },
  },
})
