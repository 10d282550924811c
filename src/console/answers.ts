import { packed, pageHeaders, type Recipient } from '../platform/http/pages/page-answer.ts'
import type { Answer } from '../platform/http/refusal.ts'
import type { ScreenAnswer } from './screen.ts'

/** Returns a whole page, compressed as the browser accepts. */
export function pageAnswer(
  to: Recipient,
  status: number,
  document: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers = { ...consoleHeaders(to.secure), ...more, 'Content-Type': 'text/html; charset=utf-8' }
  return packed(to, { status, body: document, error_code: null, headers })
}

/** Returns the facts of a page, for a program. @param shown masks the text for its reader */
export function jsonAnswer(
  to: Recipient,
  status: number,
  facts: object,
  shown: (text: string) => string = (text) => text,
): Promise<Answer> {
  return packed(to, {
    status,
    body: shown(JSON.stringify(facts)),
    error_code: null,
    headers: consoleHeaders(to.secure),
  })
}

/** Returns a download. In test mode its name says so. */
export function fileAnswer(
  { secure }: Recipient,
  { name, type, body, stream }: Extract<ScreenAnswer, { kind: 'file' }>,
  livemode: boolean,
): Answer {
  const named = livemode ? name : `TEST-${name}`
  const headers = {
    ...consoleHeaders(secure),
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${named}"`,
  }
  return { status: 200, body, ...(stream === undefined ? {} : { stream }), error_code: null, headers }
}

/**
 * Returns the security headers: no content from elsewhere, nothing inline, no framing. A page names its origin alone as the referrer: the path of an
 * invitation is a secret, which a log of the style sheet's requests would keep. Without a referrer a form's `Origin` would be `null`.
 */
export function consoleHeaders(secure: boolean) {
  return { ...pageHeaders(["'self'"], secure), 'Referrer-Policy': 'strict-origin' }
}
