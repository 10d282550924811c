import { rows } from '../../console/components.ts'
import { choices, form, hiddenField } from '../../console/forms.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { RefusedOrder } from '../../operators/doubts/ask-refused.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawSaid, isAsking, mayHaveMoved } from '../ask-first.ts'
import type { BatchPageFacts } from './batch-facts.ts'

type Request = ScreenRequest<'console'>

/**
 * The failed lines, each with what its operator says now, and the act on those that can be paid again. A line of which the
 * money may have moved is left out. One whose operator does not answer is included only if the person wants that.
 */
export function askedPart(request: Request, { batch, lines }: BatchPageFacts, asked: readonly RefusedOrder[]): Html {
  const { say, at, can } = request
  const failed = lines.filter(({ status: one }) => one === 'failed')
  const saidOf = new Map(asked.map(({ subject_id, said }) => [subject_id, said]))
  const saidAbout = (line: BatchPageFacts['lines'][number]) => saidOf.get(line.payout_id ?? '') ?? 'never_left'
  const left = failed.filter((line) => !mayHaveMoved({ said: saidAbout(line) }))
  const silent = left.filter((line) => saidAbout(line) === 'silent').length
  const facts = rows(
    failed.map((line) => ({
      name: `${line.rank} · ${line.name ?? line.label ?? '–'}`,
      value: drawSaid(say, saidAbout(line)),
    })),
  )
  const waits = isAsking(asked)
  const title = say(['Ce que disent les opérateurs', 'What the operators say'])
  const words = waits
    ? say([
        'On leur demande si les lignes échouées sont parties malgré tout.',
        'They are being asked whether the failed lines left all the same.',
      ])
    : left.length < failed.length
      ? say([
          'De l’argent est parti malgré l’échec, ou peut encore partir : ces lignes ne sont pas reprises, et l’équipe du service les examine.',
          'Money moved in spite of the failure, or still may: these lines are left out, and the team of the service examines them.',
        ])
      : say(['Aucune ligne échouée n’est partie.', 'None of the failed lines left.'])
  const again = say(['Reprendre aussi les lignes sans réponse', 'Include the lines without an answer'])
  const unanswered =
    silent > 0 &&
    choices({
      name: 'silent',
      legend: say(['Sans réponse', 'Without an answer']),
      kind: 'checkbox',
      chosen: [],
      choices: [{ value: '1', label: again }],
    })
  const make = html`<button class="second">${redraftWords(request, left.length)}</button>`
  const button =
    left.length > 0 &&
    can('payouts.make') &&
    form(request, at(`/batches/${batch.id}/failed`), html`${hiddenField('seen', '1')}${unanswered}${make}`, {
      class: 'acts',
    })
  return html`<div id="asked"><h2>${title}</h2><p role="status">${words}</p>${facts}${button}</div>`
}

/** The words of the button that makes a draft of this many failed lines. */
export function redraftWords({ say }: Request, count: number): string {
  return sayCount(
    say,
    count,
    ['Nouveau brouillon avec la ligne échouée', 'New draft with the failed line'],
    ['Nouveau brouillon avec les {n} lignes échouées', 'New draft with the {n} failed lines'],
  )
}
