import type { IncomingHttpHeaders } from 'node:http'
import type { Browser } from '../../people/sessions/browser.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { languageOf, queryOf, wantsJson } from '../../platform/http/pages/page-request.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import type { Language } from '../../values/language.ts'
import { jsonAnswer, pageAnswer } from '../answers.ts'
import type { Asked, ConsoleFrame } from '../console-frame.ts'
import { hiddenField } from '../forms.ts'
import { type Say, sayIn } from '../say.ts'
import type { ScreenDoor } from '../screen.ts'
import { markCookie, readBrowserMark, readSessionCookie } from '../session-cookie.ts'
import { drawDoor, otherLanguageLink, writeDocument } from '../write-page.ts'

/** A request before a sign-in. */
export type DoorRequest = {
  readonly door: ScreenDoor
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly request_id: string
}

/** Creates the words and the page of a request before a sign-in. */
export function createDoorPage({ brand, originOf }: { brand: string; originOf: (door: ScreenDoor) => string }) {
  return (request: DoorRequest) => {
    const { door, url, headers, address } = request
    const language: Language = languageOf(queryOf(url), headers['accept-language'])
    const say: Say = sayIn(language)
    const secure = originOf(door).startsWith('https:')
    const to = { headers, secure }
    const mark = readBrowserMark(headers, secure)
    const former = readSessionCookie(headers, secure)
    const browser: Browser = { address, user_agent: headers['user-agent'] ?? '', mark, former }
    return {
      language,
      say,
      to,
      secure,
      browser,
      brand,
      /** Writes a page and marks its browser. @param page the GET address of this page, for the link to the other language */
      write(
        status: number,
        title: string,
        main: Html,
        more: Readonly<Record<string, string>> = {},
        page = url,
      ): Promise<Answer> {
        const body = drawDoor(main, { brand, say, other_language: otherLanguageLink(language, page) })
        const marked = { 'Set-Cookie': markCookie(mark, secure), ...more }
        return pageAnswer(to, status, writeDocument({ title: `${title} · ${brand}`, language, body }), marked)
      },
    }
  }
}

export type DoorPage = ReturnType<ReturnType<typeof createDoorPage>>

/** The hidden fields that every step of a sign-in passes on. */
export function carried(fields: Readonly<Record<string, string | readonly string[]>>): Html {
  const values = Object.entries(fields).flatMap(([name, all]) => [all].flat().map((value) => [name, value] as const))
  return html`${values.map(([name, value]) => value !== '' && hiddenField(name, value))}`
}

/** The answer to our own fault before a sign-in. It does not claim that anything happened. */
export function faultAtDoor(frame: ConsoleFrame, asked: Omit<Asked, 'turn'>, door: ScreenDoor): Promise<Answer> {
  const page = createDoorPage(frame)({ door, ...asked })
  const { say, to } = page
  if (wantsJson(asked.headers))
    return jsonAnswer(to, 500, { error: { code: 'internal_error' }, request_id: asked.request_id })
  const told = say([
    'C’est notre faute, pas la vôtre. Réessayez dans un moment.',
    'The problem is on our side. Try again in a moment.',
  ])
  const main = html`<article class="slip"><div role="alert"><h1>${told}</h1><p class="hint">${asked.request_id}</p></div></article>`
  return page.write(500, say(['Panne', 'Error']), main, {}, `/${door}`)
}
