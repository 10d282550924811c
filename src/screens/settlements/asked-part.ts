import { linkButton, status } from '../../console/components.ts'
import { icon } from '../../console/icons.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { type Names, writePerson } from '../approvals/words.ts'
import { destinationWords } from './ask-view.ts'

type Request = ScreenRequest<'console'>

/** The newest request that is not paid yet, above the form: where it stands, and what comes next. @param others those behind it */
export function askedPart(request: Request, asked: SettlementRow, others: number, names: Names): Html {
  const { say, at, language, actor } = request
  const { id, amount, name, created_at, made_by, validated_at } = asked
  const reader = { say, names, me: actor.person }
  const to = say(['Vers {to}, {name}.', 'To {to}, {name}.'], { to: destinationWords(request, asked), name })
  const title = html`<h2>${say(['Retrait demandé', 'Withdrawal requested'])} ${drawAmount(amount)}</h2>`
  const head = html`<header aria-live="polite"><span class="icon">${icon('ok')}</span>${title}<p class="say">${to}</p></header>`
  const by = html`<p class="soft">${writeShortDate(created_at, language)}, ${say(['par', 'by'])} ${writePerson(reader, made_by)}</p>`
  const asking = html`<li class="ok"><p><b>${say(['Demandé', 'Requested'])}</b></p>${by}</li>`
  const checked = say(['Vérifié par le service', 'Checked by the service'])
  const second =
    validated_at === null
      ? html`<li><p><b>${checked}</b></p><p>${status('wait', say(['En attente', 'Waiting']))}</p></li>`
      : html`<li class="ok"><p><b>${checked}</b></p><p class="soft">${writeShortDate(validated_at, language)}</p></li>`
  const last = say([
    'Une autre personne du service fait le virement',
    'Another person of the service makes the transfer',
  ])
  const way = status('going', say(['En route', 'On its way']))
  const third = html`<li><p><b>${last}</b></p>${validated_at !== null && html`<p>${way}</p>`}</li>`
  const label = say(['Où en est le retrait', 'Where the withdrawal stands'])
  const steps = html`<section aria-label="${label}"><ol class="steps">${asking}${second}${third}</ol></section>`
  const more =
    others > 0 &&
    html`<p class="hint">${say(['Et {n} autre en attente, dans la liste.', 'And {n} more waiting, in the list.'], { n: others })}</p>`
  const see = linkButton(at(`/settlements/${id}`), say(['Voir ce retrait', 'See this withdrawal']), 'quiet')
  const told = say(['Nous vous prévenons quand {sum} sont partis.', 'We tell you when {sum} have left.'], {
    sum: writeAmount(amount),
  })
  return html`<article class="slip">${head}${steps}<div><p class="hint">${told}</p>${more}<p class="acts">${see}</p></div></article>`
}
