/**
 * Sends statements of one transaction together, and returns their results. The server executes each after the previous one, so a read behind a
 * lock sees all that the lock's former holder committed.
 */
export function inOrder<Statements extends readonly unknown[] | []>(
  statements: Statements,
): Promise<{ -readonly [At in keyof Statements]: Awaited<Statements[At]> }> {
  return Promise.all(statements)
}
