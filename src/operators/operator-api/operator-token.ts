import type { OperatorReply } from './operator-http.ts'

/** A new token of an operator, with its life in seconds. */
export type IssuedToken = { token: string; seconds: number }

/** `refused`: no token is to be had now. Holds the operator's last reply to us. */
export type TokenReply = { kind: 'held'; token: string } | { kind: 'refused'; reply: OperatorReply }

/** `no_token`: the call was not sent, because we have no token. */
export type ReplyWithToken = OperatorReply | { kind: 'no_token'; reply: OperatorReply }

export type TokenKeeper = {
  /** Returns a valid token. Simultaneous callers share one request, and nobody waits while the last token is valid. */
  get(): Promise<TokenReply>
  /**
   * Makes a call with the token, and once more with a new token if the operator answers 401: it did not carry out a call that it answered
   * so. The second call must be the same as the first.
   */
  call(send: (token: string) => Promise<OperatorReply>): Promise<ReplyWithToken>
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
/** Milliseconds between two requests after a failure. They double with each further one, so that a wrong secret does not hammer the operator. */
const PAUSE_MS = 1_000
const PAUSE_MAX_MS = 60_000

/**
 * Keeps one token of an operator for all callers. Fetches it at the first call, and renews it early in the background. A token that a call
 * finds refused is replaced at once. If the operator refuses the new one too, or gives none, the pauses begin: callers get the last refusal,
 * or call with the last token, until the operator accepts a call. New settings and a check have a keeper of their own, without a pause.
 */
export function keepToken({ ask, read, now }: Options): TokenKeeper {
  /** `replace_from`: before this time a refusal of the token does not make us fetch another. */
  let held: { token: string; renew_at: number; ends_at: number; replace_from: number } | null = null
  let refused: { reply: OperatorReply; until: number } | null = null
  let asking: Promise<TokenReply> | null = null
  /** Tokens that were not given or not accepted, since the last accepted call. */
  let failures = 0

  async function renew(): Promise<TokenReply> {
    const asked_at = now().getTime()
    const reply = await ask()
    const issued = read(reply)
    const told_at = now().getTime()
    if (issued === null) {
      // Without an answer nobody has refused our secret, and the pause does not grow.
      if (reply.kind === 'answered') failures += 1
      refused = { reply, until: told_at + pauseAfter(Math.max(failures, 1)) }
      return { kind: 'refused', reply }
    }
    const { token, seconds } = issued
    // Counts the token's life from the request, so that we never take it for longer than it is.
    const ends_at = asked_at + seconds * 1_000
    const renew_at = ends_at - Math.min(EARLY_MS, seconds * 200)
    held = { token, ends_at, renew_at, replace_from: told_at + pauseAfter(failures) }
    refused = null
    return { kind: 'held', token }
  }

  async function get(): Promise<TokenReply> {
    const time = now().getTime()
    const good = held !== null && time < held.ends_at ? held : null
    if (good !== null && time < good.renew_at) return { kind: 'held', token: good.token }
    if (refused === null || time >= refused.until) {
      asking ??= renew().finally(() => {
        asking = null
      })
    } else if (asking === null && good === null) return { kind: 'refused', reply: refused.reply }
    return good === null ? await asking! : { kind: 'held', token: good.token }
  }

  /** Learns from the reply to a call whether the operator accepts its token. A late reply about an earlier token says nothing. */
  function learn(token: string, reply: OperatorReply): void {
    if (reply.kind !== 'answered' || held?.token !== token) return
    if (reply.status === 401) {
      if (now().getTime() < held.replace_from) return
      held = null
      failures += 1
    } else if (reply.status < 500 && refused === null) {
      failures = 0
      held.replace_from = 0
    }
  }

  return {
    get,
    async call(send) {
      const first = await get()
      if (first.kind === 'refused') return { kind: 'no_token', reply: first.reply }
      const reply = await send(first.token)
      learn(first.token, reply)
      const other = reply.kind === 'answered' && reply.status === 401 && held?.token !== first.token
      if (!other) return reply
      const second = await get()
      if (second.kind === 'refused') return { kind: 'no_token', reply: second.reply }
      const last = await send(second.token)
      learn(second.token, last)
      return last
    },
  }
}

function pauseAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(PAUSE_MS * 2 ** (failures - 1), PAUSE_MAX_MS)
}
