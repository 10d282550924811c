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
export function accountView(request: Request, facts: AccountFacts): Html {
  const { say, session } = request
  const { factors, account_code } = facts
  const lost =
    session.factor === 'recovery_code' &&
    note(
      'care',
      say(['Vous êtes entré avec un code de secours', 'You signed in with a recovery code']),
      say([
        'Branchez votre nouveau téléphone maintenant : les codes de secours sont comptés.',
        'Connect your new phone now: recovery codes run out.',
      ]),
    )
  return html`${pageHead({ title: session.person.name, lead: session.person.email })}
${lost}
<div class="stack">
${account_code !== null && panel(say(['Code de mon compte', 'My account code']), accountCode(say, account_code))}
${sessionsPanel(request, facts)}
${passkeysPanel(request, factors)}
${othersPanel(request, factors)}
</div>`
}

function act(request: Request, path: string, words: string, kind = 'quiet'): Html {
  return form(request, request.at(path), html`<button class="${kind} small">${words}</button>`, { class: 'inline' })
}

function sessionsPanel(request: Request, { sessions, current }: AccountFacts): Html {
  const { say, language } = request
  const title = say(['Mes sessions', 'My sessions'])
  const browser = say(['Navigateur', 'Browser'])
  const commandLine = say(['Ligne de commande', 'Command line'])
  const table = list<ListedSession>({
    caption: title,
    size: 'few',
    rows: sessions,
    columns: [
      {
        title: browser,
        kind: 'k',
        cell: ({ door, user_agent, session_id }) => {
          const name = door === 'command_line' ? commandLine : (browserName(user_agent) ?? browser)
          const own = session_id === current && status('ok', say(['celle-ci', 'this one']))
          return html`${name} ${own}<span class="sub">${user_agent.slice(0, 60)}</span>`
        },
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
        cell: ({ seen_at, address }) => html`${writeShortDate(seen_at, language)}<span class="sub">${address}</span>`,
      },
      {
        title: say(['Fermer', 'End']),
        kind: 's',
        cell: ({ session_id }) =>
          session_id !== current && act(request, `/account/sessions/${session_id}/end`, say(['Fermer', 'End'])),
      },
    ],
  })
  const approve = say(['Accepter une ligne de commande', 'Approve a command line'])
  const others =
    sessions.length > 1 &&
    act(request, '/account/sessions/end-others', say(['Fermer toutes les autres', 'End all others']))
  const more = html`<a href="${request.at('/account/command-line')}">${approve}</a> ${others}`
  return panel(title, table, { flush: true, more })
}

function passkeysPanel(request: Request, { passkeys }: AccountFacts['factors']): Html {
  const { say, language } = request
  const none = say([
    'Aucune. Une clé d’accès est plus sûre et plus rapide qu’un mot de passe.',
    'None. A passkey is safer and quicker than a password.',
  ])
  const named = passkeys.map(({ name, created_at, last_used_at, credential_id }) => {
    const path = `/account/passkeys/${encodeURIComponent(credential_id)}/remove`
    const used = writeShortDate(last_used_at ?? created_at, language)
    return { name, value: html`${used} ${act(request, path, say(['Retirer', 'Remove']))}` }
  })
  const own = passkeys.length === 0 ? html`<p class="soft">${none}</p>` : rows(named)
  const add = act(request, '/account/change/passkey', say(['Ajouter une clé d’accès', 'Add a passkey']), 'second')
  return panel(say(['Mes clés d’accès', 'My passkeys']), html`${own}<div class="acts">${add}</div>`)
}

/** The password, the phone and the recovery codes. */
function othersPanel(request: Request, { password, totp, recovery_codes_left }: AccountFacts['factors']): Html {
  const { say, language } = request
  const since = (at: Date) => ({ day: writeShortDate(at, language) })
  const none = say(['aucun', 'none'])
  const facts = rows([
    {
      name: say(['Mot de passe', 'Password']),
      value: password === null ? none : say(['changé le {day}', 'changed on {day}'], since(password.changed_at)),
    },
    {
      name: say(['Téléphone', 'Phone']),
      value: totp === null ? none : say(['depuis le {day}', 'since {day}'], since(totp.confirmed_at)),
    },
    {
      name: say(['Codes de secours', 'Recovery codes']),
      value: say(['il en reste {n}', '{n} left'], { n: recovery_codes_left }),
    },
  ])
  const acts = [
    act(request, '/account/change/password', say(['Changer le mot de passe', 'Change the password']), 'second'),
    act(request, '/account/change/telephone', say(['Changer de téléphone', 'Change the phone']), 'second'),
    act(request, '/account/recovery-codes', say(['Nouveaux codes de secours', 'New recovery codes']), 'second'),
  ]
  return panel(
    say(['Mot de passe, téléphone, codes de secours', 'Password, phone, recovery codes']),
    html`${facts}<div class="acts">${acts}</div>`,
  )
}
