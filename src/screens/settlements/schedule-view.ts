import { refusalOf } from '../../acts/act.ts'
import { backLink, pageHead, panel, rows } from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form, select } from '../../console/forms.ts'
import { sayWords, type Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount, writeDate, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { requestSettlement } from '../../settlements/request-settlement.ts'
import { nextRun, type RunOutcome, type ScheduleRow, weekdays } from '../../settlements/schedule.ts'
import { sayDays, weekdayWords } from '../../settlements/set-schedule.ts'
import { writeFrancs } from '../../values/read-typed.ts'
import { type AskFacts, coolsUntil } from './ask-facts.ts'
import { destinationTitle } from './ask-view.ts'

type Request = ScreenRequest<'console'>

/** The form as typed. `every`: `day`, `week` or `never`. */
export type ScheduleTyped = {
  readonly every: string
  readonly days: readonly string[]
  readonly at: string
  readonly keep: string
}

export function typedOf(schedule: ScheduleRow | null): ScheduleTyped {
  if (schedule === null) return { every: 'never', days: ['mon'], at: '6', keep: '0' }
  const { days, at_hour, keep } = schedule
  const isDaily = days.length === weekdays.length
  return {
    every: isDaily ? 'day' : 'week',
    days: isDaily ? ['mon'] : days,
    at: String(at_hour),
    keep: writeFrancs(keep),
  }
}

const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}))

/** The page of the automatic withdrawal: when, what stays, and what the next run would take. */
export function scheduleView(
  request: Request,
  { schedule, ask, now }: { schedule: ScheduleRow | null; ask: AskFacts; now: Date },
  typed: ScheduleTyped,
  errors: readonly FieldError[],
): ScreenView {
  const { say, at } = request
  const title = say(['Retrait automatique', 'Automatic withdrawal'])
  const lead =
    ask.destination === null
      ? say(['Choisissez d’abord où va votre argent.', 'First choose where your money goes.'])
      : say(['Vers {to}, {name}', 'To {to}, {name}'], {
          to: destinationTitle(request, ask.destination),
          name: ask.destination.name,
        })
  const main = html`${backLink(at('/settlements'), say(['Retirer mon argent', 'Withdraw my money']))}
${pageHead({ title, lead })}${errorList(say, errors)}
<div class="two">${formPart(request, typed, errors)}
<div class="stack">${nextPart(request, schedule, ask, now)}${knowPart(request, ask.floor)}</div></div>`
  const facts = { schedule, available: ask.available, errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title, main, facts }
}

function formPart(request: Request, typed: ScheduleTyped, errors: readonly FieldError[]): Html {
  const { say, at } = request
  const when = choices(
    {
      name: 'every',
      legend: say(['Quand', 'When']),
      kind: 'radio',
      chosen: [typed.every],
      choices: [
        { value: 'day', label: say(['Chaque jour', 'Every day']) },
        {
          value: 'week',
          label: say(['Certains jours', 'Some days']),
          hint: say(['Ceux cochés ci-dessous', 'Those ticked below']),
        },
        { value: 'never', label: say(['Jamais', 'Never']), hint: say(['Je demande moi-même.', 'I ask myself.']) },
      ],
    },
    errors,
  )
  const days = choices({
    name: 'days',
    legend: say(['Jours', 'Days']),
    kind: 'checkbox',
    chosen: typed.days,
    choices: weekdays.map((day) => ({ value: day, label: sayWords(say, weekdayWords(day)) })),
  })
  const hour = select({ name: 'at', label: say(['Heure', 'Hour']), value: typed.at, choices: hours }, errors)
  const keep = field(
    {
      name: 'keep',
      label: say(['Garder au moins, F CFA', 'Keep at least, F CFA']),
      hint: say(['Ce qui reste ici pour vos remboursements et vos envois.', 'It stays here for refunds and payouts.']),
      value: typed.keep,
      class: 'money',
      more: { inputmode: 'numeric', autocomplete: 'off', maxlength: '15' },
    },
    errors,
  )
  const button = html`<button class="wide">${say(['Enregistrer', 'Save'])}</button>`
  const content = html`<div class="stack">${when}${days}${hour}${keep}${button}</div>`
  return form(request, at('/settlements/schedule'), content, { class: 'slip' })
}

