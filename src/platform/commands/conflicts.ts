import { violatedConstraint } from '../postgres/failures.ts'

/** Times that work is begun at most. Each conflict is with a transaction that has committed, and is seen by the next time. */
export const TRIES = 4

/**
 * Does work that reads and then writes, and begins it anew when another transaction wrote the same row between the two.
 * @param constraints that two of them violate
 * @param tries for a caller without a lock that keeps most others away: as many as may write at once
 * @throws the conflict itself when it came in each of the tries
 */
export async function retryOnConflict<Result>(
  constraints: readonly string[],
  work: () => Promise<Result>,
  tries = TRIES,
): Promise<Result> {
  for (let nth = 1; ; nth += 1) {
    try {
      return await work()
    } catch (error) {
      if (!constraints.includes(violatedConstraint(error) ?? '') || nth === tries) throw error
    }
  }
}
