import { packed, pageHeaders, type Recipient } from '../../platform/http/pages/page-answer.ts'
import { type Answer, refusalAnswer } from '../../platform/http/refusal.ts'
import { type PageRefusal, pageRefusalStatuses, type View } from './facts.ts'

type Headers = Readonly<Record<string, string>>

/** A page, compressed as the browser accepts it. */
export function viewAnswer(to: Recipient, status: number, view: View, more: Headers = {}): Promise<Answer> {
  const headers = { ...pageHeaders(view.style_hashes, to.secure), ...more, 'Content-Type': 'text/html; charset=utf-8' }
  return packed(to, { status, body: view.html, error_code: null, headers })
}

/** The JSON form of a page. */
export function factsAnswer(to: Recipient, facts: object): Promise<Answer> {
  const headers = pageHeaders([], to.secure)
  return packed(to, { status: 200, body: JSON.stringify(facts), error_code: null, headers })
}

/** A refusal in the shape of the interface. */
export function pageRefusalAnswer(to: Recipient, code: PageRefusal, more: Headers = {}): Promise<Answer> {
  const headers = { ...pageHeaders([], to.secure), ...more }
  return packed(to, refusalAnswer({ status: pageRefusalStatuses[code], code, headers }))
}

/** A PDF to keep. */
export function fileAnswer(to: Recipient, body: Buffer, name: string): Answer {
  const headers = {
    ...pageHeaders([], to.secure),
    'Content-Type': 'application/pdf',
    'Content-Disposition': `attachment; filename="${name}"`,
  }
  return { status: 200, body, error_code: null, headers }
}
