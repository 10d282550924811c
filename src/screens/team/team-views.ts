import {
  backLink,
  linkButton,
  mailAddress,
  note,
  pageHead,
  panel,
  rows,
  type StatusShape,
  status,
} from '../../console/components.ts'
import { choices, errorList, type FieldError, field, form } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import { list } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import type { Confirmation, ScreenRequest, ScreenView } from '../../console/screen.ts'
import { roleWords } from '../../console/words.ts'
import type { HeldRole, Member } from '../../people/find-persons.ts'
import { type MerchantRole, merchantRoles, rolesToConfirm } from '../../people/rights.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { isIndependentApprover } from '../../values/independent-approver.ts'

type Request = ScreenRequest<'console'>

const statuses: Readonly<Record<Member['status'], readonly [StatusShape, Words]>> = {
  invited: ['wait', ['Invitation en cours', 'Invited']],
  active: ['ok', ['Compte actif', 'Active']],
  disabled: ['off', ['Compte fermé', 'Disabled']],
}

/** The powers of each role, in one sentence. */
const roleSays: Readonly<Record<MerchantRole, Words>> = {
  owner: ['Fait tout, et invite les autres.', 'Can do everything, and invites the others.'],
  developer: ['Tient les clés et les webhooks.', 'Manages keys and webhooks.'],
  maker: ['Prépare les envois d’argent.', 'Prepares payouts.'],
  approver: ['Approuve les envois que d’autres préparent.', 'Approves payouts that others prepare.'],
  accountant: ['Lit les comptes et demande les reversements.', 'Reads the accounts and requests settlements.'],
  viewer: ['Regarde, sans rien changer.', 'Can look, and changes nothing.'],
}

/** The page of a merchant's people with their roles. Roles that wait for a second person come first. */
export function teamView(request: Request, members: readonly Member[], refused?: Words): ScreenView {
  const { say, at, can, language } = request
  const title = say(['Équipe', 'Team'])
  const waiting = members.flatMap((member) =>
    member.roles.filter(({ counts }) => !counts).map((role) => waitingNote(request, member, role)),
  )
  const table = list<Member>({
    caption: title,
    rows: members,
    columns: [
      {
        title: say(['Personne', 'Person']),
        kind: 'k',
        all: true,
        cell: ({ name, email }) =>
          html`${name}${email === request.session.person.email && say([' (vous)', ' (you)'])}<span class="sub">${email}</span>`,
      },
      {
        title: say(['État', 'Status']),
        kind: 's',
        cell: (member) => status(statuses[member.status][0], say(statuses[member.status][1])),
      },
      { title: say(['Rôles', 'Roles']), kind: '', cell: (member) => rolesOf(request, member) },
      {
        title: say(['Vu', 'Seen']),
        kind: '',
        cell: ({ seen_at, link_until }) => {
          if (link_until !== null)
            return say(['lien jusqu’au {at}', 'link until {at}'], { at: writeShortDate(link_until, language) })
          return seen_at === null
            ? say(['jamais vu', 'never seen'])
            : say(['vu le {at}', 'seen on {at}'], { at: writeShortDate(seen_at, language) })
        },
      },
    ],
  })
  const acts = can('team.manage') && linkButton(at('/team/invite'), say(['Inviter', 'Invite']))
  const main = html`${pageHead({ title, acts })}<div class="stack">${refused && html`<div role="alert">${note('bad', null, say(refused))}</div>`}${waiting}${panel(say(['L’équipe', 'The team']), table, { flush: true })}<p><a href="${at('/account')}">${say(['Mes sessions et mes clés d’accès', 'My sessions and passkeys'])}</a></p></div>`
  return {
    kind: 'view',
    status: refused === undefined ? 200 : 409,
    title,
    main,
    facts: { members, refused: refused && say(refused) },
  }
}

function roleName({ say }: Request, role: HeldRole['role']): string {
  return say(roleWords[role])
}

