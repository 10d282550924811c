import type { Ask } from '../../batch-files/batch-draft.ts'
import { restoredNumber } from '../../batch-files/judge-line.ts'
import { askKey } from '../../batch-files/mend-draft.ts'
import { nonceField } from '../../console/forms.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { writeWholeNumber } from '../approvals/words.ts'
import { sayAdvice, sayAskOfMany } from './ask-words.ts'
import type { DraftFacts, DraftLineFacts } from './draft-facts.ts'
import { versionField } from './typed-lines.ts'

type Request = ScreenRequest<'console'>

/** The most questions of a page. Further ones come once the first are answered. */
const QUESTIONS_SHOWN = 20
/** The lines of a question that are open at once. */
const LINES_SHOWN = 6

type Question = { readonly ask: Ask; readonly lines: readonly DraftLineFacts[] }

/** The open questions, each with the lines that it is about. */
function questionsOf(lines: readonly DraftLineFacts[]): Question[] {
  const questions = new Map<string, { ask: Ask; lines: DraftLineFacts[] }>()
  for (const line of lines) {
    for (const ask of line.questions) {
      const key = askKey(ask)
      const question = questions.get(key) ?? { ask, lines: [] }
      question.lines.push(line)
      questions.set(key, question)
    }
  }
  return [...questions.values()]
}

/** The form of the questions that only a person can answer: each with its lines, and two boxes: the lines are right, or leave the batch. */
export function questionsForm(request: Request, path: string, { draft, lines }: DraftFacts): Html {
  const { say, nonce } = request
  const all = questionsOf(lines)
  if (all.length === 0) return html``
  const shown = all.slice(0, QUESTIONS_SHOWN)
  const left = all.length - shown.length
  const others = sayCount(
    say,
    left,
    ['Puis {n} autre question.', 'Then {n} more question.'],
    ['Puis {n} autres questions.', 'Then {n} more questions.'],
  )
  const more = left > 0 && html`<p class="hint">${others}</p>`
  return html`<form class="slip" id="questions" method="post" action="${path}/lines">${nonceField(nonce)}${versionField(draft)}
<div class="stack">${shown.map((question) => questionFields(request, path, question))}${more}</div>
<div><p class="acts"><button>${say(['Continuer avec ce qui est coché', 'Go on with what is ticked'])}</button></p></div>
</form>`
}

function questionFields({ say }: Request, path: string, { ask, lines }: Question): Html {
  const key = askKey(ask)
  const n = lines.length
  const rest = n - LINES_SHOWN
  const advice = sayAdvice(say, ask)
  const listed = (some: readonly DraftLineFacts[]) =>
    html`<ul class="asked">${some.map((line) => html`<li>${lineWords(path, line, key)}</li>`)}</ul>`
  const tick = sayCount(
    say,
    n,
    ['J’ai regardé : cette ligne est juste', 'I have looked: this line is right'],
    ['J’ai regardé : ces {n} lignes sont justes', 'I have looked: these {n} lines are right'],
  )
  const without = sayCount(
    say,
    n,
    ['Retirer cette ligne du lot', 'Take this line out of the batch'],
    ['Retirer ces {n} lignes du lot', 'Take these {n} lines out of the batch'],
  )
  const columns =
    isAboutColumns(ask) && html` <a href="${path}/columns">${say(['Changer les colonnes', 'Change the columns'])}</a>`
  const advised = advice !== null && html`<p class="hint">${advice}${columns}</p>`
  const others = sayCount(
    say,
    rest,
    ['L’autre ligne', 'The other line'],
    ['Les {n} autres lignes', 'The {n} other lines'],
  )
  const closed = rest > 0 && html`<details><summary>${others}</summary>${listed(lines.slice(LINES_SHOWN))}</details>`
  return html`<fieldset class="fault"><legend>${sayAskOfMany(say, ask, n)}</legend>
${advised}
${listed(lines.slice(0, LINES_SHOWN))}${closed}
<label class="choice"><input type="checkbox" name="right" value="${key}"><span>${tick}</span></label>
<label class="choice"><input type="checkbox" name="without" value="${key}"><span>${without}</span></label></fieldset>`
}

/** Whether other columns may answer a question. */
function isAboutColumns({ code }: Ask): boolean {
  return code === 'column_hidden' || code === 'beside_operator' || code === 'beside_number'
}

/** Writes a line with its number and amount as they would be paid, and what a column that is left out says of it. A cell with a fault is left out. */
function lineWords(path: string, { line, cells, faults, questions }: DraftLineFacts, key: string): Html {
  const isGood = (column: string) => !faults.some((fault) => fault.column === column)
  const msisdn = isGood('msisdn') ? (Msisdn.parse(cells.msisdn ?? '') ?? restoredNumber(cells.msisdn ?? '')) : null
  const parts = [
    cells.name,
    msisdn === null ? undefined : writeWholeNumber(msisdn.e164),
    isGood('amount') && /^\d+$/.test(cells.amount ?? '') ? writeAmount(Number(cells.amount)) : cells.amount,
    questions.find((ask) => askKey(ask) === key)?.said,
  ].filter((part) => part !== undefined)
  return html`<a href="${path}?line=${line}#line${line}">${line}</a> · ${parts.join(' · ')}`
}
