import type { DeskCase } from './find-cases.ts'

/** The classes of age, youngest first, each with its upper limit in hours. */
export const ageClasses = [
  { name: 'hour', under_hours: 1 },
  { name: 'day', under_hours: 24 },
  { name: 'three_days', under_hours: 72 },
  { name: 'older', under_hours: Number.POSITIVE_INFINITY },
] as const
export type AgeClass = (typeof ageClasses)[number]['name']

/** A filter of the queue by doubts and mismatches. Both null: no filter. `operator` is empty for cases without one. */
export type AgeFilter = { readonly age: AgeClass | null; readonly operator: string | null }

/** The counts of open doubts and mismatches. */
export type CaseAges = {
  readonly classes: readonly { readonly age: AgeClass; readonly doubts: number; readonly anomalies: number }[]
  /** By operator, empty for cases without one. The counts are in the order of the classes. */
  readonly operators: readonly { readonly operator: string; readonly counts: readonly number[] }[]
}

/** Counts the doubts and mismatches among cases by their age and operator. Pure. */
export function countAges(cases: readonly DeskCase[], now: Date): CaseAges {
  const open = cases.filter(isInDoubt)
  const of = (age: AgeClass) => open.filter((one) => ageOf(one, now) === age)
  return {
    classes: ageClasses.map(({ name: age }) => ({
      age,
      doubts: of(age).filter(({ about }) => about.kind === 'doubt').length,
      anomalies: of(age).filter(({ about }) => about.kind === 'anomaly').length,
    })),
    operators: [...new Set(open.map(({ operator }) => operator ?? ''))].toSorted().map((operator) => ({
      operator,
      counts: ageClasses.map(({ name }) => of(name).filter((one) => (one.operator ?? '') === operator).length),
    })),
  }
}

/** Whether a case matches a filter. Pure. */
export function isOfAge(one: DeskCase, { age, operator }: AgeFilter, now: Date): boolean {
  if (age === null && operator === null) return true
  if (!isInDoubt(one) || (age !== null && ageOf(one, now) !== age)) return false
  return operator === null || (one.operator ?? '') === operator
}

function isInDoubt({ about }: DeskCase): boolean {
  return about.kind === 'doubt' || about.kind === 'anomaly'
}

function ageOf({ since }: DeskCase, now: Date): AgeClass {
  const hours = (now.getTime() - since.getTime()) / 3_600_000
  return ageClasses.find(({ under_hours }) => hours < under_hours)!.name
}
