import { packed, type Recipient, redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import { languageOf, type PageRequest, queryOf, wantsJson } from '../../platform/http/pages/page-request.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import type { Log } from '../../platform/log.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { queryOfAddress } from '../link-address.ts'
import { createTillPages } from '../till/serve-till.ts'
import { verifyReceipt } from '../verify-receipt.ts'
import { type Found, type Outcome, PageActs, type PageActsDependencies, type TokenRequest } from './acts.ts'
import { factsAnswer, fileAnswer, pageRefusalAnswer, viewAnswer } from './answers.ts'
import { contextOf } from './context.ts'
import { type PageFacts, type PageViews, pageRefusalStatuses, type View, type ViewContext } from './facts.ts'
import { readSessionFacts } from './read-facts.ts'
import type { ReadReturn } from './read-return.ts'
import type { SentForm } from './request.ts'
import { serving } from './serving.ts'

export type PagesDependencies = PageActsDependencies & { views: PageViews; readReturn: ReadReturn; log: Log }

type PageDrawer = (facts: PageFacts, context: ViewContext) => View

/** The pages, each answering in HTML or JSON. */
export type Pages = ReturnType<typeof createPages>

/**
 * The payers' pages and their JSON form. `PageActs` checks the requests. A page answers in HTML or in JSON, as the
 * request asks.
 */
export function createPages(deps: PagesDependencies) {
  const { views, addresses } = deps
  const acts = new PageActs(deps)
  const write = createOutcomeWriter(deps)

  const drawFacts: PageDrawer = (facts, context) =>
    facts.kind === 'session' ? views.session(facts, context) : views.link(facts, context)
  const drawPoster: PageDrawer = (facts, context) =>
    facts.kind === 'link' && facts.payable ? views.poster(facts, context) : drawFacts(facts, context)

  /** Serves a page whose address has a token. */
  function atToken(
    prefix: 'cs_' | 'lnk_',
    act: (request: TokenRequest, found: Found) => Promise<Outcome>,
    draw = drawFacts,
    find = (request: TokenRequest) => acts.find(request, prefix),
  ) {
    return serving(deps, async (request: TokenRequest, to) => {
      const found = await find(request)
      if ('kind' in found) return write(request, to, found, draw)
      const outcome = await act(request, found)
      const wrong = outcome.kind === 'refused' && pageRefusalStatuses[outcome.code] === 422
      const proposed = wrong && !wantsJson(request.headers) ? await acts.proposedIn(found, request.form) : null
      return write(request, to, outcome, draw, proposed)
    })
  }

  return {
    ...createTillPages(deps, acts),
    showSession: atToken('cs_', (_request, found) => acts.showSession(found)),
    /** The receipt of a paid session as a file, for its payer. Before it is paid there is none. */
    showReceiptFile: serving(deps, async (request: TokenRequest, to) => {
      const found = await acts.find(request, 'cs_')
      const shown = 'kind' in found ? found : await acts.showSession(found)
      const receipt = shown.kind === 'facts' && shown.facts.kind === 'session' ? shown.facts.receipt : null
      if (receipt === null) {
        const none = { kind: 'refused', code: 'resource_not_found', facts: null } as const
        return write(request, to, shown.kind === 'facts' ? none : shown, drawFacts)
      }
      // The writer of PDFs is loaded by the few processes that write one.
      const { writeReceiptPdf } = await import('./write-receipt-pdf.ts')
      const language = languageOf(queryOf(request.url), request.headers['accept-language'])
      const body = await writeReceiptPdf(receipt, deps.brand_name, language)
      return fileAnswer(to, body, `${receipt.short_reference.toLowerCase()}.pdf`)
    }),
    postSession: atToken('cs_', (request, found) => acts.postSession(request, found)),
    postCode: atToken('cs_', (request, found) => acts.postCode(request, found)),
    showLink: atToken('lnk_', (request, found) => acts.showLink(request, found)),
    /** Its forms and links have the address with the token, so that only one address takes them. */
    showHandle: atToken(
      'lnk_',
      (request, found) => acts.showLink(request, found),
      drawFacts,
      (request) => acts.findHandle(request),
    ),
    postLink: atToken('lnk_', (request, found) => acts.postLink(request, found)),
    proposeForSession: atToken('cs_', (request, found) => acts.proposeOperator(request, found)),
    proposeForLink: atToken('lnk_', (request, found) => acts.proposeOperator(request, found)),
    showPoster: atToken('lnk_', (request, found) => acts.showLink(request, found), drawPoster),

    /** Redirects a payer who comes back from an operator's app to the session's page, by the reference that we gave the operator. */
    comeBack: serving(deps, async (request: TokenRequest, to) => {
      const session_id = await deps.readReturn(request.token)
      if (session_id !== null) return redirectAnswer(to, addresses.sessionPath(session_id))
      const headers = await acts.hit('page_guess', request, deps.page_guesses_per_address)
      const code = headers === null ? 'resource_not_found' : 'rate_limit_exceeded'
      return write(request, to, { kind: 'refused', code, facts: null, headers: headers ?? {} }, drawFacts)
    }),

    verify: serving(deps, async (request: PageRequest, to) => {
      const asked = (queryOf(request.url).get('receipt') ?? '').slice(0, 2_000)
      const headers = asked === '' ? null : await acts.hit('receipt_check', request, deps.page_guesses_per_address)
      if (headers !== null) {
        return write(request, to, { kind: 'refused', code: 'rate_limit_exceeded', facts: null, headers }, drawFacts)
      }
      const verification = asked.trim() === '' ? null : await verifyReceipt(deps, asked)
      if (wantsJson(request.headers)) return factsAnswer(to, { brand_name: deps.brand_name, verification })
      const context = contextOf(request, deps.brand_name, { kept: asked === '' ? {} : { receipt: asked } })
      return viewAnswer(to, 200, views.verify(verification, asked, context))
    }),

    showKey: serving(deps, async ({ headers }: PageRequest, to) => {
      const { pem, jwk } = deps.receipts.public_key
      if (wantsJson(headers)) return factsAnswer(to, jwk)
      return packed(to, plainAnswer(pem, { 'Content-Type': 'application/x-pem-file' }))
    }),

    /** A file of the pages. Null when no file has this name. */
    async showAsset(name: string, { headers }: PageRequest): Promise<Answer | null> {
      const asset = views.assets.get(name)
      if (asset === undefined) return null
      const kept = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' }
      return packed({ headers }, plainAnswer(asset.body, { ...kept, 'Content-Type': asset.type }))
    },
  }
}

/** Writes an outcome in HTML or JSON, as the request asks. */
function createOutcomeWriter(deps: PagesDependencies) {
  return (
    request: PageRequest & { form?: SentForm | null },
    to: Recipient,
    outcome: Outcome,
    draw: PageDrawer,
    proposed: OperatorCode | null = null,
  ): Promise<Answer> | Answer => {
    const json = wantsJson(request.headers)
    if (outcome.kind === 'done') return json ? factsOf(to, outcome.session) : goOn(request, to, outcome.session)
    if (outcome.kind === 'proposed') return factsAnswer(to, { operator: outcome.operator })
    if (json) {
      return outcome.kind === 'facts'
        ? factsAnswer(to, withoutLogo(outcome.facts))
        : pageRefusalAnswer(to, outcome.code, outcome.headers)
    }
    const typed = typedIn(request.form ?? null, proposed)
    if (outcome.kind === 'refused' && outcome.facts === null) {
      const context = contextOf(request, deps.brand_name, {
        refusal: outcome.code,
        wrong_address: outcome.wrong_address === true,
        typed,
      })
      const view = deps.views.refused(outcome.code, context)
      return viewAnswer(to, pageRefusalStatuses[outcome.code], view, outcome.headers)
    }
    // Another attempt is in progress, which is not the payer's fault. Its page explains everything.
    const refused = outcome.kind === 'refused' && outcome.code !== 'idempotency_in_progress' ? outcome : null
    const status = refused === null ? 200 : pageRefusalStatuses[refused.code]
    const facts = outcome.facts!
    const kept = facts.kind === 'link' ? Object.fromEntries(new URLSearchParams(queryOfAddress(facts.in_address))) : {}
    const context = contextOf(request, deps.brand_name, {
      ...{ refusal: refused?.code ?? null, typed, kept, path: facts.address },
    })
    return viewAnswer(to, status, draw(facts, context), refused?.headers)
  }

  async function factsOf(to: Recipient, session: DoneSession): Promise<Answer> {
    const { merchant_id, livemode, session_id } = session
    return factsAnswer(to, withoutLogo((await readSessionFacts(deps, { merchant_id, livemode, session_id }))!))
  }

  function goOn({ url, headers }: PageRequest, to: Recipient, { session_id }: DoneSession): Answer {
    const language = languageOf(queryOf(url), headers['accept-language'])
    return redirectAnswer(to, `${deps.addresses.sessionPath(session_id)}?lang=${language}`)
  }
}

type DoneSession = Extract<Outcome, { kind: 'done' }>['session']

function plainAnswer(body: string | Buffer, headers: Readonly<Record<string, string>>): Answer {
  return { status: 200, body, error_code: null, headers }
}

/** Leaves out the logo, because a program polls every other second and draws nothing. */
function withoutLogo({ merchant_logo: _, ...facts }: PageFacts): object {
  return facts
}

/** The fields of this request, to show again with their errors, and the proposed operator when the payer chose none. */
function typedIn(form: SentForm | null, proposed: OperatorCode | null): ViewContext['typed'] {
  if (form === null) return {}
  const { amount_text, msisdn } = form
  const operator = form.operator || proposed
  return {
    ...(amount_text === '' ? {} : { amount: amount_text }),
    ...(msisdn === null || msisdn === '' ? {} : { msisdn }),
    ...(operator === null ? {} : { operator }),
  }
}
