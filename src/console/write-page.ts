import { createHash } from 'node:crypto'
import { type Html, html } from '../platform/http/html.ts'
import type { Language } from '../values/language.ts'
import { assetAddress, script, styleSheet } from './assets.ts'
import { hiddenField, nonceField } from './forms.ts'
import { SEALED } from './hidden-search.ts'
import { drawSymbols, icon } from './icons.ts'
import { type Say, sayIn, type Words } from './say.ts'
import type { ScreenDoor } from './screen.ts'

type Head = {
  /** The title of the tab; in test mode it begins with TEST. */
  readonly title: string
  readonly language: Language
  readonly body: Html
  /** Seconds after which a browser without script loads the page again. */
  readonly refresh_seconds?: number | undefined
}

/** Writes the HTML document around a body. It has one style sheet and one script, both cached, and nothing inline, so that the policy is strict. */
export function writeDocument({ title, language, body, refresh_seconds }: Head): string {
  const drawn = body.text
  const refresh =
    refresh_seconds !== undefined &&
    html`<noscript><meta http-equiv="refresh" content="${refresh_seconds}"></noscript>\n`
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title}</title>
<link rel="stylesheet" href="${assetAddress(styleSheet)}">
<link rel="icon" href="data:,">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
${refresh}<script src="${assetAddress(script)}" defer></script>
</head>
<body>
<a class="skip" href="#main">${sayIn(language)(['Aller au contenu', 'Skip to the content'])}</a>
${body}
${drawSymbols(drawn)}
</body>
</html>
`.text
}

/** Writes a page before a sign-in, such as an invitation. */
export function drawDoor(
  main: Html,
  { brand, say, other_language }: { brand: string; say: Say; other_language: Html },
): Html {
  const care = say(
    [
      'Ne donnez votre code à personne, même à quelqu’un qui dit travailler chez {brand}.',
      'Never give your code to anyone, even someone who says they work for {brand}.',
    ],
    { brand },
  )
  return html`<header class="top"><div class="bar door"><span class="brand">${brand}</span>${other_language}</div></header>
<main id="main" tabindex="-1">
<div class="narrow">
${main}
</div>
</main>
<footer class="foot"><p>${care}</p></footer>`
}

/** Each language in its own words. */
const languageNames: Readonly<Record<Language, string>> = { fr: 'Français', en: 'English' }

/** The link to the same page in the other language, for a reader without an account. */
export function otherLanguageLink(language: Language, url: string): Html {
  const other = language === 'fr' ? 'en' : 'fr'
  const [path = '', query = ''] = url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('lang', other)
  const to = `${path}?${parameters}`
  return html`<a class="tool" href="${to}" hreflang="${other}" lang="${other}">${languageNames[other]}</a>`
}

/** The button that stores the other language for the person, and returns to the page. */
export function otherLanguageButton(
  { language, nonce }: { language: Language; nonce: string },
  to: string,
  back: string,
): Html {
  const other = language === 'fr' ? 'en' : 'fr'
  const fields = html`${nonceField(nonce)}${hiddenField('language', other)}${hiddenField('back', back)}`
  const button = html`<button class="quiet" lang="${other}">${languageNames[other]}</button>`
  return html`<form method="post" action="${to}">${fields}${button}</form>`
}

export type FrameParts = {
  /** Gives the desk its dark bar, so that nobody takes it for a merchant's console. */
  readonly door: ScreenDoor
  readonly brand: string
  /** The merchant's name, or the desk's. */
  readonly place: string
  readonly livemode: boolean
  /** The same door in the other mode. */
  readonly modes: { readonly live: string; readonly test: string }
  /** The address of the search, and the nonce of its form. Null: this person may not search here. */
  readonly search: { readonly to: string; readonly nonce: string } | null
  readonly person: string
  /** The reader's own part (`drawOwn`), at the top of a wide window. */
  readonly own: Html
  readonly menu: Html
  /** Whether and how the page renews itself. */
  readonly moving: boolean | 'open'
  /** The text as its reader sees it, for the mark of a page that renews itself: of a visit without whole numbers. */
  readonly seen: (text: string) => string
  /** Null on a page with a decision. */
  readonly dock: Html | null
  /** The message of the previous act. */
  readonly message: Html | null
  readonly say: Say
}

/** The reader's own part: role, sessions, language, and sign-out. */
export function drawOwn(
  say: Say,
  {
    role,
    account,
    language_switch,
    sign_out,
    nonce,
  }: Readonly<Record<'role' | 'account' | 'sign_out' | 'nonce', string>> & {
    readonly language_switch: Html
  },
): Html {
  const own = html`<a href="${account}">${say(['Mes sessions et mes clés d’accès', 'My sessions and passkeys'])}</a>`
  const leave = html`<button class="quiet">${say(['Se déconnecter', 'Sign out'])}</button>`
  const out = html`<form method="post" action="${sign_out}">${nonceField(nonce)}${leave}</form>`
  return html`<p class="soft">${role}</p>${own}${language_switch}${out}`
}

/** Writes a page of a signed-in person. */
export function drawFrame(main: Html, parts: FrameParts): Html {
  const { say, livemode, search, dock } = parts
  const band = !livemode && html`<p class="band"><span>${say(TEST_BAND)}</span></p>`
  return html`<div class="frame ${dock === null ? 'deciding' : 'docked'} ${parts.door}${!livemode && ' test'}">
