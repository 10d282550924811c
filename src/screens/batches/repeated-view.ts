import { sayCount, type Words } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { isRepeated, type Repeated, type RepeatedIn, tickOf } from './read-repeated.ts'

type Request = ScreenRequest<'console'>

/** The most operations that are named. */
const NAMED_MAX = 5

const names: Readonly<Record<RepeatedIn['kind'], { words: Words; path: string }>> = {
  batch: { words: ['Lot du', 'Batch of'], path: '/batches' },
  payout: { words: ['Envoi du', 'Payout of'], path: '/payouts' },
  request: { words: ['Demande qui attend', 'Request that waits'], path: '/approvals' },
  draft: { words: ['Brouillon du', 'Draft of'], path: '/batches/drafts' },
}

/** How many lines were paid, wait or are drafted already, and where. Nothing when there are none. @param total all lines */
export function repeatedNote(request: Request, repeated: Repeated, total: number): Html {
  if (!isRepeated(repeated)) return html``
  const { say } = request
  const { line_count: n, twin_count, operations } = repeated
  const before =
    n > 0 &&
    sayCount(
      say,
      n,
      [
        `{n} ligne sur ${total} a le même numéro et le même montant dans une opération des 35 derniers jours :`,
        `{n} line of ${total} has the same number and amount in an operation of the last 35 days:`,
      ],
      [
        `{n} lignes sur ${total} ont le même numéro et le même montant dans une opération des 35 derniers jours :`,
        `{n} lines of ${total} have the same number and amount in an operation of the last 35 days:`,
      ],
    )
  const left = operations.length - NAMED_MAX
  const named = operations.slice(0, NAMED_MAX).map((one) => html`<li>${operationLink(request, one)}</li>`)
  const others = left > 0 && html`<li>${say(['et {n} autres', 'and {n} others'], { n: left })}</li>`
  const where = html`<ul>${named}${others}</ul>`
  const doubled = sayCount(
    say,
    twin_count,
    [
      '{n} ligne a le même numéro et le même montant qu’une autre ligne de ce lot.',
      '{n} line has the same number and amount as another line of this batch.',
    ],
    [
      '{n} lignes ont le même numéro et le même montant qu’une autre ligne de ce lot.',
      '{n} lines have the same number and amount as another line of this batch.',
    ],
  )
  const twins = twin_count > 0 && html`<p>${doubled}</p>`
  const title = say(['Ne payez pas deux fois', 'Do not pay twice'])
  return html`<div class="note care gap" id="repeated"><h2>${title}</h2>${before && html`<p>${before}</p>${where}`}${twins}</div>`
}

/** The link to such an operation. @param counted whether it says of how many lines */
export function operationLink(
  { say, at, language }: Request,
  { kind, id, at: when, line_count }: RepeatedIn,
  counted = true,
): Html {
  const { words, path } = names[kind]
  const name = when === null ? say(words) : `${say(words)} ${writeShortDate(when, language)}`
  if (!counted) return html`<a href="${at(`${path}/${id}`)}">${name}</a>`
  const lines = sayCount(say, line_count, ['{n} ligne', '{n} line'], ['{n} lignes', '{n} lines'])
  return html`<a href="${at(`${path}/${id}`)}">${name}</a> (${lines})`
}

/** The box that says that these lines are to be paid all the same. Nothing when there are none. */
export function repeatedTick({ say, fields }: Request, repeated: Repeated): Html {
  if (!isRepeated(repeated)) return html``
  const value = tickOf(repeated)
  const label = say(['Oui, ces lignes sont à payer encore une fois', 'Yes, these lines are to be paid again'])
  const checked = fields.text('repeated') === value && html` checked`
  const box = html`<input type="checkbox" name="repeated" value="${value}"${checked}>`
  return html`<label class="choice">${box}<span><b>${label}</b></span></label>`
}

/** Whether the person still has to tick the box for these lines. */
export function lacksTick({ fields }: Request, repeated: Repeated): boolean {
  return isRepeated(repeated) && fields.text('repeated') !== tickOf(repeated)
}
