import { readShownMerchant } from '../../merchants/store.ts'
import { notify } from '../../people/notices/notify.ts'
import { sha256 } from '../../platform/digest.ts'
import { type Recipient, redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import {
  isFromOurPage,
  languageOf,
  type PageRequest,
  queryOf,
  wantsJson,
} from '../../platform/http/pages/page-request.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import type { Words } from '../../values/language.ts'
import { readLink } from '../link-store.ts'
import type { Found, PageActs, TokenRequest } from '../page/acts.ts'
import { factsAnswer, pageRefusalAnswer, viewAnswer } from '../page/answers.ts'
import { contextOf } from '../page/context.ts'
import { type ServingDependencies, serving } from '../page/serving.ts'
import { QUESTION_MAX } from './read-question.ts'
import { findPairedPhone, readTill, type TillDependencies } from './read-till.ts'
import { newTillSession, readTillCookie, tillCookie } from './till-cookie.ts'
import type { TillPhone } from './till-phone.ts'
import { pairPhone, readPhone } from './till-store.ts'
import { tillNotice, tillNotices, tillView } from './till-view.ts'

type Notice = { readonly title: Words; readonly text: Words }

/** The pages of a telephone of a till: its invitation, the pairing, and "is it paid?". They need no account. */
export function createTillPages(deps: ServingDependencies & TillDependencies, acts: PageActs) {
  const { sql, brand_name, addresses } = deps

  function notice(
    request: PageRequest,
    to: Recipient,
    { title, text }: Notice,
    more: { status?: number; pair?: string; livemode?: boolean; headers?: Record<string, string> } = {},
  ): Answer | Promise<Answer> {
    const { status = 404, pair = null, livemode = true, headers = {} } = more
    if (status !== 200 && wantsJson(request.headers)) return pageRefusalAnswer(to, 'resource_not_found', headers)
    return viewAnswer(to, status, tillNotice({ title, text, pair, livemode }, contextOf(request, brand_name)), headers)
  }

  /** The invitation of a token. A wrong token is answered as one that is over: it tells a guesser nothing. */
  async function invited(request: TokenRequest): Promise<TillPhone | { limited: Record<string, string> } | null> {
    const found = await acts.find(request, 'tph_')
    if ('kind' in found) return found.headers === undefined ? null : { limited: found.headers }
    return readPhone(sql, keyOf(found))
  }

  return {
    /** Shows an invitation and uses nothing up: chats read the address to preview it. */
    showTillInvitation: serving(deps, async (request: TokenRequest, to) => {
      const phone = await invited(request)
      if (phone !== null && 'limited' in phone) return pageRefusalAnswer(to, 'rate_limit_exceeded', phone.limited)
      if (phone === null || !phone.is_live || phone.paired_at !== null) return notice(request, to, tillNotices.over)
      const { merchant_id, livemode, link_id } = phone
      const [merchant, link] = await Promise.all([
        readShownMerchant(sql, merchant_id),
        readLink(sql, { merchant_id, livemode, link_id }),
      ])
      const words = tillNotices.join(link?.description ?? merchant.name, merchant.name)
      return notice(request, to, words, { status: 200, pair: addresses.tillPath(phone.id), livemode })
    }),

    /** Pairs the telephone that pressed the button. The first one does; the invitation is then used up. */
    pairTill: serving(deps, async (request: TokenRequest, to) => {
      if (!isFromOurPage(request.headers, addresses.origin())) return pageRefusalAnswer(to, 'invalid_request')
      const found = await acts.find(request, 'tph_')
      if ('kind' in found && found.headers !== undefined) {
        return pageRefusalAnswer(to, 'rate_limit_exceeded', found.headers)
      }
      if ('kind' in found) return notice(request, to, tillNotices.over)
      const { token, hash } = newTillSession()
      const paired = await sql.begin(async (tx) => {
        const link_id = await pairPhone(tx, keyOf(found), hash)
        const { merchant_id, livemode } = found
        // The owner who invited it may be somebody else with their telephone.
        if (link_id !== null) notify(tx, { name: 'phone_paired', about: { merchant_id, livemode }, subject: link_id })
        return link_id !== null
      })
      if (!paired) return notice(request, to, tillNotices.over)
      const language = languageOf(queryOf(request.url), request.headers['accept-language'])
      return redirectAnswer(to, `/till?lang=${language}`, tillCookie(token, to.secure))
    }),

    /** The payments of the last day through the till of this telephone, or those that a question names. */
    showTill: serving(deps, async (request: PageRequest, to) => {
      const cookie = readTillCookie(request.headers)
      const phone = cookie === null ? null : await findPairedPhone(sql, cookie)
      if (phone === null) {
        const headers = cookie === null ? {} : tillCookie('', to.secure)
        return notice(request, to, tillNotices.unpaired, { headers })
      }
      const asked = (queryOf(request.url).get('q') ?? '').trim().slice(0, QUESTION_MAX)
      const facts = await readTill(deps, phone, asked)
      // The script of the pages looks at the word, and fetches the page when it has changed.
      const word = sha256(JSON.stringify(facts.results)).toString('hex').slice(0, 12)
      if (wantsJson(request.headers)) return factsAnswer(to, { status: word, ...facts })
      const kept = asked === '' ? {} : { q: asked }
      return viewAnswer(to, 200, tillView(facts, word, contextOf(request, brand_name, { kept })))
    }),
  }
}

function keyOf({ merchant_id, livemode, subject_id }: Found) {
  return { merchant_id, livemode, phone_id: subject_id }
}
