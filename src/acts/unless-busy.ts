import { isBusy } from '../platform/postgres/failures.ts'

/** Runs an act in one transaction. `busy` when others held the same money or rows too long; nothing was done then. */
export async function unlessBusy<Outcome>(
  acting: Promise<Outcome>,
): Promise<Outcome | { kind: 'refused'; code: 'busy' }> {
  try {
    return await acting
  } catch (error) {
    if (!isBusy(error)) throw error
    return { kind: 'refused', code: 'busy' }
  }
}

/** The words for an act that did nothing because another operation held the same money. */
export const busyWords = {
  title: ['Votre compte est occupé', 'Your account is busy'],
  text: [
    'Une autre opération tient le compte en ce moment. Rien n’a été fait, rien n’est parti : attendez un instant, puis réessayez sans risque.',
    'Another operation holds the account just now. Nothing was done and nothing left: wait a moment, and it is safe to try again.',
  ],
} as const
