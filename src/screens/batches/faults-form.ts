import { type DraftColumn, draftColumns } from '../../batch-files/batch-draft.ts'
import { field, nonceField, select } from '../../console/forms.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { operatorCodes, operatorNames } from '../../values/operators.ts'
import type { DraftLineFacts } from './draft-facts.ts'
import { columnWords, sayFault } from './fault-words.ts'

type Request = ScreenRequest<'console'>

/** Lines to mend, each with its cells, its faults in place, and the box that removes it. */
export function faultsForm(
  request: Request,
  path: string,
  { lines, faulty }: { lines: readonly DraftLineFacts[]; faulty: number },
): Html {
  const { say, nonce } = request
  const check =
    lines.length === 1
      ? say(['Vérifier cette ligne', 'Check this line'])
      : say(['Vérifier ces {n} lignes', 'Check these {n} lines'], { n: lines.length })
  const without =
    faulty === 1
      ? say(['Continuer sans elle', 'Go on without it'])
      : say(['Continuer sans ces {n} lignes', 'Go on without these {n} lines'], { n: faulty })
  return html`<form class="slip" method="post" action="${path}/lines">${nonceField(nonce)}
<div class="stack">${lines.map((line) => lineFields(request, line))}</div>
<div><p class="acts"><button>${check}</button>${faulty > 0 && html`<button class="quiet" name="without" value="all">${without}</button>`}</p></div>
</form>`
}

function lineFields({ say }: Request, line: DraftLineFacts): Html {
  const errors = line.faults.map((fault) => ({ field: `${fault.column}${line.line}`, text: sayFault(say, fault) }))
  const name = line.cells.name ?? ''
  return html`<fieldset class="fault"><legend>${say(['Ligne {n}', 'Line {n}'], { n: line.line })}${name !== '' && ` · ${name}`}</legend>
<input type="hidden" name="line" value="${line.line}">
${line.beyond !== undefined && html`<p class="hint">${say(['Après le dernier titre : « {text} »', 'Behind the last title: “{text}”'], { text: line.beyond })}</p>`}
<div class="inline">${shownColumns(line).map((column) => cellField(say, line, column, errors))}</div>
<label class="choice"><input type="checkbox" name="drop" value="${line.line}"><span>${say(['Retirer cette ligne du lot', 'Take this line out of the batch'])}</span></label></fieldset>`
}

/** Recipient and amount, and every cell that is wrong or beside which the fault may lie. */
function shownColumns({ faults, cells, beyond }: DraftLineFacts): readonly DraftColumn[] {
  const usual: DraftColumn[] =
    cells.beneficiary_id === undefined ? ['name', 'msisdn', 'operator', 'amount'] : ['beneficiary_id', 'amount']
  return draftColumns.filter(
    (column) =>
      usual.includes(column) ||
      faults.some((fault) => fault.column === column) ||
      (beyond !== undefined && cells[column] !== undefined) ||
      (column === 'msisdn' && cells.msisdn !== undefined),
  )
}

function cellField(
  say: Request['say'],
  { line, cells }: DraftLineFacts,
  column: DraftColumn,
  errors: readonly { field: string; text: string }[],
): Html {
  const named = { name: `${column}${line}`, label: say(columnWords[column]), value: cells[column] ?? '' }
  if (column === 'msisdn') return field({ ...named, more: { inputmode: 'tel' } }, errors)
  if (column === 'amount') {
    return field({ ...named, label: say(['Montant, F CFA', 'Amount, F CFA']), more: { inputmode: 'numeric' } }, errors)
  }
  if (column !== 'operator') return field(named, errors)
  const known = operatorCodes.map((code) => ({ value: code, label: operatorNames[code] }))
  const asWritten = named.value === '' || known.some(({ value }) => value === named.value)
  const choices = [
    ...(asWritten ? [] : [{ value: named.value, label: `« ${named.value} »` }]),
    { value: '', label: say(['D’après le numéro', 'By the number']) },
    ...known,
  ]
  return select({ ...named, choices }, errors)
}
