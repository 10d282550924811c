import { BandamaError } from '../src/errors.ts'

/** A failure that the developer can mend: its message is one sentence that says what to do. */
export class Sentence extends Error {
  override name = 'Sentence'
}

/** Steps that the service's own sentence lacks, by its code. */
const remedies: Readonly<Record<string, string>> = {
  invalid_api_key: ' Then run bdm login.',
  insufficient_scope: ' Keep it under a --profile of its own.',
}

/** Reads any failure as one sentence. Null: a fault of this program, which deserves its trace. */
export function sentenceOf(error: unknown): string | null {
  if (error instanceof BandamaError) {
    const { code, status, message, requestId, mayHaveHappened, idempotencyKey } = error
    const certificate = /CERT|certificate|SELF_SIGNED/i.test(message)
      ? ' The certificate is refused: check the clock of this machine, then NODE_EXTRA_CA_CERTS.'
      : ''
    const again = mayHaveHappened && idempotencyKey !== null ? ` Repeat it with --key ${idempotencyKey}.` : ''
    const told =
      status === null || code === 'unreadable' ? message : `${status} ${code}: ${message}${remedies[code] ?? ''}`
    return `${told}${certificate}${again}${requestId === null ? '' : ` [request ${requestId}]`}`
  }
  if (error instanceof Sentence || error instanceof TypeError) return error.message
  if (String((error as { code?: unknown })?.code).startsWith('ERR_PARSE_ARGS')) return (error as Error).message
  if ((error as Error)?.name === 'SignatureError') return (error as Error).message
  return null
}
