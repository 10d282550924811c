import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from './command.ts'

/** Resolves when nobody reads standard output any more, as with `| head -1`. */
const closed = Promise.withResolvers<void>()
/** Why standard output cannot be written, when it is not that nobody reads it. */
let failure: NodeJS.ErrnoException | null = null

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') failure ??= error
  closed.resolve()
})
// There is nobody left to tell that nobody listens.
process.stderr.on('error', () => {})

/** For a command that goes on printing: it has nothing to do any more once this resolves. */
export const outputClosed: Promise<void> = closed.promise

/**
 * Writes to standard output and resolves when that is done, or when nobody reads it.
 * @throws CommandError when it cannot be written for another reason, such as a full disk
 */
export async function print(text: string): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))
  // The stream tells its callback first and its listeners a moment later.
  await new Promise((resolve) => setImmediate(resolve))
  refuseFailedOutput()
}

/** Says beside the answer how far a long command is, on standard error. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}

/**
 * Writes all of it to standard output, or as much as is read there.
 * @throws CommandError when it cannot be written, and what the stream itself throws
 */
export async function printStream(content: Readable): Promise<void> {
  try {
    await pipeline(content, process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
  refuseFailedOutput()
}

/** @throws CommandError when something that was printed could not be written */
function refuseFailedOutput(): void {
  if (failure === null) return
  throw new CommandError(
    `The answer could not be written (${failure.code}). The command itself was carried out: look before you repeat it.`,
  )
}
