import { type Html, html } from '../../platform/http/html.ts'
import { type InAddress, nothingInAddress, queryOfAddress } from '../link-address.ts'
import { brandStyle, type InlineStyle, pageStyle, scriptAddress } from './assets.ts'
import type { View, ViewContext } from './facts.ts'
import { sayIn } from './say.ts'

/** A view with the facts that its frame needs. All views have the same frame. */
export type Framed = {
  /** The tab's title, which a screen reader reads first. */
  title: string
  main: Html
  /** The name of this view, for tests and for readers of the page's source. */
  situation: string
  /** False shows the band of test mode. */
  livemode: boolean
  /** The address that the script polls, and the `stateWord` of this page. Null when the script does not poll. */
  watched?: { address: string; word: string } | null
  /** The looks before the script begins to look less often, on a page that is open all day. Null: a few. */
  steady_looks?: number | null
  /** Seconds between the first polls of the script. Null when it does not poll. */
  poll_seconds?: number | null
  /** Seconds after which a browser without JavaScript loads the page again. Null for never. */
  refresh_seconds?: number | null
  /** The style sheet, if it is not that of every page. */
  style?: InlineStyle
  /** The colour of the merchant whose page it is. */
  color?: string | null
  /** The card by which chats show the page. */
  preview?: Html
}

/**
 * Writes the whole document. The style is inline, and the page's policy allows it by its hash, so that one answer is a
 * complete page. The script loads afterwards, and the page works without it. A `noscript` element makes a browser
 * without script load the page again.
 */
export function writeFrame(framed: Framed, context: ViewContext): View {
  const { language, brand_name } = context
  const { title, main, situation, livemode, watched = null, poll_seconds = null, refresh_seconds = null } = framed
  const styles = [framed.style ?? pageStyle, ...(framed.color == null ? [] : [brandStyle(framed.color)])]
  const say = sayIn(language)
  const other = language === 'fr' ? 'en' : 'fr'
  const refresh =
    refresh_seconds !== null &&
    !context.still &&
    html`<noscript><meta http-equiv="refresh" content="${refresh_seconds}"></noscript>\n`
  const link = html`<a href="${context.in_language[other]}" hreflang="${other}" lang="${other}">${say('other_language')}</a>`
  const nav = html`<nav aria-label="${say('language_nav')}">${link}</nav>`
  const band = !livemode && html`<p class="test">${say('test_band')}</p>`
  const steady = framed.steady_looks != null && html` data-steady="${framed.steady_looks}"`
  const polled =
    watched !== null &&
    poll_seconds !== null &&
    html` data-word="${watched.word}" data-poll="${poll_seconds}"${steady} data-address="${formAddress(watched.address, context)}"`
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${styles.map(({ element }) => element)}
<meta name="robots" content="noindex">
${framed.preview}<meta name="format-detection" content="telephone=no">
<link rel="icon" href="data:,">
${refresh}<script src="${scriptAddress}" defer></script>
</head>
<body>
<header><div class="top"><span class="brand">${brand_name}</span>${nav}</div>${band}</header>
<main data-situation="${situation}"${polled} data-offline="${say('offline')}">${main}</main>
<footer class="foot"><p>${say('foot_care')}</p><p>${say('foot', { brand: brand_name })}</p></footer>
</body>
</html>
`
  return { html: document.text, style_hashes: styles.map(({ hash }) => hash) }
}

/** The address for the forms, the links and the script of a page. Keeps the language, `other=1`, and what the address of a link carries. */
export function formAddress(
  address: string,
  { language, other_number }: Pick<ViewContext, 'language' | 'other_number'>,
  in_address: InAddress = nothingInAddress,
): string {
  const kept = queryOfAddress(in_address)
  return `${address}${address.includes('?') ? '&' : '?'}lang=${language}${other_number ? '&other=1' : ''}${kept === '' ? '' : `&${kept}`}`
}
