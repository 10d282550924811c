import { html } from '../../platform/http/html.ts'
import type { Recipient } from '../../platform/http/pages/page-answer.ts'
import { redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import { languageOf, queryOf, wantsJson } from '../../platform/http/pages/page-request.ts'
import { sayIn } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'
import { type ConsoleFrame, jsonAnswer, pageAnswer } from '../serve-screens.ts'
import { drawDoor, otherLanguageLink, writeDocument } from '../write-page.ts'
import { keepForm } from './kept-form.ts'
import { signInView } from './sign-in-views.ts'

type Dependencies = Pick<ConsoleFrame, 'brand' | 'originOf'> & {
  /** Seals forms that wait. */
  key: Buffer
}

/**
 * Answers a request that came without a session. A page leads to the sign-in and comes back; a form is kept on the page that asks, so
 * that nothing typed is lost. A program is refused.
 */
export function createAskToSignIn({ brand, originOf, key }: Dependencies): ConsoleFrame['askToSignIn'] {
  return async (asked, door: ScreenDoor, fields) => {
    const to: Recipient = { headers: asked.headers, secure: originOf(door).startsWith('https:') }
    if (wantsJson(asked.headers)) return jsonAnswer(to, 401, { error: { code: 'not_signed_in' } })
    if (asked.body === undefined)
      return redirectAnswer(to, `/${door}/sign-in?${new URLSearchParams({ next: asked.url })}`)
    const language = languageOf(queryOf(asked.url), asked.headers['accept-language'])
    const say = sayIn(language)
    const kept = keepForm(key, { to: asked.url, fields: fields.entries().filter(([name]) => name !== 'nonce') })
    const hidden = html`${kept !== null && html`<input type="hidden" name="kept" value="${kept}">`}`
    const main = signInView({ say, door, hidden, passkey: null }, { ended: true })
    const body = drawDoor(main, { brand, say, other_language: otherLanguageLink(language, asked.url) })
    return pageAnswer(to, 401, writeDocument({ title: `${say(['Entrer', 'Sign in'])} · ${brand}`, language, body }))
  }
}
