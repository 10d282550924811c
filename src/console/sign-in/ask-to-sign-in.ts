import { findPersonOfToken } from '../../people/sessions/read-session.ts'
import type { Admission, Unread } from '../../platform/http/admission.ts'
import type { Html } from '../../platform/http/html.ts'
import { redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import { wantsJson } from '../../platform/http/pages/page-request.ts'
import { jsonAnswer } from '../answers.ts'
import type { Asked, ConsoleFrame } from '../console-frame.ts'
import { FORM_MAX_BYTES, type FormFields, isPlainForm } from '../read-fields.ts'
import type { ScreenDoor } from '../screen.ts'
import { readSessionCookie } from '../session-cookie.ts'
import { carried, createDoorPage, faultAtDoor } from './door-page.ts'
import { keepForm, partsOfKept } from './kept-form.ts'
import { signInView } from './sign-in-views.ts'

/**
 * Answers a request without a session. A page redirects to the sign-in, which comes back. The sign-in page keeps a form, so that no typed text
 * is lost. A program is refused.
 * @param form a form of our own page; `file`: one with a file, which is not kept and has its page at the same address; null: none, or one of
 * another site, which is not kept
 */
export async function askToSignIn(
  frame: ConsoleFrame,
  asked: Omit<Asked, 'turn'>,
  door: ScreenDoor,
  form: FormFields | 'file' | null,
) {
  const { url, headers, body } = asked
  const page = createDoorPage(frame)({ door, ...asked })
  const { say, to } = page
  if (wantsJson(headers)) return jsonAnswer(to, 401, { error: { code: 'not_signed_in' } })
  const write = (main: Html) => page.write(401, say(['Entrer', 'Sign in']), main, {}, `/${door}/sign-in`)
  if (body === undefined) return redirectAnswer(to, `/${door}/sign-in?${new URLSearchParams({ next: url })}`)
  if (form === 'file') return write(signInView({ say, door, hidden: carried({ next: url }) }, null, { ended: 'file' }))
  const { mark = null, former = null } = page.browser
  const person_id = form === null || former === null ? null : await findPersonOfToken(frame, former)
  if (form === null || mark === null || person_id === null)
    return write(signInView({ say, door, hidden: carried({}) }, null))
  const typed = form.entries().filter(([name]) => name !== 'nonce' && name !== 'step_up_id')
  const kept = keepForm(frame.kept_key, { person_id, mark }, { to: url, fields: typed })
  const hidden = kept === null ? carried({ next: url }) : carried({ kept: partsOfKept(kept) })
  const ended = kept === null ? 'too_long' : 'kept'
  const main = signInView({ say, door, hidden }, null, { ended })
  return write(main)
}

/**
 * Admits the file of a signed-in person before it is read, so that strangers fill no memory with files. Anybody else signs in first and
 * chooses the file again.
 */
export async function admitUpload(frame: ConsoleFrame, unread: Unread, door: ScreenDoor): Promise<Admission> {
  const { 'content-type': type, 'content-length': length } = unread.headers
  // Pasted lines come without a file, and are kept like any other form.
  if (isPlainForm(type) && Number(length) <= FORM_MAX_BYTES) return { kind: 'admitted', uploader: null }
  const asked = { ...unread, body: null }
  try {
    const token = readSessionCookie(unread.headers, frame.originOf(door).startsWith('https:'))
    const session = token === null ? null : await frame.readSession(token)
    if (session === null) return { kind: 'refused', answer: await askToSignIn(frame, asked, door, 'file') }
    return { kind: 'admitted', uploader: session.person.person_id }
  } catch (error) {
    frame.log.error({ error, request_id: unread.request_id }, 'console: file not admitted')
    return { kind: 'refused', answer: await faultAtDoor(frame, asked, door) }
  }
}
