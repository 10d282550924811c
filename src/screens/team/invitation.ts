import { backLink, linkButton, mailAddress, rows, toCopy } from '../../console/components.ts'
import type { ConsoleFrame } from '../../console/console-frame.ts'
import { choices, errorList, type FieldError, field, form } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenDoor, ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Link, linkPath } from '../../people/give-link.ts'
import type { Invited } from '../../people/invite.ts'
import { roleWords } from '../../people/role-words.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type MerchantRole, merchantRoles, rolesToConfirm, type StaffRole, staffRoles } from '../../values/rights.ts'

// The invitation of a person and the questions about their roles, the same for a merchant's team and for the staff.

type Request = Pick<ScreenRequest<ScreenDoor>, 'say' | 'at' | 'nonce' | 'language'>
type Role = MerchantRole | StaffRole

/** The people whom an invitation joins. `path`: the page that lists them; the form is at `/invite` below it. */
export type Place = {
  readonly path: '/team' | '/people'
  readonly title: Words
  readonly back: Words
  readonly roles: readonly Role[]
}

export const teamPlace: Place = {
  path: '/team',
  title: ['Équipe', 'Team'],
  back: ['Revenir à l’équipe', 'Back to the team'],
  roles: merchantRoles,
}

export const staffPlace: Place = {
  path: '/people',
  title: ['Personnes', 'People'],
  back: ['Revenir aux personnes', 'Back to people'],
  roles: staffRoles,
}

/** The powers of each role, in one sentence. */
const roleSays: Readonly<Record<Role, Words>> = {
  owner: ['Fait tout, et invite les autres.', 'Can do everything, and invites the others.'],
  developer: ['Tient les clés et les webhooks.', 'Manages keys and webhooks.'],
  maker: ['Prépare les envois d’argent.', 'Prepares payouts.'],
  approver: ['Approuve les envois que d’autres préparent.', 'Approves payouts that others prepare.'],
  accountant: ['Lit les comptes et demande les reversements.', 'Reads the accounts and requests settlements.'],
  viewer: ['Regarde, sans rien changer.', 'Can look, and changes nothing.'],
  cashier: [
    'Fait payer à ses caisses, et voit leurs paiements du jour.',
    'Asks for payments at their tills, and sees the payments of the day there.',
  ],
  support: [
    'Lit les affaires et les marchands, et arrête les envois.',
    'Reads cases and merchants, and stops payouts.',
  ],
  operations: ['Traite les doutes, les remboursements et les connecteurs.', 'Handles doubts, refunds and connectors.'],
  finance: [
    'Valide et paie les reversements, tient les frais et les dépôts.',
    'Validates and pays settlements, and keeps fees and deposits.',
  ],
  compliance: [
    'Décide des marchands et de leurs plafonds, et lit les traces.',
    'Decides on merchants and their caps, and reads the audit log.',
  ],
  administrator: ['Invite les personnes, sans toucher à l’argent.', 'Invites people, and moves no money.'],
}

export type TypedInvitation = { readonly name: string; readonly email: string; readonly roles: readonly string[] }

/** The form of an invitation. */
export function inviteView(
  request: Request,
  place: Place,
  typed: TypedInvitation,
  errors: readonly FieldError[],
): ScreenView {
  const { say, at } = request
  const title = say(['Inviter une personne', 'Invite a person'])
  const second = say([' Une deuxième personne confirme ce rôle.', ' A second person confirms this role.'])
  const content = html`<div class="stack"><h1>${title}</h1>${personFields(request, typed, errors)}${choices(
    {
      name: 'roles',
      legend: say(['Rôles', 'Roles']),
      kind: 'checkbox',
      chosen: typed.roles,
      choices: place.roles.map((role) => ({
        value: role,
        label: say(roleWords[role]),
        hint: `${say(roleSays[role])}${rolesToConfirm.has(role) ? second : ''}`,
      })),
    },
    errors,
  )}</div><div><button class="wide">${say(['Préparer l’invitation', 'Prepare the invitation'])}</button></div>`
  const back = backLink(at(place.path), say(place.title))
  const slip = form(request, at(`${place.path}/invite`), content, { class: 'slip' })
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { typed, errors } }
}

