import type { NumberKnowledge } from '../../operators/prediction/number-knowledge.ts'
import { readAttemptNumber } from '../../payments/store.ts'
import { isFromOurPage, type PageRequest, queryOf } from '../../platform/http/pages/page-request.ts'
import type { Turn } from '../../platform/http/turns.ts'
import { limitedAddress } from '../../platform/limits/limited-address.ts'
import { type Hit, headersFor, type LimitKind } from '../../platform/limits/windows.ts'
import type { Tenant } from '../../values/caller.ts'
import { Msisdn, showEnd } from '../../values/msisdn.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { hashOfHandle, readHandle } from '../handles.ts'
import { readAddress } from '../link-address.ts'
import type { OpenSession } from '../pay-link.ts'
import { type PaySession, readPayer } from '../pay-session.ts'
import { findByToken } from '../store.ts'
import type { SubmitPayerCode } from '../submit-payer-code.ts'
import type { PageFacts, PageRefusal } from './facts.ts'
import { type PageDependencies, readLinkFacts, readPriceNow, readSessionFacts } from './read-facts.ts'
import type { SentForm } from './request.ts'

export type PageActsDependencies = PageDependencies & {
  paySession: PaySession
  openSession: OpenSession
  submitCode: SubmitPayerCode
  predictOperator: NumberKnowledge['predict']
  limits: {
    hit(kind: LimitKind, id: string, cap: number): Hit | Promise<Hit>
    look(kind: LimitKind, id: string, cap: number): Promise<Hit>
  }
  /** Calls of pages in a minute from one address. The headers of `too_many_attempts` show this limit, so that they reveal nothing about the payer. */
  pages_per_address: number
  /** Calls with an invented token, and attempts, in a minute from one address. */
  page_guesses_per_address: number
  page_attempts_per_address: number
}

/** The outcome of a request to a page, before it is written as HTML or JSON. */
export type Outcome =
  | { kind: 'facts'; facts: PageFacts }
  /** The act succeeded. The answer leads the payer to this session's page. */
  | { kind: 'done'; session: Tenant & { session_id: string } }
  /** The proposed operator. Null when there is none to propose. */
  | { kind: 'proposed'; operator: OperatorCode | null }
  /** `facts`: for the page that shows the refusal. Null when there is nothing else to show. */
  | {
      kind: 'refused'
      code: PageRefusal
      facts: PageFacts | null
      headers?: Record<string, string>
      /** The address carries an amount or a reference that the link does not allow. */
      wrong_address?: boolean
    }

export type Found = Tenant & { subject_id: string }

/** A request for a page with a token in its address. `form` is null when the request has none, or an unreadable one. */
export type TokenRequest = PageRequest & {
  readonly token: string
  readonly form: SentForm | null
  readonly turn: Pick<Turn, 'without'>
}

/**
 * The acts behind each address of the page, without its HTML. They check a request in this order: the token, whether it
 * comes from our page, its form and nonce, the rate of its address, its fields, and then the act itself.
 */
export class PageActs {
  readonly #deps: PageActsDependencies

  constructor(deps: PageActsDependencies) {
    this.#deps = deps
  }

  /** Counts a call towards a limit of its address. Null when it passes, otherwise the headers that say when to try again. */
  async hit(kind: LimitKind, { address }: PageRequest, cap: number): Promise<Record<string, string> | null> {
    const counted = await this.#deps.limits.hit(kind, limitedAddress(address), cap)
    return counted.passed ? null : headersFor(counted)
  }

