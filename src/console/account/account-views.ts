import type { Factors } from '../../people/factors/find-factors.ts'
import { browserName } from '../../people/sessions/browser-name.ts'
import type { ListedSession } from '../../people/sessions/list-sessions.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { accountCode, note, pageHead, panel, rows, status } from '../components.ts'
import { form } from '../forms.ts'
import { list } from '../list.ts'
import type { Words } from '../say.ts'
import type { ScreenDoor, ScreenRequest } from '../screen.ts'

export type AccountFacts = {
  readonly sessions: readonly ListedSession[]
  readonly factors: Factors
  readonly account_code: string | null
  readonly current: string
}

type Request = ScreenRequest<ScreenDoor>

const factorWords: Readonly<Record<ListedSession['factor'], Words>> = {
  passkey: ['clé d’accès', 'passkey'],
  totp: ['mot de passe et code', 'password and code'],
  recovery_code: ['code de secours', 'recovery code'],
  invitation: ['invitation', 'invitation'],
}

/** The page of a person's own sessions and factors. */
export function accountView(request: Request, { sessions, factors, account_code, current }: AccountFacts): Html {
  const { say, session, language } = request
  const when = (at: Date) => writeShortDate(at, language)
  const act = (path: string, words: string, kind = 'quiet') =>
    form(request, request.at(path), html`<button class="${kind} small">${words}</button>`, { class: 'inline' })
  const lost = session.factor === 'recovery_code'
  return html`${pageHead({ title: session.person.name, lead: session.person.email })}
${lost && note('care', say(['Vous êtes entré avec un code de secours', 'You signed in with a recovery code']), say(['Branchez votre nouveau téléphone maintenant : les codes de secours sont comptés.', 'Connect your new phone now: recovery codes run out.']))}
<div class="stack">
${account_code !== null && panel(say(['Code de mon compte', 'My account code']), accountCode(say, account_code))}
${panel(
  say(['Mes sessions', 'My sessions']),
  list<ListedSession>({
    caption: say(['Mes sessions', 'My sessions']),
    size: 'few',
    rows: sessions,
    columns: [
      {
        title: say(['Navigateur', 'Browser']),
        kind: 'k',
        cell: ({ door, user_agent, session_id }) =>
          html`${door === 'command_line' ? say(['Ligne de commande', 'Command line']) : (browserName(user_agent) ?? say(['Navigateur', 'Browser']))} ${session_id === current && status('ok', say(['celle-ci', 'this one']))}<span class="sub">${user_agent.slice(0, 60)}</span>`,
      },
      {
        title: say(['Entré avec', 'Signed in with']),
        kind: '',
        label: say(['Entré avec', 'Signed in with']),
        cell: ({ factor }) => say(factorWords[factor]),
      },
      {
        title: say(['Vue', 'Seen']),
        kind: 't',
        cell: ({ seen_at, address }) => html`${when(seen_at)}<span class="sub">${address}</span>`,
      },
      {
        title: say(['Fermer', 'End']),
        kind: 's',
        cell: ({ session_id }) =>
          session_id === current ? '' : act(`/account/sessions/${session_id}/end`, say(['Fermer', 'End'])),
      },
    ],
  }),
  {
    flush: true,
    more: html`<a href="${request.at('/account/command-line')}">${say(['Accepter une ligne de commande', 'Approve a command line'])}</a> ${sessions.length > 1 && act('/account/sessions/end-others', say(['Fermer toutes les autres', 'End all others']))}`,
  },
)}
${panel(
  say(['Mes clés d’accès', 'My passkeys']),
  html`${
    factors.passkeys.length === 0
      ? html`<p class="soft">${say(['Aucune. Une clé d’accès est plus sûre et plus rapide qu’un mot de passe.', 'None. A passkey is safer and quicker than a password.'])}</p>`
      : rows(
          factors.passkeys.map(({ name, created_at, last_used_at, credential_id }) => ({
            name,
            value: html`${last_used_at === null ? when(created_at) : when(last_used_at)} ${act(`/account/passkeys/${encodeURIComponent(credential_id)}/remove`, say(['Retirer', 'Remove']))}`,
          })),
        )
  }<div class="acts">${act('/account/change/passkey', say(['Ajouter une clé d’accès', 'Add a passkey']), 'second')}</div>`,
)}
${panel(
  say(['Mot de passe, téléphone, codes de secours', 'Password, phone, recovery codes']),
  html`${rows([
    {
      name: say(['Mot de passe', 'Password']),
      value:
        factors.password === null
          ? say(['aucun', 'none'])
          : say(['changé le {day}', 'changed on {day}'], { day: when(factors.password.changed_at) }),
    },
    {
      name: say(['Téléphone', 'Phone']),
      value:
        factors.totp === null
          ? say(['aucun', 'none'])
          : say(['depuis le {day}', 'since {day}'], { day: when(factors.totp.confirmed_at) }),
    },
    {
      name: say(['Codes de secours', 'Recovery codes']),
      value: say(['il en reste {n}', '{n} left'], { n: factors.recovery_codes_left }),
    },
  ])}<div class="acts">${act('/account/change/password', say(['Changer le mot de passe', 'Change the password']), 'second')}${act('/account/change/telephone', say(['Changer de téléphone', 'Change the phone']), 'second')}${act('/account/recovery-codes', say(['Nouveaux codes de secours', 'New recovery codes']), 'second')}</div>`,
)}
</div>`
}
