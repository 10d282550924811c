import { type ActName, actWords } from '../../audit-log/act-words.ts'
import type { AuditLine } from '../../audit-log/find-acts.ts'
import { panel, rows } from '../../console/components.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'

/** The panel of the acts of the last week that move money or change a source of proof, and that one person did alone. */
export function watchedPanel({ say, language }: ScreenRequest<'desk'>, acts: readonly AuditLine[]): Html {
  const title = say(['Faits par une seule personne, depuis 7 jours', 'Done by one person, in the last 7 days'])
  if (acts.length === 0)
    return panel(
      title,
      html`<p class="soft">${say(['Aucun dépôt, grand remboursement, connecteur ni route.', 'No deposit, large refund, connector or route.'])}</p>`,
    )
  const lines = acts.map(({ act, at, actor, subject, merchant_id }) => ({
    name: say(actWords[act as ActName]),
    value: html`${merchant_id !== null && html`${say(['marchand {id}', 'merchant {id}'], { id: merchant_id })}, `}${subject !== null && html`<span class="id">${subject}</span>, `}${writeShortDate(at, language)}<span class="sub">${actor}</span>`,
  }))
  return panel(title, rows(lines))
}
