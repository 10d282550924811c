import { type Html, html, type Piece } from '../platform/http/html.ts'
import type { Say } from './say.ts'
import type { ScreenDoor, ScreenRequest } from './screen.ts'

/** An error of a form: its field, and a sentence that says how to correct it. */
export type FieldError = { readonly field: string; readonly text: string }

/** A form that posts to our own page, with its nonce. */
export function form(
  request: Pick<ScreenRequest<ScreenDoor>, 'nonce'>,
  to: string,
  content: Piece,
  options: { class?: string } = {},
): Html {
  const { class: style = 'stack' } = options
  return html`<form method="post" action="${to}" class="${style}">${nonceField(request.nonce)}${content}</form>`
}

/** The hidden field with the session's nonce, in each form. */
export function nonceField(nonce: string): Html {
  return hiddenField('nonce', nonce)
}

/** A field that a form sends and nobody sees. */
export function hiddenField(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** The list of errors above a refused form. Each links to its field. */
export function errorList(say: Say, errors: readonly FieldError[]): Html {
  if (errors.length === 0) return html``
  const title = say(['Il y a quelque chose à corriger', 'There is something to correct'])
  const links = errors.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)
  return html`<div class="errors" role="alert" aria-labelledby="err"><h2 id="err">${title}</h2><ul>${links}</ul></div>`
}

export type Field = {
  readonly name: string
  readonly label: Piece
  readonly hint?: Piece
  readonly value?: string
  readonly type?: 'text' | 'email' | 'password' | 'date' | 'search' | 'tel' | 'time'
  /** Further attributes, such as `{ inputmode: 'numeric' }`. An empty value makes an attribute without one. */
  readonly more?: Readonly<Record<string, string>>
  readonly class?: string
}

/** A field with its label, its hint and its error. The typed text stays. */
export function field(declared: Field, errors: readonly FieldError[] = []): Html {
  const { name, type = 'text', value = '', more = {}, class: style } = declared
  const { above, describedBy } = aroundOf(declared, errors)
  const styled = style !== undefined && html` class="${style}"`
  const typed = value !== '' && type !== 'password' && html` value="${value}"`
  const input = html`<input id="${name}" name="${name}" type="${type}"${styled}${typed}${describedBy}${attributes(more)}>`
  return html`<div class="field">${above}${input}</div>`
}

/** A field of several lines. */
export function textArea(declared: Field, errors: readonly FieldError[] = []): Html {
  const { name, value = '', more = {} } = declared
  const { above, describedBy } = aroundOf(declared, errors)
  const area = html`<textarea id="${name}" name="${name}"${describedBy}${attributes(more)}>${value}</textarea>`
  return html`<div class="field">${above}${area}</div>`
}

export type Choice = { readonly value: string; readonly label: string; readonly hint?: Piece }

/** A field to choose one of a few values. */
export function select(
  declared: Field & { readonly choices: readonly Choice[] },
  errors: readonly FieldError[] = [],
): Html {
  const { name, value = '', choices, more = {} } = declared
  const { above, describedBy } = aroundOf(declared, errors)
  const options = choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === value && html` selected`}>${choice.label}</option>`,
  )
  const list = html`<select id="${name}" name="${name}"${describedBy}${attributes(more)}>${options}</select>`
  return html`<div class="field">${above}${list}</div>`
}

/** Boxes to tick (`checkbox`) or one to choose (`radio`). */
export function choices(
  declared: {
    name: string
    legend: string
    kind: 'checkbox' | 'radio'
    chosen: readonly string[]
    choices: readonly Choice[]
  },
  errors: readonly FieldError[] = [],
): Html {
  const { name, legend, kind, chosen } = declared
  const wrong = errors.find(({ field: about }) => about === name)
  const error = wrong && html`<p class="error" id="${name}-e">${wrong.text}</p>`
  const boxes = declared.choices.map(({ value, label, hint }) => {
    const checked = chosen.includes(value) && html` checked`
    const box = html`<input type="${kind}" name="${name}" value="${value}"${checked}>`
    return html`<label class="choice">${box}<span><b>${label}</b>${hint && html`<br>${hint}`}</span></label>`
  })
  const described = wrong && html` aria-describedby="${name}-e"`
  return html`<fieldset id="${name}"${described}><legend>${legend}</legend>${error}${boxes}</fieldset>`
}

/** The field for a code of six digits. */
export function codeField(declared: Omit<Field, 'type' | 'class' | 'more'>, errors: readonly FieldError[] = []): Html {
  return field(
    { ...declared, class: 'digits', more: { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: '7' } },
    errors,
  )
}

/** The label, hint and error above a field, and the attributes that bind it to them. */
function aroundOf({ name, label, hint }: Field, errors: readonly FieldError[]): { above: Html; describedBy: Html } {
  const wrong = errors.find(({ field: about }) => about === name)
  const ids = [...(hint === undefined ? [] : [`${name}-h`]), ...(wrong === undefined ? [] : [`${name}-e`])]
  const hinted = hint !== undefined && html`<p class="hint" id="${name}-h">${hint}</p>`
  const error = wrong && html`<p class="error" id="${name}-e">${wrong.text}</p>`
  const described = ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
  return {
    above: html`<label for="${name}">${label}</label>${hinted}${error}`,
    describedBy: html`${described}${wrong && html` aria-invalid="true"`}`,
  }
}

function attributes(more: Readonly<Record<string, string>>): Html {
  return html`${Object.entries(more).map(([name, value]) => (value === '' ? html` ${name}` : html` ${name}="${value}"`))}`
}

/**
 * The two buttons of a decision: to refuse, then to agree, which is the wider one. The first may link to the part of the page with the reason.
 */
export function decideBar(
  request: Pick<ScreenRequest<ScreenDoor>, 'nonce'>,
  refuse: { readonly to: string; readonly words: string; readonly asks?: boolean },
  agree: { readonly to: string; readonly words: string },
): Html {
  const no = refuse.asks
    ? html`<a class="button stop" href="${refuse.to}">${refuse.words}</a>`
    : form(request, refuse.to, html`<button class="stop wide">${refuse.words}</button>`, { class: 'no' })
  const yes = form(request, agree.to, html`<button class="wide">${agree.words}</button>`, { class: 'yes' })
  return html`<div class="decide">${no}${yes}</div>`
}