  /** Finds the owner of a token. Invented tokens count towards a limit. The check letters tell them from real ones, which never count. */
  async find(
    request: TokenRequest,
    prefix: 'cs_' | 'lnk_' | 'tph_',
  ): Promise<Found | Extract<Outcome, { kind: 'refused' }>> {
    const token_hash = this.#deps.addresses.hashOf(request.token)
    if (token_hash === null) {
      const headers = await this.hit('page_guess', request, this.#deps.page_guesses_per_address)
      return headers === null
        ? { kind: 'refused', code: 'resource_not_found', facts: null }
        : { kind: 'refused', code: 'rate_limit_exceeded', facts: null, headers }
    }
    const found = await findByToken(this.#deps.sql, token_hash)
    if (found?.subject_id.startsWith(prefix)) return found
    return { kind: 'refused', code: 'resource_not_found', facts: null }
  }

  /** Finds the link of a handle, which anybody may know. Unknown ones count towards the limit of invented tokens. */
  async findHandle(request: TokenRequest): Promise<Found | Extract<Outcome, { kind: 'refused' }>> {
    const read = readHandle(request.token)
    const found = read.kind === 'refused' ? null : await findByToken(this.#deps.sql, hashOfHandle(read.handle))
    if (found !== null) return found
    const headers = await this.hit('page_guess', request, this.#deps.page_guesses_per_address)
    if (headers === null) return { kind: 'refused', code: 'resource_not_found', facts: null }
    return { kind: 'refused', code: 'rate_limit_exceeded', facts: null, headers }
  }

  /** The present facts of a session. */
  async showSession(found: Found): Promise<Outcome> {
    const facts = await readSessionFacts(this.#deps, { ...found, session_id: found.subject_id })
    return facts === null ? { kind: 'refused', code: 'resource_not_found', facts: null } : { kind: 'facts', facts }
  }

  /** The present facts of a link at this address, for a payer who chose this amount. */
  async showLink({ url }: PageRequest, found: Found, chosen: number | null = null): Promise<Outcome> {
    const address = readAddress(queryOf(url))
    if (typeof address === 'string') return { kind: 'refused', code: address, facts: null, wrong_address: true }
    const facts = await readLinkFacts(this.#deps, { ...found, link_id: found.subject_id }, { chosen, address })
    if (facts === null) return { kind: 'refused', code: 'resource_not_found', facts: null }
    if (facts === 'bornes_illisibles') return { kind: 'refused', code: facts, facts: null }
    if (typeof facts === 'string') return { kind: 'refused', code: facts, facts: null, wrong_address: true }
    return { kind: 'facts', facts }
  }

  /** A refusal, with the present facts of its page. */
  async #refuse(
    code: PageRefusal,
    show: () => Promise<Outcome>,
    headers: Record<string, string> = {},
  ): Promise<Outcome> {
    const shown = await show()
    return { kind: 'refused', code, facts: shown.kind === 'facts' ? shown.facts : null, headers }
  }

  /** The form of a POST to the page of this session or link, or the code that refuses it. */
  #formOf({ headers, form }: TokenRequest, subject_id: string): (SentForm & { made_at: number }) | 'invalid_request' {
    if (!isFromOurPage(headers, this.#deps.addresses.origin())) return 'invalid_request'
    const made_at = form === null || form.nonce === null ? null : this.#deps.nonces.read(subject_id, form.nonce)
    return form === null || made_at === null ? 'invalid_request' : { ...form, made_at }
  }

  async #pay(request: TokenRequest, session: Tenant & { session_id: string }, form: SentForm): Promise<Outcome> {
    const show = () => this.showSession({ ...session, subject_id: session.session_id })
    const read = await this.#payerIn(session, await this.#withNumberAskedBefore(session, form))
    if (read.kind === 'refused') return this.#refuse(read.code, show)
    const price = await readPriceNow(this.#deps, session)
    // A payer agrees to the sum on the page. If it has changed, the page shows the new one first.
    if (price !== null && form.fee !== '' && form.fee !== String(price.fee_amount)) {
      return this.#refuse('invalid_request', show)
    }
    if (price !== null && !this.#deps.fits(session, read.payer.operator, price.amount_collected)) {
      return this.#refuse('invalid_operator', show)
    }
    const result = await this.#deps.paySession(session, form.nonce!, read.payer, request.turn)
    if (result.kind === 'attempted') return { kind: 'done', session }
    if (result.code !== 'too_many_attempts') return this.#refuse(result.code, show)
    const address = limitedAddress(request.address)
    return this.#refuse(
      result.code,
      show,
      headersFor(await this.#deps.limits.look('page', address, this.#deps.pages_per_address)),
    )
  }

  /** The form of a retry shows the end of the previous number. Sent back unchanged, it means that number. */
  async #withNumberAskedBefore(session: Tenant & { session_id: string }, form: SentForm): Promise<SentForm> {
    const { retry: payment_id, msisdn } = form
    if (!payment_id || msisdn === null || !msisdn.startsWith(showEnd(''))) return form
    const { merchant_id, livemode, session_id } = session
    const asked = await readAttemptNumber(this.#deps.sql, { merchant_id, livemode, session_id, payment_id })
    return asked !== null && msisdn === showEnd(asked.last2) ? { ...form, msisdn: asked.e164 } : form
  }

  async #payerIn(merchant: Tenant, { msisdn, operator }: SentForm) {
    if (msisdn === null) return { kind: 'refused', code: 'invalid_msisdn' } as const
    if (operator === null) return { kind: 'refused', code: 'invalid_operator' } as const
    const offered = (one: OperatorCode) => this.#deps.takes(merchant, one)
    return readPayer({ msisdn, operator }, offered, (of) => this.#propose(merchant, of))
  }

  /** The operator of this page that probably serves a number. Null when none can be predicted. */
  async #propose({ merchant_id, livemode }: Tenant, msisdn: Msisdn): Promise<OperatorCode | null> {
    const merchant = { merchant_id, livemode }
    const { operator } = await this.#deps.predictOperator(merchant, msisdn, (one) => this.#deps.takes(merchant, one))
    return operator
  }

  /** The operator to select in a form that is shown again. Null when the payer chose one, or none can be predicted. */
  async proposedIn(merchant: Tenant, form: SentForm | null): Promise<OperatorCode | null> {
    const msisdn = form === null || form.operator !== '' ? null : Msisdn.parse(form.msisdn ?? '')
    return msisdn === null ? null : this.#propose(merchant, msisdn)
  }

  /** Proposes an operator to the script of the page while the payer types the number. */
  async proposeOperator(request: TokenRequest, found: Found): Promise<Outcome> {
    const form = this.#formOf(request, found.subject_id)
    if (typeof form === 'string') return { kind: 'refused', code: form, facts: null }
    const headers = await this.hit('page_proposal', request, this.#deps.page_attempts_per_address)
    if (headers !== null) return { kind: 'refused', code: 'rate_limit_exceeded', facts: null, headers }
    const msisdn = Msisdn.parse(form.msisdn ?? '')
    if (msisdn === null) return { kind: 'refused', code: 'invalid_msisdn', facts: null }
    const shown = await (found.subject_id.startsWith('cs_') ? this.showSession(found) : this.showLink(request, found))
    const operator = await this.#propose(found, msisdn)
    const isOffered = operator !== null && shown.kind === 'facts' && shown.facts.operators.includes(operator)
    return { kind: 'proposed', operator: isOffered ? operator : null }
  }

  /** A payer's attempt to pay a session. */
  async postSession(request: TokenRequest, found: Found): Promise<Outcome> {
    const show = () => this.showSession(found)
    const form = this.#formOf(request, found.subject_id)
    if (typeof form === 'string') return this.#refuse(form, show)
    const headers = await this.hit('page_attempt', request, this.#deps.page_attempts_per_address)
    if (headers !== null) return this.#refuse('rate_limit_exceeded', show, headers)
    return this.#pay(request, { ...found, session_id: found.subject_id }, form)
  }

  /** The form on the page of a link: opens a session, and pays it when the form has the number. */
  async postLink(request: TokenRequest, found: Found): Promise<Outcome> {
    const show = () => this.showLink(request, found)
    const address = readAddress(queryOf(request.url))
    if (typeof address === 'string') return show()
    const form = this.#formOf(request, found.subject_id)
    if (typeof form === 'string') return this.#refuse(form, show)
    const headers = await this.hit('page_attempt', request, this.#deps.page_attempts_per_address)
    if (headers !== null) return this.#refuse('rate_limit_exceeded', show, headers)
    // A form without the number leads to the page of a session, which asks for it. A wrong number opens no session.
    const payer = form.has_number ? await this.#payerIn(found, form) : null
    if (payer?.kind === 'refused') return this.#refuseLinkForm(payer.code, form, show)
    const { nonce, made_at, amount } = form
    const shown = await this.showLink(request, found, amount)
    if (shown.kind === 'facts' && isOutOfBounds(shown.facts, payer?.payer.operator ?? null)) {
      return { kind: 'refused', code: 'invalid_operator', facts: shown.facts }
    }
    const opened = await this.#deps.openSession(
      { ...found, link_id: found.subject_id },
      { nonce: nonce!, made_at, amount, address },
      request.turn,
    )
    if (opened.kind === 'refused') return this.#refuse(opened.code, show)
    const session = { merchant_id: found.merchant_id, livemode: found.livemode, session_id: opened.session_id }
    return payer === null ? { kind: 'done', session } : this.#pay(request, session, form)
  }

  /** Refuses for the first wrong field. A free amount comes before the number. */
  async #refuseLinkForm(code: PageRefusal, { amount }: SentForm, show: () => Promise<Outcome>): Promise<Outcome> {
    const shown = await show()
    if (shown.kind !== 'facts' || shown.facts.kind !== 'link') return shown
    const wrong = shown.facts.price === null && amount === null ? 'invalid_amount' : code
    return { kind: 'refused', code: wrong, facts: shown.facts }
  }

  /** Passes on the operator's one-time code that the payer typed on the page of a session. */
  async postCode(request: TokenRequest, found: Found): Promise<Outcome> {
    const show = () => this.showSession(found)
    const form = this.#formOf(request, found.subject_id)
    if (typeof form === 'string') return this.#refuse(form, show)
    const session = { ...found, session_id: found.subject_id }
    const result = await this.#deps.submitCode(session, form.code ?? '', request.turn)
    return result.kind === 'refused' ? this.#refuse(result.code, show) : { kind: 'done', session }
  }
}

/**
 * Whether the operator does not accept the amount to be collected.
 * @param operator null when the payer has not chosen one; then true when no operator accepts the amount
 */
function isOutOfBounds({ payable, operators, out_of_bounds_operators: out }: PageFacts, operator: OperatorCode | null) {
  if (!payable || out.length === 0) return false
  return operator === null ? operators.every((one) => out.includes(one)) : out.includes(operator)
}
