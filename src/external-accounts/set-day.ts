import { defineAct, service } from '../acts/act.ts'
import { type Field, lineField, text } from '../acts/facts.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { isDay } from '../values/period.ts'
import { calendarDay, type EnteredDay } from './business-day.ts'
import * as store from './store.ts'

const writeDay = defineEffect<EnteredDay & { readonly by: string }>('calendar day', async (tx, days) => {
  for (const day of days) await store.putDay(tx, day)
})

const holiday = lineField(text(['Jour férié', 'Holiday']), {
  label: ['Nom du jour férié ; vide : jour ouvré', 'Name of the holiday; empty: a business day'],
  longest: 80,
  fault: ['Écrivez le nom, de 80 signes au plus.', 'Write the name, 80 characters at most.'],
})

/**
 * Enters a day as a holiday, such as one that follows the moon, or as a business day despite the calendar. A day that was closed stays as it was
 * closed.
 */
export const setDay = defineAct({
  name: 'calendar.set',
  summary: 'Enter a day as a holiday or as a business day',
  title: ['Changer le calendrier', 'Change the calendar'],
  right: 'accounts.manage',
  fresh: true,
  on: service,
  fields: {
    day: {
      ...text(['Jour', 'Day']),
      read: (typed) => (isDay(typed) ? typed : undefined),
      form: { label: ['Jour', 'Day'], kind: 'day', fault: ['Choisissez un jour.', 'Choose a day.'] },
      option: { value: 'DAY', says: 'the day', sample: '2027-03-10', must: 'must be a day such as 2027-03-10.' },
    } as Field<string>,
    /** Null: a business day. */
    holiday: {
      ...holiday,
      read: (typed) => (typed === '' ? null : holiday.read(typed)),
      option: { ...holiday.option, value: 'NAME', says: 'the name of the holiday', sample: 'Tabaski', absent: null },
    } as Field<string | null>,
  },
  load: async (tx, { values: { day } }) => ({
    about: { merchant_id: WHOLE_SERVICE, livemode: null },
    entered: await store.lockEnteredDay(tx, day),
  }),
  facts: {
    day: text(['Jour', 'Day']),
    becomes: { name: ['Devient', 'Becomes'], write: wordsOf },
    today: { name: ['Aujourd’hui', 'Today'], write: wordsOf },
  },
  content: ({ entered }, { day, holiday: name }) => ({
    day,
    becomes: { day, business: name === null, name },
    today: calendarDay(day, new Map(entered === null ? [] : [[day, entered]])),
  }),
  decide({ by, values: { day, holiday: name } }, { entered }) {
    const wanted: EnteredDay = { day, business: name === null, name }
    if (entered !== null && entered.name === name) return { kind: 'unchanged', result: wanted }
    const before = entered === null ? {} : { before: { business: entered.business, name: entered.name } }
    return {
      kind: 'accepted',
      effects: [writeDay({ ...wanted, by: by.person })],
      result: wanted,
      subject: day,
      ...before,
      after: { business: wanted.business, name },
    }
  },
  refusals: {},
})

function wordsOf({ business, name }: EnteredDay) {
  if (name !== null) return [name, name] as const
  return business ? (['jour ouvré', 'business day'] as const) : (['fin de semaine', 'weekend'] as const)
}