<header class="top">${drawBar(parts)}${band}</header>
${parts.menu}
${drawMain(main, parts).drawn}
</div>
${dock}
${drawHelp(say, search !== null)}`
}

/** The main part of a page. @returns its mark too, which differs when its content does: a page that renews itself sends it */
export function drawMain(
  main: Html,
  { say, moving, message, seen }: Pick<FrameParts, 'say' | 'moving' | 'message' | 'seen'>,
): { drawn: Html; mark: string } {
  const still = say(['Ne plus rafraîchir cette page', 'Stop refreshing this page'])
  const stop =
    moving &&
    html`<p class="hint" data-script hidden><button type="button" class="quiet" data-still>${still}</button></p>`
  const content = html`${message}${main}${stop}`
  // Of the masked text: a mark of whole numbers would let a reader without them try every number.
  const mark = createHash('sha256').update(seen(content.text)).digest('base64url').slice(0, MARK_LETTERS)
  const renewed = moving && html` data-moving="${mark}"${moving === 'open' && html` data-open`}`
  return { drawn: html`<main id="main" tabindex="-1"${renewed}>\n${content}\n</main>`, mark }
}

/** Letters of a mark: 96 bits, so that two contents of one page never share it. */
const MARK_LETTERS = 16

/** A page that renews itself: its title, its main part, and the drawings of its icons, which the open page may lack. */
export function writeRenewal(title: string, drawn: Html): string {
  return html`<title>${title}</title>\n${drawn}\n${drawSymbols(drawn.text)}`.text
}

/** The bar of a page: where it is, the mode, the search, the help, and the reader's own part. */
function drawBar({ say, brand, place, livemode, modes, search, person, own }: FrameParts): Html {
  const here = html` aria-current="true"`
  const live = html`<a href="${modes.live}"${livemode && here}>${say(['Réel', 'Live'])}</a>`
  const test = html`<a href="${modes.test}"${!livemode && here}>${say(['Test', 'Test'])}</a>`
  const label = say(['Argent réel ou test', 'Real money or test'])
  const parts = [
    html`<span class="brand">${brand}</span><span class="shop">${place}</span>`,
    html`<nav class="mode" aria-label="${label}">${live}${test}</nav>`,
    search !== null && drawSearch(say, search),
    html`<a class="tool ask" href="#help" data-help data-script hidden>${say(['Aide', 'Help'])}</a>`,
    html`<details class="me"><summary>${icon('person')} ${person}</summary><div>${own}</div></details>`,
  ]
  return html`<div class="bar">${parts}</div>`
}

/** The field of the search, and the link to its page on a narrow window. */
function drawSearch(say: Say, { to, nonce }: NonNullable<FrameParts['search']>): Html {
  const label = say([
    'Chercher un paiement, un envoi, un numéro, un montant',
    'Find a payment, a payout, a number, an amount',
  ])
  const hint = say(['Chercher : numéro, montant, référence…', 'Search: number, amount, reference…'])
  const typed = html`<input type="search" name="q" aria-label="${label}" placeholder="${hint}" data-find>`
  const fields = html`${nonceField(nonce)}${typed}`
  const link = html`<a class="tool look" href="${to}"><span class="sr">${say(['Chercher', 'Search'])}</span>${icon('look')}</a>`
  return html`<form method="post" class="find" role="search" action="${to}/${SEALED}">${fields}</form>${link}`
}

export const TEST_BAND = ['TEST – aucun argent réel', 'TEST – no real money'] as const

/** The keys of a page. A person without the right to search has no key for it. */
function drawHelp(say: Say, searches: boolean): Html {
  const key = (words: Words, keys: Html) => html`<div><dt>${say(words)}</dt><dd>${keys}</dd></div>`
  const keys = [
    searches && key(['Chercher', 'Search'], html`<kbd>/</kbd>`),
    key(['Cette aide', 'This help'], html`<kbd>?</kbd>`),
    key(['Ligne suivante, précédente', 'Next line, previous line'], html`<kbd>j</kbd> <kbd>k</kbd>`),
  ]
  const title = html`<h2 id="help-t">${say(['Aide du clavier', 'Keyboard help'])}</h2>`
  const close = html`<form method="dialog" class="acts"><button>${say(['Fermer', 'Close'])}</button></form>`
  return html`<dialog id="help" aria-labelledby="help-t">${title}<dl class="rows">${keys}</dl>${close}</dialog>`
}
