import type { NumberKnowledge } from '../../operators/prediction/number-knowledge.ts'
import { readAttemptNumber } from '../../payments/store.ts'
import { isFromOurPage, type PageRequest } from '../../platform/http/pages/page-request.ts'
import { limitedAddress } from '../../platform/limits/limited-address.ts'
import { type Hit, headersFor, type LimitKind } from '../../platform/limits/windows.ts'
import type { Tenant } from '../../values/caller.ts'
import { Msisdn, showEnd } from '../../values/msisdn.ts'
import type { OperatorCode } from '../../values/operators.ts'
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
  /** Calls in a minute from one address: what the headers of `too_many_attempts` tell, which is nothing of the payer. */
  rate_per_address: number
  /** In a minute, from one address. */
  page_guesses_per_address: number
  page_attempts_per_address: number
}

/** The outcome of a request to a page, before it is written as HTML or JSON. */
export type Outcome =
  | { kind: 'facts'; facts: PageFacts }
  /** Done: the payer goes on to this session's page. */
  | { kind: 'done'; session: Tenant & { session_id: string } }
  /** Asked for a proposal. Null: there is no operator to propose. */
  | { kind: 'proposed'; operator: OperatorCode | null }
  /** With the facts on which a page can say it; null: there are none to show. */
  | { kind: 'refused'; code: PageRefusal; facts: PageFacts | null; headers?: Record<string, string> }

export type Found = Tenant & { subject_id: string }

/** A request for a page with a token in its address, and the form that was posted to it; null: none, or one that cannot be read. */
export type TokenRequest = PageRequest & { readonly token: string; readonly form: SentForm | null }

/**
 * The acts behind each address of the page, before it is drawn. They check a request in this order: the token, whether it comes
 * from our page, its form and nonce, the rate of its address, its fields, and then the act itself.
 */
export class PageActs {
  readonly #deps: PageActsDependencies

  constructor(deps: PageActsDependencies) {
    this.#deps = deps
  }

  /** Counts a call towards a limit of its address. Null when it passed; otherwise the headers that tell when to come again. */
  async hit(kind: LimitKind, { address }: PageRequest, cap: number): Promise<Record<string, string> | null> {
    const counted = await this.#deps.limits.hit(kind, limitedAddress(address), cap)
    return counted.passed ? null : headersFor(counted)
  }

