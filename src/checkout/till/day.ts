/** The first moment of a day in Abidjan, which is on UTC, in milliseconds. */
export function startOfDay(now: Date): number {
  return now.getTime() - (now.getTime() % 86_400_000)
}