/** The outcome of the last run, in a sentence. */
const outcomes: Readonly<Record<RunOutcome, Words>> = {
  asked: ['Demandé.', 'Requested.'],
  no_destination: ['Rien : aucune destination.', 'Nothing: no destination.'],
  unchecked: refusalOf(requestSettlement, 'unchecked').words,
  cooling: ['Rien : la destination était trop récente.', 'Nothing: the destination was too recent.'],
  too_little: ['Rien : pas assez au-dessus de ce qui reste.', 'Nothing: too little above what stays.'],
  merchant_inactive: refusalOf(requestSettlement, 'merchant_inactive').words,
}

function nextPart(request: Request, schedule: ScheduleRow | null, ask: AskFacts, now: Date): Html {
  const { say, language } = request
  const title = say(['Le prochain', 'The next one'])
  if (schedule === null)
    return panel(title, html`<p>${say(['Aucun : vous demandez vous-même.', 'None: you ask yourself.'])}</p>`)
  const { keep, next_at, last_at, last_outcome } = schedule
  const { available, floor } = ask
  const sum = Math.max(0, available - keep)
  const until = coolsUntil(ask)
  // A run before the destination serves asks for nothing.
  const at = until !== null && until > next_at ? nextRun(schedule, until) : next_at
  const leaves = sum < floor ? say(['rien encore', 'nothing yet']) : writeAmount(sum)
  return panel(
    title,
    rows([
      { name: say(['Quand', 'When']), value: writeDate(at > now ? at : next_at, language) },
      { name: say(['Disponible maintenant', 'Available now']), value: writeAmount(available) },
      { name: say(['Gardé', 'Kept']), value: writeAmount(keep) },
      { name: say(['Partirait', 'Would leave']), value: leaves, all: true },
      last_at !== null && {
        name: say(['Le dernier, {at}', 'The last one, {at}'], { at: writeShortDate(last_at, language) }),
        value: sayWords(say, outcomes[last_outcome!]),
      },
    ]),
  )
}

function knowPart({ say }: Request, floor: number): Html {
  const facts = [
    say(
      [
        'Sous {sum}, rien ne part : ce sera pour la fois suivante.',
        'Below {sum} nothing leaves: it will the next time.',
      ],
      {
        sum: writeAmount(floor),
      },
    ),
    say([
      'Si la destination change, rien ne part avant la fin de son délai.',
      'If the destination changes, nothing leaves before its delay ends.',
    ]),
    say(['Deux personnes du service font toujours le virement.', 'Two people of the service still make the transfer.']),
    say(['Vous pouvez l’arrêter à tout moment.', 'You can stop it at any time.']),
  ]
  const list = html`<ul class="dots">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`
  return panel(say(['Bon à savoir', 'Good to know']), list)
}

/** The panel on the page of withdrawals: the schedule in a line, with a link to its page. */
export function schedulePanel(request: Request, schedule: ScheduleRow | null): Html {
  const { say, at, can } = request
  const words =
    schedule === null
      ? say(['Jamais : vous demandez vous-même.', 'Never: you ask yourself.'])
      : lineOf(request, schedule)
  const more =
    can('settlements.request') && html`<a href="${at('/settlements/schedule')}">${say(['Changer', 'Change'])}</a>`
  return panel(say(['Retrait automatique', 'Automatic withdrawal']), html`<p>${words}</p>`, { more })
}

function lineOf({ say }: Request, { days, at_hour, keep }: ScheduleRow): string {
  return say(['{days} à {hour}:00, ce qui dépasse {sum}.', '{days} at {hour}:00, all above {sum}.'], {
    days: sayWords(say, sayDays(days)),
    hour: String(at_hour).padStart(2, '0'),
    sum: writeAmount(keep),
  })
}
