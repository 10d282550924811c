import type { IncomingMessage } from 'node:http'
import { html } from '../platform/http/html.ts'
import { languageOf, queryOf, wantsJson } from '../platform/http/pages/page-request.ts'
import type { Answer, Refusal } from '../platform/http/refusal.ts'
import { errorMessages } from '../values/error-codes.ts'
import { consoleHeaders } from './answers.ts'
import { linkButton } from './components.ts'
import type { ConsoleFrame } from './console-frame.ts'
import { icon } from './icons.ts'
import { sayIn, type Words } from './say.ts'
import type { ScreenDoor } from './screen.ts'
import { drawDoor, otherLanguageLink, writeDocument } from './write-page.ts'

const REPEAT = 'It may have been done, or still be under way. Read its state before you repeat it.'

/** A page of the console or the desk, with the address of its first page. */
const pages = /^(\/(console|desk)(?:(?:\/(?:live|test))(?:\/\d+)?)?)(?:[/?]|$)/

type Frame = Pick<ConsoleFrame, 'brand' | 'originOf'>

/**
 * The page of a person whose request failed outside its screen, or whose answer is late: the act may have been done, or still go on. It reads
 * nothing, because the database may be the cause. Null for every other address.
 */
export function writeFaultPage(frame: Frame, request: IncomingMessage, request_id: string): Answer | null {
  const acts = request.method === 'POST'
  return writeOutside(frame, request, {
    answer: { status: 500, error_code: 'payment_failed' },
    facts: { error: { code: 'internal_error', ...(acts && { message: REPEAT }) }, request_id },
    title: acts
      ? ['Nous n’avons pas la réponse', 'We do not have the answer']
      : ['Cette page prend trop de temps', 'This page takes too long'],
    text: acts
      ? [
          'Ce que vous avez demandé a peut-être été fait, ou se fait encore. Regardez d’abord où cela en est, avant de recommencer.',
          'What you asked for may have been done, or may still be under way. Look at its state before you repeat it.',
        ]
      : ['Rien n’a été changé. Réessayez dans un moment.', 'Nothing was changed. Try again in a moment.'],
    request_id,
  })
}

/** The page of a person whose request is one too many of an address or a session: it was not begun. Null for every other address. */
export function writeRateLimitedPage(
  frame: Frame,
  request: IncomingMessage,
  { status, code, message = errorMessages[code], headers = {} }: Refusal,
  request_id: string,
): Answer | null {
  const page = writeOutside(frame, request, {
    answer: { status, error_code: code },
    facts: { error: { code, message }, request_id },
    title: ['Trop de pages à la fois', 'Too many pages at once'],
    text: [
      'Rien n’a été fait. Attendez un instant, puis réessayez.',
      'Nothing was done. Wait a moment, then try again.',
    ],
    request_id,
  })
  return page === null ? null : { ...page, headers: { ...page.headers, ...headers } }
}

type Outside = {
  answer: Pick<Answer, 'status' | 'error_code'>
  /** The same for a program. */
  facts: object
  title: Words
  text: Words
  request_id: string
}

/** Writes a page without a session and without a read. Null for an address outside the console and the desk. */
function writeOutside(
  { brand, originOf }: Frame,
  { url = '', method, headers }: IncomingMessage,
  { answer, facts, title, text, request_id }: Outside,
): Answer | null {
  const [, first, door] = pages.exec(url) ?? []
  if (first === undefined) return null
  const common = consoleHeaders(originOf(door as ScreenDoor).startsWith('https:'))
  if (wantsJson(headers)) return { ...answer, body: JSON.stringify(facts), headers: common }
  const language = languageOf(queryOf(url), headers['accept-language'])
  const say = sayIn(language)
  const said = html`<div role="alert">${icon('clock')}<h1>${say(title)}</h1><p class="lead">${say(text)}</p></div>`
  const leave = linkButton(first, say(['Revenir à l’accueil', 'Back to the first page']), 'second')
  const number = html`${say(['À citer à l’équipe : ', 'Number to quote: '])}<span class="id">${request_id}</span>`
  const main = html`<article class="slip">${said}<p class="acts">${leave}</p><p class="hint">${number}</p></article>`
  const body = drawDoor(main, {
    brand,
    say,
    other_language: otherLanguageLink(language, method === 'POST' ? first : url),
  })
  const document = writeDocument({ title: `${say(title)} · ${brand}`, language, body })
  return { ...answer, body: document, headers: { ...common, 'Content-Type': 'text/html; charset=utf-8' } }
}
