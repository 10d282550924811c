import { type Html, html, type Piece } from '../platform/http/html.ts'
import { writeAmount, writeShortDay, writeTime } from '../platform/http/pages/write-values.ts'
import type { Language } from '../values/language.ts'
import type { OperatorCode } from '../values/operators.ts'
import { operatorNames } from '../values/operators.ts'
import { type IconName, icon } from './icons.ts'
import type { Say } from './say.ts'

/** The shape of a status, beside its word. The colour only repeats the shape. */
export type StatusShape = 'ok' | 'wait' | 'going' | 'doubt' | 'bad' | 'off' | 'back'

/** A status by its shape and its word. */
export function status(shape: StatusShape, word: string): Html {
  return html`<span class="st ${shape}">${word}</span>`
}

/** An operator as a dot and its name. */
export function operatorName(code: OperatorCode | null): Html {
  return html`${code !== null && html`<span class="op ${code}">${operatorNames[code]}</span>`}`
}

/** The head of a page: its title, a line below, and the possible acts. */
export function pageHead({ title, lead, acts }: { title: Piece; lead?: Piece; acts?: Piece }): Html {
  const titled = html`<h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}`
  return html`<div class="head"><div>${titled}</div>${acts && html`<div class="acts">${acts}</div>`}</div>`
}

/** The link back to the list of a page. */
export function backLink(to: string, words: string): Html {
  return html`<a class="back" href="${to}">${icon('left')}${words}</a>`
}

/** A titled part of a page. `flush`: its content reaches the edges, like a table. */
export function panel(
  title: string | null,
  content: Piece,
  options: { flush?: boolean; more?: Piece; id?: string } = {},
): Html {
  const { flush = false, more, id } = options
  const head = title !== null && html`<header><h2>${title}</h2>${more}</header>`
  const body = html`<div${flush && html` class="flush"`}>${content}</div>`
  return html`<section class="panel"${id !== undefined && html` id="${id}"`}>${head}${body}</section>`
}

/** A fact and its name. `all` marks a total. */
export type Row = { readonly name: Piece; readonly value: Piece; readonly all?: boolean }

/** A list of facts, one a line. Null and false are left out. */
export function rows(facts: readonly (Row | null | false)[]): Html {
  const drawn = facts.map(
    (fact) => fact && html`<div${fact.all && html` class="all"`}><dt>${fact.name}</dt><dd>${fact.value}</dd></div>`,
  )
  return html`<dl class="rows">${drawn}</dl>`
}

/** A small table inside a panel or an event: columns of text first, then columns of numbers. @param lines its rows, each a `tr` */
export function miniTable(
  heads: { readonly texts: readonly Piece[]; readonly numbers?: readonly Piece[]; readonly caption?: string },
  lines: Piece,
): Html {
  const { texts, numbers = [], caption } = heads
  const names = html`${texts.map((text) => html`<th scope="col">${text}</th>`)}`
  const numbered = html`${numbers.map((text) => html`<th scope="col" class="n">${text}</th>`)}`
  const titled = caption !== undefined && html`<caption class="sr">${caption}</caption>`
  return html`<table class="mini">${titled}<thead><tr>${names}${numbered}</tr></thead><tbody>${lines}</tbody></table>`
}

/** An identifier or another text for machines. */
export function id(text: string): Html {
  return html`<span class="id">${text}</span>`
}

/** An e-mail address. A line that is too short breaks before the @. */
export function mailAddress(text: string): Html {
  const at = Math.max(text.lastIndexOf('@'), 0)
  return html`${text.slice(0, at)}<wbr>${text.slice(at)}`
}

/**
 * A text to copy, with a button where scripts run. A page has one.
 * @param words the words on the button
 * @param beside more buttons
 */
export function toCopy(text: string, { say, words, beside }: { say: Say; words: string; beside?: Piece }): Html {
  const done = say(['C’est copié', 'Copied'])
  const button = html`<button type="button" data-script hidden data-copy="k" data-done="${done}">${words}</button>`
  return html`<p class="secret" id="k" tabindex="0">${text}</p><p class="acts">${button}${beside}</p>`
}

/** A secret that people type into an authenticator app, in groups of four signs. Apps ignore the spaces. */
export function typedSecret(text: string): Html {
  return html`<span class="id">${text.replace(/.{4}(?=.)/g, '$& ')}</span>`
}

/** A phone number or an amount inside a sentence, in tabular figures. */
export function figures(text: string): Html {
  return html`<span class="n">${text}</span>`
}

/** A link to another page that looks like a button. */
export function linkButton(to: string, words: string, kind: '' | 'second' | 'stop' | 'quiet' = ''): Html {
  return html`<a class="button${kind !== '' && ` ${kind}`}" href="${to}">${words}</a>`
}

/** A note with advice. */
export function note(kind: 'plain' | 'care' | 'bad' | '', title: string | null, content: Piece): Html {
  return html`<div class="note${kind !== '' && ` ${kind}`}">${title !== null && html`<h2>${title}</h2>`}<p>${content}</p></div>`
}

