import assert from 'node:assert/strict'

/** Runs a command that is refused: with a sentence on standard error, nothing on standard output, and no stack trace. */
export async function refused(command: Promise<unknown>, message: RegExp, exit = 1): Promise<void> {
  await assert.rejects(command, ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => {
    assert.deepEqual([code, stdout], [exit, ''], stderr)
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, /\n\s+at /, 'a sentence, not a trace')
    return true
  })
}
