import { type Html, html } from '../../platform/http/html.ts'
import type { Language, Say } from './words.ts'

type Page = {
  title: string
  /** The same page in the other language. */
  other: string
  language: Language
  say: Say
  content: Html
  /** Seconds until a browser without script looks again; null: never. */
  refresh_seconds: number | null
  /** The address to which the browser goes after three seconds. */
  leads_to?: string | null
}

const symbol = (id: string, path: string) => html`<symbol id="${id}" viewBox="0 0 24 24"><path d="${path}"/></symbol>`
const symbols = html`<svg hidden>${[
  symbol('i-ok', 'M5 12.5l4.5 4.5L19 7'),
  symbol('i-no', 'M6.5 6.5l11 11M17.5 6.5l-11 11'),
  symbol('i-clock', 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18zM12 7.5V12l3 2'),
]}</svg>`

/** A whole page of the phones. */
export function drawPage({ title, other, language, say, content, refresh_seconds, leads_to = null }: Page): string {
  const otherLanguage = language === 'fr' ? 'en' : 'fr'
  const again =
    refresh_seconds === null
      ? null
      : html`<noscript><meta http-equiv="refresh" content="${refresh_seconds}"></noscript>`
  const link = html`<a class="tool" href="${other}" hreflang="${otherLanguage}" lang="${otherLanguage}">${say('other_language')}</a>`
  const band = html`<p class="band"><span>${say('band')}</span></p>`
  const leads = leads_to === null ? null : html`<meta http-equiv="refresh" content="3;url=${leads_to}">`
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${say('band').split(' ')[0]!} – ${title}</title>
<link rel="stylesheet" href="/phones/style.css">
<link rel="icon" href="data:,">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
${leads ?? again}
<script src="/phones/refresh.js" defer></script>
</head>
<body>
<a class="skip" href="#main">${say('skip')}</a>
<header class="top"><div class="bar door"><span class="brand">${say('brand')}</span>${link}</div>${band}</header>
<main id="main" tabindex="-1"><div class="wide-door">
${content}
</div></main>
${symbols}
</body>
</html>
`
  return page.text
}
