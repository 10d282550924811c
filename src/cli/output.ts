import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from './command.ts'

/** Resolves when the reader of standard output has gone, as with `| head -1`. */
const closed = Promise.withResolvers<void>()
/** The error of writing to standard output, other than a closed pipe. */
let failure: NodeJS.ErrnoException | null = null

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') failure ??= error
  closed.resolve()
})
// An error on standard error cannot be reported anywhere.
process.stderr.on('error', () => {})

/** Resolves when a command that keeps printing may stop, because its reader has gone. */
export const outputClosed: Promise<void> = closed.promise

/**
 * Writes to standard output. Resolves when it is written, or when the reader has gone.
 * @throws CommandError when it cannot be written for another reason, such as a full disk
 */
export async function print(text: string): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))
  // The stream calls its callback first and emits the error a moment later.
  await new Promise((resolve) => setImmediate(resolve))
  refuseFailedOutput()
}

/** Prints the progress of a long command on standard error, beside the answer. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}

/**
 * Writes a stream to standard output, until the reader has gone.
 * @throws CommandError when it cannot be written, and any error of the stream itself
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
    `The answer could not be written (${failure.code}), but the command took effect. Check before you repeat it.`,
  )
}
