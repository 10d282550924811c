import type { Words } from '../../values/language.ts'
import { addDays, type Period } from '../../values/period.ts'

/** A period that a list offers by name. */
export type NamedPeriod = Period & { readonly words: Words }

/** The periods that a list offers, each up to a day at most. A week begins on Monday. @param today in Abidjan, `YYYY-MM-DD` */
export function namedPeriods(today: string): readonly NamedPeriod[] {
  const yesterday = addDays(today, -1)
  // 0: Sunday.
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay()
  return [
    { words: ['Aujourd’hui', 'Today'], from: today, to: today },
    { words: ['Hier', 'Yesterday'], from: yesterday, to: yesterday },
    { words: ['Cette semaine', 'This week'], from: addDays(today, -((weekday + 6) % 7)), to: today },
    { words: ['Ce mois', 'This month'], from: `${today.slice(0, 8)}01`, to: today },
  ]
}

/** The first named period with these days. Null: they have no name. */
export function periodNamed(today: string, { from, to }: Partial<Period>): NamedPeriod | null {
  return namedPeriods(today).find((one) => one.from === from && one.to === to) ?? null
}
