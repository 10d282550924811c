import { mailAddress, panel, waitingLink } from '../../console/components.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { WaitingRole } from '../../people/find-waiting-roles.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { ageInWords } from './case-words.ts'

/** The panel of the roles that wait for this administrator. Each leads to its person, on whose page it is confirmed or refused. */
export function rolesPanel({ say, at }: ScreenRequest<'desk'>, roles: readonly WaitingRole[], now: Date): Html {
  const title = say(['Rôles à confirmer', 'Roles to confirm'])
  if (roles.length === 0)
    return panel(
      title,
      html`<p class="soft">${say(['Aucun rôle n’attend votre accord.', 'No role waits for you.'])}</p>`,
    )
  const links = roles.map(({ person_id, name, email, role, merchant_name, granted_at }) => {
    const where = merchant_name ?? say(['équipe du service', 'team of the service'])
    const age = ageInWords(now.getTime() - granted_at.getTime(), say)
    const words = html`<b>${say(roleWords[role])}, ${where}</b>`
    const under = html`${name}, ${mailAddress(email)}, ${say(['depuis {age}', 'for {age}'], { age })}`
    return waitingLink(at(`/people/${person_id}`), { icon: 'hand', kind: 'care', words, under })
  })
  return panel(title, html`<div class="todo">${links}</div>`, { flush: true })
}
