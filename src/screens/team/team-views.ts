import { type Beginners, isSecondPerson } from '../../acts/second-person.ts'
import { linkButton, note, pageHead, panel, type StatusShape, status } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { list } from '../../console/list.ts'
import type { Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { HeldRole, Member } from '../../people/find-persons.ts'
import type { FormerOwner } from '../../people/former-owners.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeShortDate } from '../../platform/http/pages/write-values.ts'
import { rolesWith } from '../../values/rights.ts'
import { roleStanding } from './role-standing.ts'

type Request = ScreenRequest<'console'>

const statuses: Readonly<Record<Member['status'], readonly [StatusShape, Words]>> = {
  invited: ['wait', ['Invitation en cours', 'Invited']],
  active: ['ok', ['Compte actif', 'Active']],
  disabled: ['off', ['Compte fermé', 'Disabled']],
}

/** A role that waits, with the people who may not confirm it. */
export type WaitingRole = { readonly member: Member; readonly role: HeldRole; readonly beginners: Beginners }

type Shown = {
  readonly members: readonly Member[]
  readonly waiting: readonly WaitingRole[]
  readonly former: readonly FormerOwner[]
  readonly refused?: string | undefined
}

/** The page of a merchant's people with their roles. Owners that the service shut out, and roles that wait for a second person, come first. */
export function teamView(request: Request, { members, waiting: roles, former, refused }: Shown): ScreenView {
  const { say, at, can, language } = request
  const title = say(['Équipe', 'Team'])
  const waiting = roles.map((role) => waitingNote(request, role, members))
  const table = list<Member>({
    caption: title,
    rows: members,
    columns: [
      {
        title: say(['Personne', 'Person']),
        kind: 'k',
        all: true,
        cell: ({ name, email }) => {
          const you = email === request.session.person.email && say([' (vous)', ' (you)'])
          return html`${name}${you}${name !== email && html`<span class="sub">${email}</span>`}`
        },
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
  const told = refused && html`<div role="alert">${note('bad', null, refused)}</div>`
  const owners = former.map((owner) => formerNote(request, owner))
  const own = html`<a href="${at('/account')}">${say(['Mes sessions et mes clés d’accès', 'My sessions and passkeys'])}</a>`
  const parts = [told, owners, waiting, panel(say(['L’équipe', 'The team']), table, { flush: true })]
  const main = html`${pageHead({ title, acts })}<div class="stack">${parts}<p>${own}</p></div>`
  return {
    kind: 'view',
    status: refused === undefined ? 200 : 409,
    title,
    main,
    facts: { members, refused },
  }
}

/** Tells the merchant's people that the service shut one of their owners out. It does not name the administrator. */
function formerNote({ say, language }: Request, { email, disabled_at }: FormerOwner): Html {
  const head = say(['Le compte d’un propriétaire est désactivé', 'The account of an owner is disabled'])
  const words = say(
    [
      'L’équipe du service a désactivé {email} le {at}. Si vous n’étiez pas au courant, appelez-la.',
      'The team of the service disabled {email} on {at}. If you did not expect it, call the team.',
    ],
    { email, at: writeShortDate(disabled_at, language) },
  )
  return note('care', head, words)
}

function roleName({ say }: Request, role: HeldRole['role']): string {
  return say(roleWords[role])
}

function waitingNote(request: Request, { member, role, beginners }: WaitingRole, members: readonly Member[]): Html {
  const { say, can, session, language } = request
  const independent = isSecondPerson(beginners, session.person.email)
  const others = members.filter(({ status, roles }) => status === 'active' && roles.some(confirmsOthers))
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
    : others.some(({ email }) => isSecondPerson(beginners, email))
      ? say(['Un autre propriétaire ou approbateur doit le confirmer.', 'Another owner or approver has to confirm it.'])
      : say([
          'Personne d’autre ici ne le peut encore : un administrateur du service le confirme.',
          'Nobody else here can yet: an administrator of the service confirms it.',
        ])
  const given = say(['Donné par {by}, {at}.', 'Given by {by}, {at}.'], {
    by: role.granted_by,
    at: writeShortDate(role.granted_at, language),
  })
  const head = say(['À confirmer : {name}, {role}', 'To confirm: {name}, {role}'], {
    name: member.name,
    role: roleName(request, role.role),
  })
  const link = member.account_code !== null && may && say(codeToCompare)
  const compare = link && html`<p>${link}</p>`
  const acts = (confirm || refuse) && html`<div class="acts">${confirm}${refuse}</div>`
  return html`<div class="note care"><h2>${head}</h2><p>${given} ${needs}</p>${compare}${acts}</div>`
}

const codeToCompare: Words = [
  'Un lien venu d’ailleurs a ouvert ce compte. La page suivante vous donne le code à comparer avec cette personne.',
  'A link from elsewhere opened this account. The next page has the code to compare with this person.',
]

function confirmsOthers({ role, counts }: HeldRole): boolean {
  return counts && rolesWith('team.confirm').includes(role)
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
    (held) =>
      html`<span class="tag${!held.counts && ' care'}">${roleName(request, held.role)}${roleStanding(say, held)}</span> `,
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
  const ofWhom = html`<span class="sr">, ${member.name}</span>`
  const summary = html`<summary>${say(['Retirer un rôle', 'Remove a role'])}${ofWhom}</summary>`
  return html`${tags}<details>${summary}${buttons}</details>${resetPart(request, member)}`
}

/** The reset of a colleague who has lost their factors. Nobody resets themselves. */
function resetPart(request: Request, { person_id, email, name, status, roles }: Member): Html | false {
  const { say, session, at } = request
  if (status !== 'active' || email === session.person.email || roles.every((role) => role.to_accept)) return false
  const ofWhom = html`<span class="sr">, ${name}</span>`
  const words = say(['Effacer ses moyens d’entrer', 'Reset their factors'])
  const button = html`<button class="stop small">${words}${ofWhom}</button>`
  const reset = form(request, at(`/team/${person_id}/reset`), button, { class: 'acts' })
  const summary = html`<summary>${say(['Téléphone ou clé perdus', 'Lost phone or passkey'])}${ofWhom}</summary>`
  return html`<details>${summary}${reset}</details>`
}
