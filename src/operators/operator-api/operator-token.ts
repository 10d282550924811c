import type { OperatorReply } from './operator-http.ts'

/** A token as an operator has just issued it: good for so many seconds. */
export type IssuedToken = { token: string; seconds: number }

/** `refused`: there is no token, and why, as the operator's reply. */
export type TokenReply = { kind: 'held'; token: string } | { kind: 'refused'; reply: OperatorReply }

export type TokenKeeper = {
  /** A token that is good. All who ask at once wait for one call, and nobody waits while the last token is still good. */
  get(): Promise<TokenReply>
  /** This token was not accepted: the next caller fetches another. */
  drop(token: string): void
}

type Options = {
  /** The call for a token. It never throws. */
  ask(): Promise<OperatorReply>
  /** Null: the reply holds no token. */
  read(reply: OperatorReply): IssuedToken | null
  /** The machine's clock. */
  now(): Date
}

/** Before its end a token is renewed: by so many milliseconds, or by a fifth of its life where that is less. */
const EARLY_MS = 60_000
/** Milliseconds for which a refusal answers for further callers. */
const PAUSE_MS = 1_000

/** Keeps one token of an operator's for all callers: fetched when first needed, renewed early and behind them, fetched once for many. */
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
    // Its life began at the latest when it was asked for.
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