function waitingNote(request: Request, member: Member, role: HeldRole): Html {
  const { say, can, session, language } = request
  const independent = [role.granted_by, member.email].every((other) =>
    isIndependentApprover(other, session.person.email),
  )
  const named = html`<span class="sr"> ${roleName(request, role.role)}, ${member.name}</span>`
  const may = can('team.confirm') && independent
  const confirm =
    may &&
    roleForm(
      request,
      member,
      role,
      'confirm',
      html`<button class="small">${say(['Confirmer', 'Confirm'])}${named}</button>`,
    )
  const refuse =
    can('team.manage') &&
    roleForm(
      request,
      member,
      role,
      'remove',
      html`<button class="stop small">${say(['Refuser', 'Decline'])}${named}</button>`,
    )
  const needs = may
    ? say(['Ce rôle ne compte qu’avec votre accord.', 'This role takes effect once you confirm it.'])
    : say(['Un autre propriétaire ou approbateur doit le confirmer.', 'Another owner or approver has to confirm it.'])
  const given = say(['Donné par {by}, {at}.', 'Given by {by}, {at}.'], {
    by: role.granted_by,
    at: writeShortDate(role.granted_at, language),
  })
  const head = say(['À confirmer : {name}, {role}', 'To confirm: {name}, {role}'], {
    name: member.name,
    role: roleName(request, role.role),
  })
  const link = linkWords(member, role)
  return html`<div class="note care"><h2>${head}</h2><p>${given} ${needs}</p>${link && html`<p>${say(link)}</p>`}${(confirm || refuse) && html`<div class="acts">${confirm}${refuse}</div>`}</div>`
}

/** Returns the words about a person's sign-in link for the people who confirm the role. Null when the link was made with the role. */
export function linkWords({ status }: Member, { beside_link }: HeldRole): Words | null {
  if (!beside_link) return null
  if (status === 'invited')
    return [
      'Le lien de cette personne vient d’ailleurs. Quand elle aura ouvert son compte, ce rôle sera à confirmer de nouveau.',
      'This person’s link comes from elsewhere. Once they have opened their account, this role is to be confirmed again.',
    ]
  return [
    'Cette personne a ouvert son compte avec un lien venu d’ailleurs. Demandez-lui de vive voix que c’est bien elle.',
    'This person opened their account by a link from elsewhere. Ask them in person whether it was they.',
  ]
}

function roleForm(
  request: Request,
  { person_id }: Member,
  { role }: HeldRole,
  act: 'confirm' | 'remove',
  button: Html,
) {
  const content = html`<input type="hidden" name="role" value="${role}">${button}`
  return form(request, request.at(`/team/${person_id}/${act}`), content, { class: 'acts' })
}

function rolesOf(request: Request, member: Member): Html {
  const { say, can } = request
  const tags = member.roles.map(
    ({ role, counts }) =>
      html`<span class="tag${!counts && ' care'}">${roleName(request, role)}${!counts && say([', à confirmer', ', to confirm'])}</span> `,
  )
  if (!can('team.manage')) return html`${tags}`
  const buttons = member.roles.map((held) =>
    roleForm(
      request,
      member,
      held,
      'remove',
      html`<button class="quiet small">${roleName(request, held.role)}<span class="sr">, ${member.name}</span></button>`,
    ),
  )
  return html`${tags}<details><summary>${say(['Retirer un rôle', 'Remove a role'])}<span class="sr">, ${member.name}</span></summary>${buttons}</details>${resetPart(request, member)}`
}

/** The reset of a colleague who has lost their factors. Nobody resets themselves. */
function resetPart(request: Request, { person_id, email, name, status }: Member): Html | false {
  const { say, session, at } = request
  if (status !== 'active' || email === session.person.email) return false
  const button = html`<button class="stop small">${say(['Effacer ses moyens d’entrer', 'Reset their factors'])}<span class="sr">, ${name}</span></button>`
  return html`<details><summary>${say(['Téléphone ou clé perdus', 'Lost telephone or passkey'])}<span class="sr">, ${name}</span></summary>${form(request, at(`/team/${person_id}/reset`), button, { class: 'acts' })}</details>`
}

export type TypedInvitation = { readonly name: string; readonly email: string; readonly roles: readonly string[] }

