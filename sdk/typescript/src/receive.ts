import {
  type HeadersLike,
  type IncomingLike,
  SignatureError,
  secretsIn,
  verify,
  type WebhookEvent,
} from './webhooks.ts'

/** Your own work with an event. The service sends it again until you return, so an id may come twice. */
export type OnEvent = (event: WebhookEvent) => unknown

export type HandlerOptions = {
  /** Seconds that a signature may be old, 300 when absent. */
  tolerance?: number
  /** Gets what your function threw. Absent: it goes to the console. */
  onError?: (error: unknown) => unknown
}

/** An answer to the service: 204, 400 with the reason, or 500. */
export type Received = { status: 204 | 400 | 500; text: string }

/** Makes a receiver. @throws TypeError at once when the secret is empty, and not at the first event */
export function receiver(secret: string | readonly string[], onEvent: OnEvent, options: HandlerOptions = {}) {
  const secrets = secretsIn(secret)
  return async (input: Request | IncomingLike | Uint8Array | string, headers?: HeadersLike): Promise<Received> => {
    try {
      await onEvent(await verify(input, secrets, { ...options, ...(headers && { headers }) }))
      return { status: 204, text: '' }
    } catch (error) {
      // The service keeps the sentence with the attempt, where the console shows it.
      if (error instanceof SignatureError) return { status: 400, text: error.message }
      void tell(error, options)
      return { status: 500, text: '' }
    }
  }
}

/** Tells the program what its function threw. Nobody waits for it, and its own fault does not cost the service its answer. */
async function tell(error: unknown, { onError }: HandlerOptions): Promise<void> {
  // biome-ignore lint/suspicious/noConsole: an error that nobody sees would cost an evening.
  const show = (one: unknown) => console.error(one)
  try {
    await (onError ?? show)(error)
  } catch (another) {
    show(another)
  }
}
