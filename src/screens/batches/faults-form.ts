import { type BatchDraft, type DraftColumn, draftColumns } from '../../batch-files/batch-draft.ts'
import { operatorIn } from '../../batch-files/judge-line.ts'
import { field, hiddenField, nonceField, select } from '../../console/forms.ts'
import { quoted, sayCount } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { operatorCodes, operatorNames } from '../../values/operators.ts'
import { sayAsk } from './ask-words.ts'
import { columnWords, sayFault } from './fault-words.ts'
import { changedNote, changeId, type FormLine, versionField, wasName } from './typed-lines.ts'

type Request = ScreenRequest<'console'>

/** The form of lines to correct, each with its cells, its faults, and the box that removes it. */
export function faultsForm(
  request: Request,
  path: string,
  { draft, lines, faulty }: { draft: BatchDraft; lines: readonly FormLine[]; faulty: number },
): Html {
  const { say, nonce } = request
  const check = sayCount(
    say,
    lines.length,
    ['Vérifier cette ligne', 'Check this line'],
    ['Vérifier ces {n} lignes', 'Check these {n} lines'],
  )
  const without = sayCount(
    say,
    faulty,
    ['Continuer sans elle', 'Go on without it'],
    ['Continuer sans ces {n} lignes', 'Go on without these {n} lines'],
  )
  const recheck = html`<button${faulty === 0 && html` class="second"`}>${check}</button>`
  const goOn = faulty > 0 && html`<button class="quiet" name="without" value="all">${without}</button>`
  return html`<form class="slip" method="post" action="${path}/lines">${nonceField(nonce)}${versionField(draft)}
<div class="stack">${lines.map((line) => lineFields(request, line))}</div>
<div><p class="acts">${recheck}${goOn}</p></div>
</form>`
}

function lineFields({ say }: Request, line: FormLine): Html {
  const name = line.cells.name ?? ''
  const errors = line.faults.map(
    (fault) => html`<p class="error" id="${errorId(line, fault.column)}">${sayFault(say, fault)}</p>`,
  )
  const asked = line.questions.map((ask) => html`<p class="note care gap">${sayAsk(say, ask)}</p>`)
  const tick = (box: string, words: string, checked = false) => {
    const input = html`<input type="checkbox" name="${box}" value="${line.line}"${checked && html` checked`}>`
    return html`<label class="choice">${input}<span>${words}</span></label>`
  }
  const right =
    line.questions.length > 0 &&
    tick('right_line', say(['J’ai regardé : cette ligne est juste', 'I have looked: this line is right']))
  const out = tick(
    'drop',
    say(['Retirer cette ligne du lot', 'Take this line out of the batch']),
    line.late?.dropped === true,
  )
  const changes = draftColumns.map((column) => changedNote(say, line, column))
  const beyond =
    line.beyond !== undefined &&
    say(['Après le dernier titre : « {text} »', 'After the last title: “{text}”'], { text: line.beyond })
  const legend = html`<legend>${say(['Ligne {n}', 'Line {n}'], { n: line.line })}${name !== '' && ` · ${name}`}</legend>`
  const cells = shownColumns(line).map((column) => cellFields(say, line, column))
  return html`<fieldset class="fault" id="line${line.line}">${legend}
${errors}${asked}${changes}${beyond !== false && html`<p class="hint">${beyond}</p>`}
<div class="inline">${hiddenField('line', line.line)}${cells}</div>
${right}${out}</fieldset>`
}

function errorId({ line }: FormLine, column: DraftColumn): string {
  return `${column}${line}-e`
}

/** The field of a cell, with a hidden field of its current text, so that a late form shows what its author changed. */
function cellFields(say: Request['say'], line: FormLine, column: DraftColumn): Html {
  const now = (line.late?.now ?? line.cells)[column] ?? ''
  return html`<input type="hidden" name="${wasName(column, line.line)}" value="${now}">${cellField(say, line, column)}`
}

/** Returns the columns to show: number, amount and every wrong or late cell; all cells of a shifted line, of one without faults, or of the book. */
function shownColumns({ faults, cells, beyond, late }: FormLine): readonly DraftColumn[] {
  const whole = faults.length === 0 || beyond !== undefined
  const always: readonly DraftColumn[] = cells.beneficiary_id === undefined ? ['msisdn', 'amount'] : ['amount']
  return draftColumns.filter(
    (column) =>
      always.includes(column) ||
      faults.some((fault) => fault.column === column) ||
      late?.cells[column] !== undefined ||
      (whole && cells[column] !== undefined) ||
      (cells.beneficiary_id !== undefined && cells[column] !== undefined),
  )
}

function cellField(say: Request['say'], line: FormLine, column: DraftColumn): Html {
  const wrong = line.faults.some((fault) => fault.column === column)
  const notes = [
    ...(wrong ? [errorId(line, column)] : []),
    ...(line.late?.changed[column] === undefined ? [] : [changeId(line, column)]),
  ]
  const described = {
    ...(wrong && { 'aria-invalid': 'true' }),
    ...(notes.length > 0 && { 'aria-describedby': notes.join(' ') }),
  }
  const named = { name: `${column}${line.line}`, label: say(columnWords[column]), value: line.cells[column] ?? '' }
  if (column === 'operator') return operatorField(say, named, described)
  if (column === 'msisdn') return field({ ...named, more: { inputmode: 'tel', ...described } })
  if (column !== 'amount') return field({ ...named, more: described })
  return field({
    ...named,
    label: say(['Montant, F CFA', 'Amount, F CFA']),
    more: { inputmode: 'numeric', ...described },
  })
}

/** The field of operators. An unknown text comes first, so that the form does not choose an operator by itself. */
function operatorField(
  say: Request['say'],
  { name, label, value }: { name: string; label: string; value: string },
  more: Readonly<Record<string, string>>,
): Html {
  const known = operatorIn(value)
  const choices = [
    ...(known === null && value !== '' ? [{ value, label: say(quoted, { text: value }) }] : []),
    { value: '', label: say(['D’après le numéro', 'By the number']) },
    ...operatorCodes.map((code) => ({ value: code, label: operatorNames[code] })),
  ]
  return select({ name, label, value: known ?? value, choices, more })
}
