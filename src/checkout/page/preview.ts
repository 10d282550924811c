import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { operatorNames } from '../../values/operators.ts'
import { pictureAddress } from './assets.ts'
import type { LinkFacts, SessionFacts, ViewContext } from './facts.ts'
import type { Situation } from './page-for-state.ts'
import { sayIn } from './say.ts'

/** Characters of a description in a preview; chats show about as many. */
const DESCRIPTION_MAX = 120

/**
 * The card by which a chat shows the address of a page: who is paid, how much, and for what (Open Graph). A chat reads the page as any visitor does,
 * and reading costs nothing and makes nothing. The picture is ours: the merchant's logo is part of the page, and too small for a card.
 */
export function previewOf(situation: Situation, facts: SessionFacts | LinkFacts, context: ViewContext): Html {
  const say = sayIn(context.language)
  const merchant = facts.merchant_name
  const price = facts.kind === 'link' ? facts.price : facts
  const amount = price === null ? null : writeAmount(price.amount_collected)
  const title = titleOf(say, situation, { merchant, amount })
  const names = facts.operators.map((operator) => operatorNames[operator]).join(', ')
  const how = names === '' ? '' : say('preview_how', { operators: names })
  // A chat shows the card as the merchant's own words, and anybody writes an address.
  const reference = facts.reference_in_address ? null : facts.reference
  const told = [reference, facts.description?.replace(/\s+/g, ' ')].filter((text) => text != null).join(' · ')
  const about = told === '' ? how : cut(told)
  const picture = html`<meta property="og:image" content="${new URL(pictureAddress, facts.url).href}">\n`
  const described = about !== '' && html`<meta property="og:description" content="${about}">\n`
  const site = html`<meta property="og:site_name" content="${context.brand_name}">\n`
  return html`<meta property="og:title" content="${title}">\n${described}${site}${picture}`
}

function titleOf(
  say: ReturnType<typeof sayIn>,
  situation: Situation,
  { merchant, amount }: { merchant: string; amount: string | null },
): string {
  if (amount === null) return say('title_pay', { merchant })
  return say(situation === 'receipt' ? 'preview_receipt' : 'preview_pay', { merchant, amount })
}

function cut(text: string): string {
  return text.length <= DESCRIPTION_MAX ? text : `${text.slice(0, DESCRIPTION_MAX - 1).trimEnd()}…`
}