/** The code by which a second person knows the holder of an account, with what it is for. */
export function accountCode(say: Say, code: string): Html {
  const use = say([
    'Donnez-le à la personne de votre équipe qui confirme votre rôle, quand elle vous le demande. Ce n’est pas un code d’entrée : il n’ouvre rien.',
    'Give it to the person of your team who confirms your role, when they ask for it. It is no code to sign in: it opens nothing.',
  ])
  return html`<p>${say(['Code de votre compte :', 'Your account code:'])} <b class="id">${code}</b></p><p class="hint">${use}</p>`
}

type Blank = { title: string; text?: Piece; acts?: Piece }

/** The content of an empty list: why it is empty, and what to do. */
export function blank(name: IconName, words: Blank): Html {
  return drawBlank(name, html`<h2>${words.title}</h2>`, words)
}

/** A whole page that is one message, such as that nothing is at its address. */
export function blankPage(name: IconName, words: Blank): Html {
  return panel(null, drawBlank(name, html`<h1>${words.title}</h1>`, words))
}

function drawBlank(name: IconName, heading: Html, { text, acts }: Blank): Html {
  const head = html`<span class="icon">${icon(name)}</span>${heading}`
  const under = html`${text && html`<p class="soft">${text}</p>`}${acts && html`<div class="acts">${acts}</div>`}`
  return html`<div class="blank">${head}${under}</div>`
}

/** A message above a page, until the reader closes it. */
export function toast(text: Piece, kind: '' | 'care' | 'bad', say: Say): Html {
  const role = kind === 'bad' ? 'alert' : 'status'
  const close = html`<span class="sr">${say(['Fermer ce message', 'Close this message'])}</span>${icon('x')}`
  const link = html`<a class="tool" href="#main" data-close>${close}</a>`
  return html`<div class="toast${kind !== '' && ` ${kind}`}" role="${role}"><p>${text}</p>${link}</div>`
}

/** A tile with one amount. */
export function tile(name: string, francs: number): Html {
  const [sum] = writeAmount(francs).split('\u00a0')
  return html`<div class="tile"><p>${name}</p><b>${sum} <small>F\u00a0CFA</small></b></div>`
}

/** An event of a timeline. */
export type StoryEvent = {
  readonly at: Date
  readonly icon: IconName
  readonly kind?: 'ok' | 'care' | 'bad'
  readonly text: Piece
  /** Paragraphs or a table below the text. */
  readonly under?: Piece
  /** The operator's own words, or sent bytes. They are closed at first. */
  readonly details?: { readonly title: string; readonly content: Piece }
}

/** The timeline of an operation, with the people and programs of each event. Each day has a heading. */
export function story(events: readonly StoryEvent[], language: Language): Html {
  const days = events.map(({ at }) => writeShortDay(at, language))
  const drawn = events.map((event, index) => drawEvent(event, days[index] === days[index - 1] ? null : days[index]!))
  return html`<ol class="story">${drawn}</ol>`
}

/** An event of a timeline. @param day the heading of its day, if it is the first there */
function drawEvent({ at, icon: name, kind, text, under, details }: StoryEvent, day: string | null): Html {
  const time = html`<time datetime="${at.toISOString()}">${day !== null && html`<b>${day}</b> `}${writeTime(at)}</time>`
  const dot = html`<span class="dot${kind !== undefined && ` ${kind}`}">${icon(name)}</span>`
  const closed = details && html`<details><summary>${details.title}</summary>${details.content}</details>`
  return html`<li>${time}${dot}<div><p>${text}</p>${under}${closed}</div></li>`
}

/** A link to something that waits for a person: its picture, its words, and a line below. */
export function waitingLink(
  to: string,
  { icon: name, kind, words, under }: { icon: IconName; kind: '' | 'care' | 'bad'; words: Piece; under: Piece },
): Html {
  const dot = html`<span class="dot${kind !== '' && ` ${kind}`}">${icon(name)}</span>`
  return html`<a href="${to}">${dot}<span>${words}<span class="sub">${under}</span></span>${icon('right')}</a>`
}

/** A bar filled to this share of 100. Without a label it is for the eye alone, beside a text with the figure. */
export function shareBar(
  share: number | string,
  { label, care = false }: { label?: string; care?: boolean } = {},
): Html {
  const told = label === undefined ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`
  const rects = html`<rect width="100" height="1"/><rect width="${share}" height="1"/>`
  return html`<svg class="bar-of${care && ' care'}" viewBox="0 0 100 1" preserveAspectRatio="none" ${told}>${rects}</svg>`
}

/** The list of unusual facts (`!`), followed by checked facts that are as usual (`=`). */
export function differs(items: readonly { readonly same: boolean; readonly text: Piece }[]): Html {
  const sorted = [...items.filter(({ same }) => !same), ...items.filter(({ same }) => same)]
  return html`<ul class="differs">${sorted.map(({ same, text }) => html`<li${same && html` class="same"`}>${text}</li>`)}</ul>`
}
