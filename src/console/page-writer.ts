import { roleWords } from '../people/role-words.ts'
import type { OpenVisit } from '../people/visits/visit.ts'
import { type Html, html } from '../platform/http/html.ts'
import { type Recipient, redirectAnswer } from '../platform/http/pages/page-answer.ts'
import { wantsJson } from '../platform/http/pages/page-request.ts'
import type { Answer } from '../platform/http/refusal.ts'
import type { Tenant } from '../values/caller.ts'
import type { MerchantRole, Right, StaffRole } from '../values/rights.ts'
import { consoleHeaders, fileAnswer, jsonAnswer, pageAnswer } from './answers.ts'
import { type Asked, type ConsoleFrame, deskAddress } from './console-frame.ts'
import { doneToast } from './done-messages.ts'
import { lapsedToast } from './hidden-search.ts'
import { drawDock, drawMenu } from './menu.ts'
import { offersLink } from './offers/offer-views.ts'
import type { Screen, ScreenAnswer, ScreenRequest, ScreenView } from './screen.ts'
import { absentView, faultView, notPermittedView, occupiedView } from './states.ts'
import { maskWholeNumbers, visitBanner, visitOnlyView } from './visits.ts'
import {
  drawFrame,
  drawMain,
  drawOwn,
  otherLanguageButton,
  otherLanguageLink,
  TEST_BAND,
  writeDocument,
  writeRenewal,
} from './write-page.ts'

/** A request with everything that its page shows. */
export type KnownRequest = ScreenRequest<'desk'> & {
  /** The merchant and mode of the console. Absent on the desk. */
  readonly tenant?: Tenant
  readonly merchant_name?: string
  readonly exists: boolean
  readonly roles: readonly (MerchantRole | StaffRole)[]
  /** The visit by which a staff member reads here, with its rights. Null: this person has roles here. */
  readonly visit: OpenVisit | null
  readonly place: string
  readonly path: string
  readonly url: string
}

/** Whether an open page renews itself (`data-moving` in console.js), without a person. The header has the mark of the content that it shows. */
export function looksAgain({ method }: Screen<never>, { headers }: Asked): boolean {
  return method === 'GET' && headers['x-look-again'] !== undefined
}

/** Writes an answer in the requested format. */
export class PageWriter {
  readonly #frame: ConsoleFrame
  readonly #screen: Screen<never>
  readonly #asked: Asked
  readonly #request: KnownRequest
  readonly #to: Recipient
  #counting: Promise<Readonly<Record<string, number>>> | null = null

  constructor(frame: ConsoleFrame, screen: Screen<never>, asked: Asked, request: KnownRequest, to: Recipient) {
    this.#frame = frame
    this.#screen = screen
    this.#asked = asked
    this.#request = request
    this.#to = to
  }