/** The fields of an invited person: name and address. */
export function personFields(
  { say }: Pick<Request, 'say'>,
  typed: Pick<TypedInvitation, 'name' | 'email'>,
  errors: readonly FieldError[],
): Html {
  const off = { autocomplete: 'off' }
  const name = field(
    { name: 'name', label: say(['Nom', 'Name']), value: typed.name, more: { maxlength: '100', ...off } },
    errors,
  )
  const label = say(['Adresse e-mail', 'E-mail address'])
  const email = field({ name: 'email', label, value: typed.email, type: 'email', more: off }, errors)
  return html`${name}${email}`
}

/** `console` knows the addresses at which people sign in. */
export type PeopleDeps = { readonly sql: Sql; readonly clock: Clock; readonly console: Pick<ConsoleFrame, 'originOf'> }

/** The form and the link of an invitation, at their place. */
export function invitationPlace(place: Place) {
  return {
    path: `${place.path}/invite`,
    back: ({ at }: Pick<Request, 'at'>) => at(place.path),
    // A form names each role that is ticked.
    text: ({ fields }: Fields, name: string) => (name === 'roles' ? fields.all('roles').join(',') : undefined),
    done: (request: Request, { email, roles, link }: Invited, { console: frame }: PeopleDeps) =>
      invitedView(request, place, frame, { email, roles, link }),
    again: async (request: Request & Fields, _: unknown, errors: readonly FieldError[]) =>
      inviteView(request, place, typedIn(request), errors),
  }
}

type Fields = Pick<ScreenRequest<ScreenDoor>, 'fields'>

function typedIn({ fields }: Fields): TypedInvitation {
  return { name: fields.text('name'), email: fields.text('email'), roles: fields.all('roles') }
}

/** The address of a link, at the door that it opens. */
export function addressOf({ originOf }: PeopleDeps['console'], link: Link): string {
  return `${originOf(link.staff ? 'desk' : 'console')}${linkPath(link)}`
}

/** The only page that shows the link of an invitation. `link` null: the person is in the team already. */
export function invitedView(
  request: Request,
  place: Place,
  frame: PeopleDeps['console'],
  { email, roles, link: made }: { email: string; roles: readonly Role[]; link: Link | null },
): ScreenView {
  const { say, at, language } = request
  const link = made && addressOf(frame, made)
  const expires_at = made?.expires_at ?? null
  const back = (kind: 'quiet' | 'second') => linkButton(at(place.path), say(place.back), kind)
  const title =
    link === null ? say(['Rôles donnés', 'Roles given']) : say(['Copiez ce lien maintenant', 'Copy this link now'])
  const lead =
    link === null
      ? say([
          'Aucun lien à donner : cette personne est déjà de l’équipe.',
          'No link to give: this person is in the team already.',
        ])
      : say([
          'Donnez-le à cette personne seule. Il ne sera plus jamais montré. S’il se perd, invitez-la de nouveau.',
          'Give it to this person alone. It will never be shown again; if it is lost, invite them again.',
        ])
  const waiting = roles.filter((role) => rolesToConfirm.has(role)).map((role) => say(roleWords[role]))
  const copy =
    link === null
      ? html`<p class="acts">${back('second')}</p>`
      : html`${toCopy(link, { say, words: say(['Copier le lien', 'Copy the link']), beside: back('quiet') })}`
  const second = say(
    [
      '{roles} : ce rôle compte dès qu’une deuxième personne l’a confirmé.',
      '{roles}: this role takes effect once a second person has confirmed it.',
    ],
    { roles: waiting.join(', ') },
  )
  const given = rows([
    { name: say(['Adresse e-mail', 'E-mail address']), value: mailAddress(email) },
    { name: say(['Rôles', 'Roles']), value: roles.map((role) => say(roleWords[role])).join(', ') },
    expires_at !== null && {
      name: say(['Valable jusqu’au', 'Valid until']),
      value: writeShortDate(expires_at, language),
    },
  ])
  const head = html`<div><span class="icon">${icon('people')}</span><h1>${title}</h1>
<p class="lead">${lead}</p>${waiting.length > 0 && html`<p>${second}</p>`}</div>`
  const slip = html`<article class="slip">${head}<div class="stack">${copy}</div><div>${given}</div></article>`
  const main = html`<div class="narrow wider">${slip}</div>`
  return { kind: 'view', title, main, facts: { email, roles, link, expires_at } }
}
