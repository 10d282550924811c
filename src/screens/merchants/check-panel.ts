import { panel, status } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'

/** The panel about a merchant that nobody has checked: its limits, its file, and the first of two checks. Null: it is checked. */
export function uncheckedPanel(
  request: ScreenRequest<'desk'>,
  merchant_id: number,
  unchecked_day_max: number | null,
): Html | null {
  if (unchecked_day_max === null) return null
  const { say, at, can } = request
  const max = writeAmount(unchecked_day_max)
  const text = say(
    [
      'En réel : {max} encaissés et {max} envoyés par jour, et des reversements vers le seul numéro prouvé. Deux personnes le vérifient.',
      'In live mode: {max} collected and {max} sent a day, and settlements only to the proven number. Two people check it.',
    ],
    { max },
  )
  const file = html`<a href="${at(`/merchants/${merchant_id}/file`)}">${say(['Lire son dossier', 'Read its file'])}</a>`
  const button = html`<button class="second">${say(['Le dossier est vérifié', 'The file is checked'])}</button>`
  const check =
    can('merchants.manage') && form(request, at(`/merchants/${merchant_id}/check`), button, { class: 'acts' })
  const mark = status('wait', say(['À vérifier', 'To check']))
  return panel(say(['Marchand à vérifier', 'Merchant to check']), html`<p>${mark} ${text} ${file}</p>${check}`)
}
