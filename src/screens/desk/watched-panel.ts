import { type ActName, actWords } from '../../audit-log/act-words.ts'
import type { WatchedActs } from '../../audit-log/watched-acts.ts'
import { panel, rows } from '../../console/components.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'

/**
 * The panel of the acts of the last week that move money or change a source of proof, and that one person did alone, and how many more there
 * are.
 */
export function watchedPanel(
  { say, language, can, at: to }: ScreenRequest<'desk'>,
  { acts, more, at_least }: WatchedActs,
): Html {
  const title = say(['Faits par une seule personne, depuis 7 jours', 'Done by one person, in the last 7 days'])
  if (acts.length === 0) {
    const none = say([
      'Aucun dépôt, grand remboursement, connecteur ni route.',
      'No deposit, large refund, connector or route.',
    ])
    return panel(title, html`<p class="soft">${none}</p>`)
  }
  const lines = acts.map(({ act, at, actor, subject, merchant_id }) => {
    const merchant = merchant_id !== null && `${say(['marchand {id}', 'merchant {id}'], { id: merchant_id })}, `
    const about = subject !== null && html`<span class="id">${subject}</span>, `
    const value = html`${merchant}${about}${writeShortDate(at, language)}<span class="sub">${actor}</span>`
    return { name: say(actWords[act as ActName]), value }
  })
  const counted = sayCount(
    say,
    more,
    ['{n} autre dans ces 7 jours', '{n} other in these 7 days'],
    ['{n} autres dans ces 7 jours', '{n} others in these 7 days'],
  )
  const left = at_least ? say(['Plus de {counted}', 'More than {counted}'], { counted }) : counted
  const audit =
    can('audit.read') && html`, <a href="${to('/audit')}">${say(['dans les traces', 'in the audit log'])}</a>`
  const others = more > 0 && html`<p class="hint gap"><b>${left}</b>${audit}</p>`
  return panel(title, html`${rows(lines)}${others}`)
}
