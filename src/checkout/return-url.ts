/** Characters of an address that the payer goes back to, at most. */
const RETURN_URL_MAX = 2_048

/**
 * Whether an address is one that we send payers to: `https://` and a host, absolute, without a name or password in it, and
 * without anything that two programs could read differently (spaces, control characters, backslashes).
 */
export function isReturnUrl(written: unknown): written is string {
  if (typeof written !== 'string' || written.length > RETURN_URL_MAX) return false
  if (!/^https:\/\/[^/?#@\\\s]+(?:[/?#][^\\\s]*)?$/i.test(written) || /[\p{C}<>"`{}|^]/u.test(written)) return false
  const url = URL.parse(written)
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === '' && url.hostname !== ''
}

/** An address as it is kept: its scheme, which may be written in any case, in small letters. */
export function keptReturnUrl(written: string): string {
  return written.replace(/^https:/i, 'https:')
}
