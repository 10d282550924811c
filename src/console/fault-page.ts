import type { IncomingMessage } from 'node:http'
import { html } from '../platform/http/html.ts'
import { languageOf, queryOf, wantsJson } from '../platform/http/pages/page-request.ts'
import type { Answer } from '../platform/http/refusal.ts'
import { consoleHeaders } from './answers.ts'
import { linkButton } from './components.ts'
import type { ConsoleFrame } from './console-frame.ts'
import { icon } from './icons.ts'
import { sayIn } from './say.ts'
import type { ScreenDoor } from './screen.ts'
import { drawDoor, otherLanguageLink, writeDocument } from './write-page.ts'

const REPEAT = 'It may have been done, or still be under way. Read its state before you repeat it.'

/** A page of the console or the desk, with the address of its first page. */
const pages = /^(\/(console|desk)(?:(?:\/(?:live|test))(?:\/\d+)?)?)(?:[/?]|$)/

/**
 * The page of a person whose request failed outside its screen, or whose answer is late: the act may have been done, or still go on. It reads
 * nothing, because the database may be the cause. Null for every other address.
 */
export function writeFaultPage(
  { brand, originOf }: Pick<ConsoleFrame, 'brand' | 'originOf'>,
  { url = '', method, headers }: IncomingMessage,
  request_id: string,
): Answer | null {
  const [, first, door] = pages.exec(url) ?? []
  if (first === undefined) return null
  const acts = method === 'POST'
  const fault = { status: 500, error_code: 'payment_failed' } as const
  const common = consoleHeaders(originOf(door as ScreenDoor).startsWith('https:'))
  if (wantsJson(headers)) {
    const error = { code: 'internal_error', ...(acts && { message: REPEAT }) }
    return { ...fault, body: JSON.stringify({ error, request_id }), headers: common }
  }
  const language = languageOf(queryOf(url), headers['accept-language'])
  const say = sayIn(language)
  const title = acts
    ? say(['Nous n’avons pas la réponse', 'We do not have the answer'])
    : say(['Cette page prend trop de temps', 'This page takes too long'])
  const text = acts
    ? say([
        'Ce que vous avez demandé a peut-être été fait, ou se fait encore. Regardez d’abord où cela en est, avant de recommencer.',
        'What you asked for may have been done, or may still be under way. Look at its state before you repeat it.',
      ])
    : say(['Rien n’a été changé. Réessayez dans un moment.', 'Nothing was changed. Try again in a moment.'])
  const main = html`<article class="slip"><div role="alert">${icon('clock')}<h1>${title}</h1><p class="lead">${text}</p></div><p class="acts">${linkButton(first, say(['Revenir à l’accueil', 'Back to the first page']), 'second')}</p><p class="hint">${say(['À citer à l’équipe : ', 'Number to quote: '])}<span class="id">${request_id}</span></p></article>`
  const body = drawDoor(main, { brand, say, other_language: otherLanguageLink(language, acts ? first : url) })
  const document = writeDocument({ title: `${title} · ${brand}`, language, body })
  return { ...fault, body: document, headers: { ...common, 'Content-Type': 'text/html; charset=utf-8' } }
}
