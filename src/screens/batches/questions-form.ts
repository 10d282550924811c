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

/** The most questions of a page, and the most lines that a question names. Further ones come once the first are answered. */
const QUESTIONS_SHOWN = 20
const LINES_SHOWN = 20

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

/** The form of the questions that only a person can answer: each with its lines, a box to tick, and a button that leaves its lines out. */
export function questionsForm(request: Request, path: string, { draft, lines }: DraftFacts): Html {
  const { say, nonce } = request
  const all = questionsOf(lines)
  if (all.length === 0) return html``
  const shown = all.slice(0, QUESTIONS_SHOWN)
  const left = all.length - shown.length
  const more =
    left > 0 &&
    html`<p class="hint">${sayCount(say, left, ['Puis {n} autre question.', 'Then {n} more question.'], ['Puis {n} autres questions.', 'Then {n} more questions.'])}</p>`
  return html`<form class="slip" id="questions" method="post" action="${path}/lines">${nonceField(nonce)}${versionField(draft)}
<div class="stack">${shown.map((question) => questionFields(request, path, question))}${more}</div>
<div><p class="acts"><button>${say(['Confirmer ce qui est coché', 'Confirm what is ticked'])}</button></p></div>
</form>`
}

function questionFields({ say }: Request, path: string, { ask, lines }: Question): Html {
  const key = askKey(ask)
  const n = lines.length
  const named = lines.slice(0, LINES_SHOWN)
  const rest = n - named.length
  const advice = sayAdvice(say, ask)
  const tick = sayCount(
    say,
    n,
    ['J’ai regardé : cette ligne est juste', 'I have looked: this line is right'],
    ['J’ai regardé : ces {n} lignes sont justes', 'I have looked: these {n} lines are right'],
  )
  const without = sayCount(
    say,
    n,
    ['Retirer cette ligne', 'Remove this line'],
    ['Retirer ces {n} lignes', 'Remove these {n} lines'],
  )
  return html`<fieldset class="fault"><legend>${sayAskOfMany(say, ask, n)}</legend>
${advice !== null && html`<p class="hint">${advice}</p>`}
<ul class="asked">${named.map((line) => html`<li>${lineWords(path, line)}</li>`)}${rest > 0 && html`<li>${sayCount(say, rest, ['et {n} autre', 'and {n} more'], ['et {n} autres', 'and {n} more'])}</li>`}</ul>
<label class="choice"><input type="checkbox" name="right" value="${key}"><span>${tick}</span></label>
<p class="acts"><button class="quiet" name="without" value="${key}">${without}</button></p></fieldset>`
}

/** Writes a line with its number and amount as they would be paid. A cell with a fault is left out. */
function lineWords(path: string, { line, cells, faults }: DraftLineFacts): Html {
  const isGood = (column: string) => !faults.some((fault) => fault.column === column)
  const msisdn = isGood('msisdn') ? (Msisdn.parse(cells.msisdn ?? '') ?? restoredNumber(cells.msisdn ?? '')) : null
  const parts = [
    cells.name,
    msisdn === null ? undefined : writeWholeNumber(msisdn.e164),
    isGood('amount') && /^\d+$/.test(cells.amount ?? '') ? writeAmount(Number(cells.amount)) : cells.amount,
  ].filter((part) => part !== undefined)
  return html`<a href="${path}?line=${line}#line${line}">${line}</a> · ${parts.join(' · ')}`
}
