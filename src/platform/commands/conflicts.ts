import { violatedConstraint } from '../postgres/failures.ts'

/** Times that work is begun at most. Each conflict is with a transaction that has committed, and is seen by the next time. */
export const TRIES = 4

/**
 * Does work that reads and then writes, and begins it anew when another transaction wrote the same row between the two.
 * @param constraints that two of them violate
 * @throws the conflict itself when it came four times
 */
export async function retryOnConflict<Result>(
  constraints: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!constraints.includes(violatedConstraint(error) ?? '') || tries === TRIES) throw error
    }
  }
}