/** The form of an invitation. */
export function inviteView(request: Request, typed: TypedInvitation, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Inviter une personne', 'Invite a person'])
  const second = say([' Une deuxième personne confirme ce rôle.', ' A second person confirms this role.'])
  const content = html`<div class="stack"><h1>${title}</h1>${field(
    { name: 'name', label: say(['Nom', 'Name']), value: typed.name, more: { maxlength: '100', autocomplete: 'off' } },
    errors,
  )}${field(
    {
      name: 'email',
      type: 'email',
      label: say(['Adresse e-mail', 'E-mail address']),
      value: typed.email,
      more: { autocomplete: 'off' },
    },
    errors,
  )}${choices(
    {
      name: 'roles',
      legend: say(['Rôles', 'Roles']),
      kind: 'checkbox',
      chosen: typed.roles,
      choices: merchantRoles.map((role) => ({
        value: role,
        label: say(roleWords[role]),
        hint: `${say(roleSays[role])}${rolesToConfirm.has(role) ? second : ''}`,
      })),
    },
    errors,
  )}</div><div><button class="wide">${say(['Préparer l’invitation', 'Prepare the invitation'])}</button></div>`
  const main = html`${backLink(at('/team'), say(['Équipe', 'Team']))}<div class="narrow wider">${errorList(say, errors)}${form(request, at('/team/invite'), content, { class: 'slip' })}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { typed, errors } }
}

/** The only page that shows the link of an invitation. `link` null: the person needs none, or cannot get one here. */
export function invitedView(
  request: Request,
  made: { email: string; roles: readonly MerchantRole[]; link: string | null; expires_at: Date | null },
): ScreenView {
  const { say, at, language } = request
  const { email, roles, link, expires_at } = made
  const back = (kind: 'quiet' | 'second') =>
    linkButton(at('/team'), say(['Revenir à l’équipe', 'Back to the team']), kind)
  const title =
    link === null ? say(['Rôles donnés', 'Roles given']) : say(['Copiez ce lien maintenant', 'Copy this link now'])
  const lead =
    link === null
      ? say([
          'Aucun lien à donner : cette personne se connecte avec le compte qu’elle a, ou avec l’invitation qu’elle a reçue ailleurs.',
          'No link to give: this person signs in with the account that they have, or with the invitation that they got elsewhere.',
        ])
      : say([
          'Donnez-le à cette personne seule. Il ne sera plus jamais montré ; perdu, invitez-la de nouveau.',
          'Give it to this person alone. It will never be shown again; if it is lost, invite them again.',
        ])
  const copy =
    link === null
      ? html`<p class="acts">${back('second')}</p>`
      : html`<p class="secret" id="k" tabindex="0">${link}</p><p class="acts"><button type="button" data-script hidden data-copy="k" data-done="${say(['Copié', 'Copied'])}">${say(['Copier le lien', 'Copy the link'])}</button>${back('quiet')}</p>`
  const main = html`<div class="narrow wider"><article class="slip"><div><span class="icon">${icon('people')}</span><h1>${title}</h1><p class="lead">${lead}</p></div><div class="stack">${copy}</div><div>${rows(
    [
      { name: say(['Adresse e-mail', 'E-mail address']), value: mailAddress(email) },
      { name: say(['Rôles', 'Roles']), value: roles.map((role) => say(roleWords[role])).join(', ') },
      expires_at !== null && {
        name: say(['Valable jusqu’au', 'Valid until']),
        value: writeShortDate(expires_at, language),
      },
    ],
  )}</div></article></div>`
  return { kind: 'view', title, main, facts: { email, roles, link, expires_at } }
}

/** The step-up about roles of one person. */
export function askAboutRoles(
  { say, at }: Request,
  {
    question,
    subject,
    email,
    roles,
    content = {},
    warning = null,
  }: {
    question: Words
    subject: string | null
    email: string
    roles: readonly HeldRole['role'][]
    content?: object
    warning?: Words | null
  },
): Confirmation {
  const title = say(question)
  return {
    kind: 'confirm',
    subject,
    content: { email, roles, ...content },
    title,
    back: at('/team'),
    shown: html`<h1>${title}</h1>${rows([
      { name: say(['Personne', 'Person']), value: mailAddress(email) },
      { name: say(['Rôles', 'Roles']), value: roles.map((role) => say(roleWords[role])).join(', ') },
    ])}${warning && note('care', null, say(warning))}`,
  }
}
