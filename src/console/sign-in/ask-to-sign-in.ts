import { redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import { wantsJson } from '../../platform/http/pages/page-request.ts'
import { jsonAnswer } from '../answers.ts'
import type { Asked, ConsoleFrame } from '../console-frame.ts'
import type { FormFields } from '../read-fields.ts'
import type { ScreenDoor } from '../screen.ts'
import { carried, createDoorPage } from './door-page.ts'
import { keepForm } from './kept-form.ts'
import { signInView } from './sign-in-views.ts'

/**
 * Answers a request that came without a session. A page leads to the sign-in and comes back; a form is kept on the page that asks, so
 * that nothing typed is lost. A program is refused.
 */
export async function askToSignIn(frame: ConsoleFrame, asked: Asked, door: ScreenDoor, fields: FormFields) {
  const { url, headers, address, request_id, body } = asked
  const page = createDoorPage(frame)({ door, url, headers, address, request_id })
  const { say, to } = page
  if (wantsJson(headers)) return jsonAnswer(to, 401, { error: { code: 'not_signed_in' } })
  if (body === undefined) return redirectAnswer(to, `/${door}/sign-in?${new URLSearchParams({ next: url })}`)
  const typed = fields.entries().filter(([name]) => name !== 'nonce' && name !== 'step_up_id')
  const kept = keepForm(frame.kept_key, { to: url, fields: typed })
  const main = signInView({ say, door, hidden: carried({ kept: kept ?? '' }) }, null, { ended: true })
  return page.write(401, say(['Entrer', 'Sign in']), main, {}, `/${door}/sign-in`)
}
