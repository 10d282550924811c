import type { OperatorReply } from './operator-http.ts'

/** A new token of an operator, with its life in seconds. */
export type IssuedToken = { token: string; seconds: number }

/** `refused`: the operator gave no token. Holds its reply. */
export type TokenReply = { kind: 'held'; token: string } | { kind: 'refused'; reply: OperatorReply }

export type TokenKeeper = {
  /** Returns a valid token. Simultaneous callers share one request, and nobody waits while the last token is valid. */
  get(): Promise<TokenReply>
  /** Drops a token that the operator did not accept. The next caller fetches another. */
  drop(token: string): void
}

type Options = {
  /** Asks the operator for a token. Never throws. */
  ask(): Promise<OperatorReply>
  /** Null when the reply holds no token. */
  read(reply: OperatorReply): IssuedToken | null
  /** The clock of this machine. */
  now(): Date
}

/** Milliseconds before its end at which a token is renewed, or a fifth of its life if that is less. */
const EARLY_MS = 60_000
/** Milliseconds for which further callers get the last refusal. */
const PAUSE_MS = 1_000

/** Keeps one token of an operator for all callers. Fetches it at the first call, and renews it early in the background. */
export function keepToken({ ask, read, now }: Options): TokenKeeper {
  let held: { token: string; renew_at: number; ends_at: number } | null = null
  let refused: { reply: OperatorReply; until: number } | null = null
  let asking: Promise<TokenReply> | null = null

  async function renew(): Promise<TokenReply> {
    const asked_at = now().getTime()
    const reply = await ask()
    const issued = read(reply)
    if (issued === null) {
      refused = { reply, until: now().getTime() + PAUSE_MS }
      return { kind: 'refused', reply }
    }
    const { token, seconds } = issued
    // Counts the token's life from the request, so that we never take it for longer than it is.
    const ends_at = asked_at + seconds * 1_000
    held = { token, ends_at, renew_at: ends_at - Math.min(EARLY_MS, seconds * 200) }
    refused = null
    return { kind: 'held', token }
  }

  return {
    async get() {
      const time = now().getTime()
      const good = held !== null && time < held.ends_at ? held : null
      if (good !== null && time < good.renew_at) return { kind: 'held', token: good.token }
      if (refused === null || time >= refused.until) {
        asking ??= renew().finally(() => {
          asking = null
        })
      } else if (asking === null && good === null) return { kind: 'refused', reply: refused.reply }
      return good === null ? await asking! : { kind: 'held', token: good.token }
    },
    drop(token) {
      if (held?.token === token) held = null
    },
  }
}