  async write(answer: ScreenAnswer): Promise<Answer> {
    const request = this.#request
    switch (answer.kind) {
      case 'moved':
        return redirectAnswer(this.#to, answer.to)
      case 'absent':
        return this.write(absentView(request))
      case 'not_permitted':
        this.#logRefusal(answer.right)
        return this.write(notPermittedView(request, answer.right))
      case 'file':
        // Refused, because a stream cannot be masked and has whole numbers.
        if (request.visit !== null) return this.write(visitOnlyView(request))
        return fileAnswer(this.#to, answer, request.livemode)
      case 'view': {
        const status = answer.status ?? 200
        if (wantsJson(this.#asked.headers)) return jsonAnswer(this.#to, status, answer.facts, this.#shown)
        if (looksAgain(this.#screen, this.#asked) && status === 200) return this.#writeRenewal(answer)
        return pageAnswer(this.#to, status, this.#shown(this.#draw(answer, await (this.#counting ?? this.#counts()))))
      }
    }
  }

  /** Answers a page that renews itself: 204 while its main part is the same, otherwise that part alone. */
  #writeRenewal(view: ScreenView): Promise<Answer> {
    const { say } = this.#request
    const message = this.#message()
    const { drawn, mark } = drawMain(view.main, { say, moving: view.moving ?? false, message, seen: this.#shown })
    if (this.#asked.headers['x-look-again'] === mark) {
      const headers = consoleHeaders(this.#to.secure)
      return Promise.resolve({ status: 204, body: '', error_code: null, headers })
    }
    return pageAnswer(this.#to, 200, this.#shown(writeRenewal(this.#titleOf(view), drawn)))
  }

  #logRefusal(right: Right): void {
    const { request_id } = this.#asked
    const { person_id } = this.#request.session.person
    const refused = { request_id, person_id, operation: this.#screen.operation, right }
    this.#frame.log.warn(refused, 'console: screen refused, the person lacks its right')
  }

  /** Masks a text for this person. */
  #shown = (text: string): string => (this.#request.visit === null ? text : maskWholeNumbers(text))

  /** The address to try again: this page, or the first page after a form. */
  get again(): string {
    return this.#screen.method === 'GET' ? this.#asked.url : this.#request.at('')
  }

  /** The answer to our own fault. */
  writeFault(): Promise<Answer> {
    return this.writeBare(faultView(this.#request, this.#asked.request_id, this.again))
  }

  /** The answer when others hold the same money or rows. */
  async writeOccupied(): Promise<Answer> {
    const answer = await this.writeBare(occupiedView(this.#request, this.again))
    return { ...answer, headers: { ...answer.headers, 'Retry-After': '1' } }
  }

  /** A page without further queries, because the database may have failed or be overloaded. */
  writeBare(view: ScreenView): Promise<Answer> {
    const { status = 200, facts } = view
    if (wantsJson(this.#asked.headers)) return jsonAnswer(this.#to, status, facts)
    return pageAnswer(this.#to, status, this.#draw(view, {}))
  }

  #onDesk(path: string): string {
    return deskAddress(this.#frame, this.#request.livemode, path)
  }

  /** Reads the counts of the menu while the screen reads, because a page that changes nothing can do both at once. */
  countMeanwhile(): void {
    this.#counting = this.#counts()
    // `write` reports its failure, unless the screen failed first.
    this.#counting.catch(() => {})
  }

  async #counts(): Promise<Readonly<Record<string, number>>> {
    return this.#request.exists ? this.#frame.counts(this.#request) : {}
  }

  /** The switch to the other language. It returns to this page, or to the first page if a form opened this one. */
  #languageSwitch(): Html {
    const request = this.#request
    // A visit stores nothing, not even a language.
    if (!request.exists || request.visit !== null) return otherLanguageLink(request.language, request.url)
    const [path, query] = request.url.split('?')
    const kept = new URLSearchParams(query)
    for (const once of ['lang', 'done']) kept.delete(once)
    const back = this.#screen.method === 'GET' ? `${path}${kept.size > 0 ? `?${kept}` : ''}` : request.at('')
    return otherLanguageButton(request, request.at('/settings/language'), back)
  }

  #draw({ title, main, deciding = false, ...view }: ScreenView, counts: Readonly<Record<string, number>>): string {
    const request = this.#request
    const { say, session, language, livemode, place, visit } = request
    const { door, method } = this.#screen
    // The answer to a form has an address without a page, at which nothing can be read again.
    const { moving = false, refresh_seconds } = method === 'GET' ? view : {}
    const menu = { door, can: request.can, at: request.at, say, path: request.path, counts }
    const inMode = (mode: string) => request.at('').replace(/^(\/\w+\/)(?:live|test)/, `$1${mode}`)
    const own = drawOwn(say, {
      role: visit === null ? request.roles.map((role) => say(roleWords[role])).join(', ') : say(['Lecture', 'Visit']),
      account: visit === null ? request.at('/account') : this.#onDesk('/account'),
      language_switch: this.#languageSwitch(),
      sign_out: `/${door}/sign-out`,
      nonce: request.nonce,
    })
    const body = drawFrame(main, {
      door,
      moving,
      seen: this.#shown,
      brand: this.#frame.brand,
      place,
      livemode,
      modes: { live: inMode('live'), test: inMode('test') },
      search: this.#frame.screens.some(
        (screen) =>
          screen.door === door && screen.path === '/search' && screen.right !== null && request.can(screen.right),
      )
        ? { to: request.at('/search'), nonce: request.nonce }
        : null,
      person: session.person.name,
      own,
      menu: drawMenu(this.#frame.screens, menu, html`<div class="own"><h2>${session.person.name}</h2>${own}</div>`),
      dock: deciding ? null : drawDock(this.#frame.screens, menu),
      message: this.#message(),
      say,
    })
    return writeDocument({ title: this.#titleOf({ title }), language, body, refresh_seconds })
  }

  /** The title of the tab. */
  #titleOf({ title }: Pick<ScreenView, 'title'>): string {
    const { say, livemode, place } = this.#request
    const named = `${title} · ${place}`
    return livemode ? named : `${say(TEST_BAND)} · ${named}`
  }

  /** The messages above a page. */
  #message(): Html {
    const request = this.#request
    const { say, session, visit } = request
    const { door, path } = this.#screen
    const offers = session.has_offers && visit === null && path === '' && offersLink(say, door)
    const visiting = visit !== null && visitBanner(visit, this.#onDesk(`/merchants/${visit.merchant_id}`), say)
    const done = doneToast(request.query.get('done') ?? '', say)
    return html`${offers}${lapsedToast(this.#screen, request)}${visiting}${done}`
  }
}
