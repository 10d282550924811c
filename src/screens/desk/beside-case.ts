import { resolutionWords } from '../../anomalies/resolution-facts.ts'
import { figures, linkButton, panel, type Row, rows } from '../../console/components.ts'
import { type FieldError, field, form, select } from '../../console/forms.ts'
import { sayWords } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { type CaseFile, standingOf } from './case-facts.ts'
import { forecastInWords } from './forecast-words.ts'

type Request = ScreenRequest<'desk'>

/** The meaning of each possible end, the ends of earlier similar cases, and the next act: to open an anomaly, or to propose. */
export function besideCase(request: Request, file: CaseFile, errors: readonly FieldError[]): Html {
  const { say } = request
  const { anomaly, doubt, decided_at } = file
  const like =
    doubt?.forecast &&
    panel(
      say(['Semblables', 'Similar cases']),
      html`<p>${forecastInWords(doubt.forecast, say)}</p>${rows(orderRows(request, file))}`,
    )
  const led = anomaly === null && decided_at !== null && ledPanel(request, decided_at)
  const opening =
    anomaly === null &&
    decided_at === null &&
    doubt?.open &&
    request.can('cases.decide') &&
    openingPanel(request, file, errors)
  const ends = doubt?.open && endsPanel(request, doubt)
  return html`${proposing(request, file, errors)}${led}${opening}${ends}${like}`
}

function endsPanel({ say, language }: Request, { ends }: NonNullable<CaseFile['doubt']>): Html {
  const succeeded = html`<b>${say(['Si c’est réussi :', 'If it succeeded:'])}</b> ${ends.if_succeeded.says[language]}.`
  const failed = html`<b>${say(['Si c’est échoué :', 'If it failed:'])}</b> ${ends.if_failed.says[language]}.`
  return panel(
    say(['Ce que chaque fin veut dire', 'What each outcome means']),
    html`<p>${succeeded}</p><p>${failed}</p>`,
  )
}

/** The way to the anomaly at which the case is decided. */
function ledPanel({ say, at }: Request, decided_at: string): Html {
  const open = say(['Une anomalie est ouverte : c’est là qu’on décide.', 'A mismatch is open: it is decided there.'])
  const link = linkButton(at(`/cases/${decided_at}`), say(['Ouvrir l’anomalie', 'See the mismatch']))
  return panel(null, html`<p>${open}</p><p class="acts">${link}</p>`)
}

function openingPanel(request: Request, { id }: CaseFile, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const text = say([
    'Quand l’opérateur n’a pas répondu dans le délai, deux personnes peuvent finir l’opération d’après ce qu’elles ont vu dans ses livres.',
    'When the operator has not answered in time, two people can end the operation by what they saw in its books.',
  ])
  const reason = field(
    {
      name: 'reason',
      label: say(['Pourquoi', 'Why']),
      value: request.fields.text('reason'),
      more: { maxlength: '500' },
    },
    errors,
  )
  const open = html`<button class="second">${say(['Ouvrir une anomalie', 'Open a mismatch'])}</button>`
  return panel(
    say(['Décider sans l’opérateur', 'Decide without the operator']),
    form(request, at(`/cases/${id}/open`), html`<p>${text}</p>${reason}${open}`),
  )
}

function orderRows({ say, language }: Request, { doubt }: CaseFile): (Row | null)[] {
  const { connector, asked, next_check_at, attempts } = doubt!.instruction
  return [
    connector === null ? null : { name: say(['Connecteur', 'Connector']), value: connector },
    { name: say(['Envois', 'Sends']), value: figures(String(attempts)) },
    { name: say(['Réponses', 'Answers']), value: figures(String(asked)) },
    next_check_at === null
      ? null
      : { name: say(['Prochaine question', 'Next question']), value: writeShortDate(next_check_at, language) },
  ]
}

function proposing(request: Request, file: CaseFile, errors: readonly FieldError[]): Html {
  const { say, at, can } = request
  const { anomaly, id } = file
  if (anomaly === null || anomaly.closed_at !== null || standingOf(file) !== null) return html``
  const title = say(['Proposer', 'Propose'])
  if (!can('cases.decide'))
    return panel(
      title,
      html`<p>${say(['Les opérations ou la finance proposent.', 'Operations or finance propose.'])}</p>`,
    )
  const content = html`${proposalFields(request, file, errors)}
<button>${say(['Proposer', 'Propose'])}</button>`
  return panel(title, form(request, at(`/cases/${id}/propose`), content), { id: 'propose' })
}

/** The fields of a proposal, one a line. A case of a known operation has a merchant already. */
function proposalFields({ say, fields }: Request, { fitting, doubt }: CaseFile, errors: readonly FieldError[]): Html {
  const typed = (name: string) => ({ name, value: fields.text(name) })
  const numeric = { inputmode: 'numeric' }
  const resolution = {
    label: say(['Ce qu’il faut faire', 'What to do']),
    choices: fitting.map((value) => ({ value, label: sayWords(say, resolutionWords[value]) })),
  }
  const amount = {
    label: say(['Montant, F CFA', 'Amount, F CFA']),
    hint: say([
      'Ce que l’opérateur a bougé, ou ce qu’on ajuste. Vide quand le choix n’en prend pas.',
      'What the operator moved, or what is adjusted. Empty when the choice takes none.',
    ]),
    more: numeric,
  }
  const merchant = {
    label: say(['Marchand à créditer (son numéro)', 'Merchant to credit (its number)']),
    more: numeric,
  }
  const reason = {
    label: say(['Pourquoi', 'Why']),
    hint: say([
      'Ce que vous avez vu, et où. La deuxième personne le lit.',
      'What you saw, and where. The second person reads it.',
    ]),
    more: { maxlength: '500' },
  }
  return html`${select({ ...typed('resolution'), ...resolution }, errors)}
${field({ ...typed('amount'), ...amount }, errors)}
${doubt === null && field({ ...typed('merchant'), ...merchant }, errors)}
${field({ ...typed('reason'), ...reason }, errors)}`
}
