import { calendarDays } from '../../external-accounts/business-day.ts'
import { setDay } from '../../external-accounts/set-day.ts'
import { readEnteredDays } from '../../external-accounts/store.ts'
import { addDays, periodOf } from '../../values/period.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'

/** The most days of one list. */
const DAYS_MAX = 1_000

const day = (says: string, sample: string) => ({ kind: 'needed', value: 'DAY', says, sample }) as const

const calendarSet = actCommand(setDay, {
  details:
    'Holidays with a fixed date and those derived from Easter are known. The four that follow the moon are entered once the ministry has announced them.',
  example: "--day 2027-03-10 --holiday 'Fin du ramadan'",
  instead: {
    options: {
      day: day('the day', '2027-03-10'),
      holiday: { kind: 'optional', value: 'NAME', says: 'a holiday of this name', sample: 'Tabaski' },
      business: { kind: 'flag', says: 'a business day' },
    },
    typed({ day, holiday, business }) {
      if ((holiday === undefined) === (business === false))
        throw new CommandError('Give either --holiday with a name, or --business.', 2)
      if (holiday === '') throw new CommandError('--holiday must be one line of 1 to 80 characters.', 2)
      return { day: day as string, ...(holiday === undefined ? {} : { holiday: holiday as string }) }
    },
  },
  answer: ({ day, business, name }) => ({ day, business, name }),
})

const calendarList = defineCommand({
  name: 'calendar list',
  summary: 'Show each day of a period: a business day or not, and its holiday',
  options: { from: day('the first day', '2027-01-01'), to: day('the last day', '2027-12-31') },
  table: { rows: 'days', columns: ['day', 'business', 'name'], empty: 'No days.' },
  async run(context, { from, to }) {
    const period = periodOf(from, to)
    if (period === null) throw new CommandError('--from and --to must be days such as 2027-01-01, in this order.', 2)
    if (addDays(from, DAYS_MAX) <= to) throw new CommandError(`A list has at most ${DAYS_MAX} days.`, 2)
    return { days: calendarDays(period, await readEnteredDays(await context.sql(), period)) }
  },
})

export const commands: readonly Command[] = [calendarSet, calendarList]