  /** The owner of a token. Invented tokens count towards a limit: real ones are known by their check letters and never do. */
  async find(request: TokenRequest, prefix: 'cs_' | 'lnk_'): Promise<Found | Extract<Outcome, { kind: 'refused' }>> {
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

  /** The page of a session as it now is. */
  async showSession(found: Found): Promise<Outcome> {
    const facts = await readSessionFacts(this.#deps, { ...found, session_id: found.subject_id })
    return facts === null ? { kind: 'refused', code: 'resource_not_found', facts: null } : { kind: 'facts', facts }
  }

  /** The page of a link as it now is, to a payer who chose this amount. */
  async showLink(found: Found, chosen: number | null = null): Promise<Outcome> {
    const facts = await readLinkFacts(this.#deps, { ...found, link_id: found.subject_id }, chosen)
    if (facts === null) return { kind: 'refused', code: 'resource_not_found', facts: null }
    if (facts === 'unreadable') return { kind: 'refused', code: 'bornes_illisibles', facts: null }
    return { kind: 'facts', facts }
  }

  /** A refusal, said on the page as it now is. */
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
    // A payer commits to the sum that was on the page; another one is shown first.
    if (price !== null && form.fee !== '' && form.fee !== String(price.fee_amount)) {
      return this.#refuse('invalid_request', show)
    }
    if (price !== null && !this.#deps.fits(session, read.payer.operator, price.amount_collected)) {
      return this.#refuse('invalid_operator', show)
    }
    const result = await this.#deps.paySession(session, form.nonce!, read.payer)
    if (result.kind === 'attempted') return { kind: 'done', session }
    if (result.code !== 'too_many_attempts') return this.#refuse(result.code, show)
    const address = limitedAddress(request.address)
    return this.#refuse(
      result.code,
      show,
      headersFor(await this.#deps.limits.look('address', address, this.#deps.rate_per_address)),
    )
  }

  /** The form of a retry shows the end of the number that was asked before: left as it is, it stands for that number. */
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

  /** The operator of this page that probably serves a number; null: there is none to name. */
  async #propose({ merchant_id, livemode }: Tenant, msisdn: Msisdn): Promise<OperatorCode | null> {
    const merchant = { merchant_id, livemode }
    const { operator } = await this.#deps.predictOperator(merchant, msisdn, (one) => this.#deps.takes(merchant, one))
    return operator
  }

  /** The operator to choose beforehand in a form that is shown again; null: the payer has chosen, or there is none to name. */
  async proposedIn(merchant: Tenant, form: SentForm | null): Promise<OperatorCode | null> {
    const msisdn = form === null || form.operator !== '' ? null : Msisdn.parse(form.msisdn ?? '')
    return msisdn === null ? null : this.#propose(merchant, msisdn)
  }

  /** Proposes the operator of the number that a payer is typing, to the script of the page. */
  async proposeOperator(request: TokenRequest, found: Found): Promise<Outcome> {
    const form = this.#formOf(request, found.subject_id)
    if (typeof form === 'string') return { kind: 'refused', code: form, facts: null }
    const headers = await this.hit('page_proposal', request, this.#deps.page_attempts_per_address)
    if (headers !== null) return { kind: 'refused', code: 'rate_limit_exceeded', facts: null, headers }
    const msisdn = Msisdn.parse(form.msisdn ?? '')
    if (msisdn === null) return { kind: 'refused', code: 'invalid_msisdn', facts: null }
    const shown = await (found.subject_id.startsWith('cs_') ? this.showSession(found) : this.showLink(found))
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

  /** A payer's form on the page of a link: it opens a session, and pays it where the form asks for a number. */
  async postLink(request: TokenRequest, found: Found): Promise<Outcome> {
    const show = () => this.showLink(found)
    const form = this.#formOf(request, found.subject_id)
    if (typeof form === 'string') return this.#refuse(form, show)
    const headers = await this.hit('page_attempt', request, this.#deps.page_attempts_per_address)
    if (headers !== null) return this.#refuse('rate_limit_exceeded', show, headers)
    // A form that asks for no number leads to the page of a session, which does. A wrong one is said before there is one.
    const payer = form.has_number ? await this.#payerIn(found, form) : null
    if (payer?.kind === 'refused') return this.#refuseLinkForm(payer.code, form, show)
    const { nonce, made_at, amount } = form
    const shown = await this.showLink(found, amount)
    if (shown.kind === 'facts' && isOutOfBounds(shown.facts, payer?.payer.operator ?? null)) {
      return { kind: 'refused', code: 'invalid_operator', facts: shown.facts }
    }
    const opened = await this.#deps.openSession(
      { ...found, link_id: found.subject_id },
      { nonce: nonce!, made_at, amount },
    )
    if (opened.kind === 'refused') return this.#refuse(opened.code, show)
    const session = { merchant_id: found.merchant_id, livemode: found.livemode, session_id: opened.session_id }
    return payer === null ? { kind: 'done', session } : this.#pay(request, session, form)
  }

  /** The first wrong field decides, and the amount stands before the number where it is free. */
  async #refuseLinkForm(code: PageRefusal, { amount }: SentForm, show: () => Promise<Outcome>): Promise<Outcome> {
    const shown = await show()
    if (shown.kind !== 'facts' || shown.facts.kind !== 'link') return shown
    const wrong = shown.facts.price === null && amount === null ? 'invalid_amount' : code
    return { kind: 'refused', code: wrong, facts: shown.facts }
  }

  /** The code that an operator sent to the payer, typed on the page of a session. */
  async postCode(request: TokenRequest, found: Found): Promise<Outcome> {
    const show = () => this.showSession(found)
    const form = this.#formOf(request, found.subject_id)
    if (typeof form === 'string') return this.#refuse(form, show)
    const session = { ...found, session_id: found.subject_id }
    const result = await this.#deps.submitCode(session, form.code ?? '')
    return result.kind === 'refused' ? this.#refuse(result.code, show) : { kind: 'done', session }
  }
}

/** Whether the operator does not take the amount to be collected. @param operator null: not chosen yet, and none of all does */
function isOutOfBounds({ payable, operators, out_of_bounds_operators: out }: PageFacts, operator: OperatorCode | null) {
  if (!payable || out.length === 0) return false
  return operator === null ? operators.every((one) => out.includes(one)) : out.includes(operator)
}
