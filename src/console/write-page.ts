import { type Html, html } from '../platform/http/html.ts'
import type { Language } from '../values/language.ts'
import { assetAddress, script, styleSheet } from './assets.ts'
import { nonceField } from './forms.ts'
import { SEALED } from './hidden-search.ts'
import { drawSymbols, icon } from './icons.ts'
import { type Say, sayIn } from './say.ts'
import type { ScreenDoor } from './screen.ts'

type Head = {
  /** The title of the tab; in test mode it begins with TEST. */
  readonly title: string
  readonly language: Language
  readonly body: Html
}

/** Writes the HTML document around a body. It has one style sheet and one script, both cached, and nothing inline, so that the policy is strict. */
export function writeDocument({ title, language, body }: Head): string {
  const drawn = body.text
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
<script src="${assetAddress(script)}" defer></script>
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
  return html`<header class="top"><div class="bar door"><span class="brand">${brand}</span>${other_language}</div></header>
<main id="main" tabindex="-1">
<div class="narrow">
${main}
</div>
</main>
<footer class="foot"><p>${say(['Ne donnez votre code à personne, même à quelqu’un qui dit travailler chez {brand}.', 'Never give your code to anyone, even someone who says they work for {brand}.'], { brand })}</p></footer>`
}

/** The link to the same page in the other language, for a reader without an account. */
export function otherLanguageLink(language: Language, url: string): Html {
  const other = language === 'fr' ? 'en' : 'fr'
  const [path = '', query = ''] = url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('lang', other)
  return html`<a class="tool" href="${`${path}?${parameters}`}" hreflang="${other}" lang="${other}">${other === 'fr' ? 'Français' : 'English'}</a>`
}

/** The button that stores the other language for the person, and returns to the page. */
export function otherLanguageButton(
  { language, nonce }: { language: Language; nonce: string },
  to: string,
  back: string,
): Html {
  const other = language === 'fr' ? 'en' : 'fr'
  return html`<form method="post" action="${to}"><input type="hidden" name="nonce" value="${nonce}"><input type="hidden" name="language" value="${other}"><input type="hidden" name="back" value="${back}"><button class="quiet" lang="${other}">${other === 'fr' ? 'Français' : 'English'}</button></form>`
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
  /** Whether the page refreshes itself. */
  readonly moving: boolean
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
  return html`<p class="soft">${role}</p><a href="${account}">${say(['Mes sessions et mes clés d’accès', 'My sessions and passkeys'])}</a>${language_switch}<form method="post" action="${sign_out}"><input type="hidden" name="nonce" value="${nonce}"><button class="quiet">${say(['Se déconnecter', 'Sign out'])}</button></form>`
}

/** Writes a page of a signed-in person. */
export function drawFrame(main: Html, parts: FrameParts): Html {
  const { say, livemode, modes, search } = parts
  const words = {
    find: say([
      'Chercher un paiement, un envoi, un numéro, un montant',
      'Find a payment, a payout, a number, an amount',
    ]),
    hint: say(['Chercher : numéro, montant, référence…', 'Search: number, amount, reference…']),
  }
  return html`<div class="frame ${parts.dock === null ? 'deciding' : 'docked'} ${parts.door}${!livemode && ' test'}">
<header class="top"><div class="bar"><span class="brand">${parts.brand}</span><span class="shop">${parts.place}</span><nav class="mode" aria-label="${say(['Argent réel ou test', 'Real money or test'])}"><a href="${modes.live}"${livemode && html` aria-current="true"`}>${say(['Réel', 'Live'])}</a><a href="${modes.test}"${!livemode && html` aria-current="true"`}>${say(['Test', 'Test'])}</a></nav>${search !== null && html`<form method="post" class="find" role="search" action="${search.to}/${SEALED}">${nonceField(search.nonce)}<input type="search" name="q" aria-label="${words.find}" placeholder="${words.hint}" data-find></form><a class="tool look" href="${search.to}"><span class="sr">${say(['Chercher', 'Search'])}</span>${icon('look')}</a>`}<a class="tool ask" href="#help" data-help data-script hidden>${say(['Aide', 'Help'])}</a><details class="me"><summary>${icon('person')} ${parts.person}</summary><div>${parts.own}</div></details></div>${!livemode && html`<p class="band"><span>${say(TEST_BAND)}</span></p>`}</header>
${parts.menu}
<main id="main" tabindex="-1"${parts.moving && html` data-moving`}>
${parts.message}${main}${parts.moving && html`<p class="hint" data-script hidden><button type="button" class="quiet" data-still>${say(['Ne plus rafraîchir cette page', 'Stop refreshing this page'])}</button></p>`}
</main>
</div>
${parts.dock}
${drawHelp(say, search !== null)}`
}

export const TEST_BAND = ['TEST – aucun argent réel', 'TEST – no real money'] as const

/** The keys of a page. A person without the right to search has no key for it. */
function drawHelp(say: Say, searches: boolean): Html {
  const search = searches && html`<div><dt>${say(['Chercher', 'Search'])}</dt><dd><kbd>/</kbd></dd></div>`
  return html`<dialog id="help" aria-labelledby="help-t"><h2 id="help-t">${say(['Aide du clavier', 'Keyboard help'])}</h2><dl class="rows">${search}<div><dt>${say(['Cette aide', 'This help'])}</dt><dd><kbd>?</kbd></dd></div><div><dt>${say(['Ligne suivante, précédente', 'Next line, previous line'])}</dt><dd><kbd>j</kbd> <kbd>k</kbd></dd></div></dl><form method="dialog" class="acts"><button>${say(['Fermer', 'Close'])}</button></form></dialog>`
}
