import { maySecond, readBeginners } from '../../acts/second-person.ts'
import { note } from '../../console/components.ts'
import type { Words } from '../../console/say.ts'
import { absent, defineConsoleScreen, moved, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { confirmRole } from '../../people/confirm-role.ts'
import { findMembers, type HeldRole, type Member } from '../../people/find-persons.ts'
import { findFormerOwners, hasShutOutOwner } from '../../people/former-owners.ts'
import { removeRole } from '../../people/remove-role.ts'
import { type PersonReset, resetPerson } from '../../people/reset-person.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { MerchantRole } from '../../values/rights.ts'
import type { AccountToCompare } from './account-code.ts'
import {
  askAboutRoles,
  askToConfirm,
  askToInvite,
  invite,
  invitedView,
  inviteView,
  type PeopleDeps,
  shutOutOwner,
  teamPlace,
} from './invitation.ts'
import { teamView, type WaitingRole } from './team-views.ts'

type Request = ScreenRequest<'console'>

export const getTeam = defineConsoleScreen<PeopleDeps>({
  method: 'GET',
  path: '/team',
  operation: 'consoleTeam',
  summary: 'The people of a merchant, with their roles',
  right: 'team.read',
  menu: { group: 'house', icon: 'people', words: ['Équipe', 'Team'] },
  handle: (request, { sql }) => showTeam(request, sql),
})

export const getInvite = defineConsoleScreen({
  method: 'GET',
  path: '/team/invite',
  operation: 'consoleNewInvitation',
  summary: 'The form of an invitation',
  right: 'team.manage',
  handle: async (request) => inviteView(request, teamPlace, { name: '', email: '', roles: [] }, []),
})

export const postInvite = defineConsoleScreen<PeopleDeps>({
  method: 'POST',
  path: '/team/invite',
  operation: 'consoleInvite',
  summary: 'Give a person roles, and show the link for their first sign-in',
  right: 'team.manage',
  confirm: async (request) => askToInvite(request, teamPlace),
  handle: (request, deps) => invite(request, teamPlace, request.tenant.merchant_id, deps),
})

export const postRoleConfirm = defineConsoleScreen<PeopleDeps>({
  method: 'POST',
  path: '/team/:person/confirm',
  operation: 'consoleConfirmRole',
  summary: 'Confirm a role that moves money, as a second person',
  right: 'team.confirm',
  async confirm(request, { sql }) {
    const { member, held } = await roleIn(request, sql)
    if (member === undefined || held === undefined) return absent
    if (!held.to_confirm) return moved(request.at('/team?done=confirmed'))
    if (!(await maySecond(sql, [held.granted_by, member.email], request.actor.person)))
      return showTeam(request, sql, notConfirmed)
    if (await hasShutOutOwner(sql, request.tenant.merchant_id, request.actor.person))
      return showTeam(request, sql, shutOutOwner)
    return askToConfirm(request, member, held, compared(member), {
      question: ['Confirmer ce rôle ?', 'Confirm this role?'],
      back: request.at('/team'),
    })
  },
  async handle(request, { sql }) {
    const result = await confirmRole({ sql }, keyOf(request), request.actor)
    if (result.kind === 'confirmed' || result.code === 'already_confirmed')
      return moved(request.at('/team?done=confirmed'))
    if (result.code === 'resource_not_found') return absent
    return showTeam(request, sql, result.code === 'shut_out_owner' ? shutOutOwner : notConfirmed)
  },
})

export const postRoleRemove = defineConsoleScreen<PeopleDeps>({
  method: 'POST',
  path: '/team/:person/remove',
  operation: 'consoleRemoveRole',
  summary: 'Remove a role, or refuse one that waits',
  right: 'team.manage',
  async confirm(request, { sql }) {
    const { member, held } = await roleIn(request, sql)
    // A repeated submission for a removed role is the same decision.
    if (member === undefined) return absent
    if (held === undefined) return moved(request.at('/team?done=removed'))
    return askAboutRoles(request, {
      question: ['Retirer ce rôle ?', 'Remove this role?'],
      back: request.at('/team'),
      subject: member.person_id,
      person: member,
      roles: [held.role],
    })
  },
  async handle(request, { sql }) {
    const result = await removeRole({ sql }, keyOf(request), request.actor)
    if (result.kind === 'removed') return moved(request.at('/team?done=removed'))
    return result.code === 'resource_not_found' ? absent : showTeam(request, sql, lastOwner)
  },
})

/** Resets a colleague who has lost their factors, and shows the link to set new ones. */
export const postMemberReset = defineConsoleScreen<PeopleDeps>({
  method: 'POST',
  path: '/team/:person/reset',
  operation: 'consoleResetPerson',
  summary: 'Remove the factors and sessions of a colleague who lost theirs, and show a link to set new factors',
  right: 'team.manage',
  async confirm(request, { sql }) {
    const member = await memberIn(request, sql)
    if (member === undefined) return absent
    return askAboutRoles(request, {
      question: ['Effacer ses moyens d’entrer ?', 'Reset their factors?'],
      back: request.at('/team'),
      subject: member.person_id,
      person: member,
      roles: member.roles.map(({ role }) => role),
      content: { status: member.status },
      warning: note(
        'care',
        null,
        request.say([
          'Ses sessions se ferment. Tous ses rôles attendent une autre personne que vous et elle.',
          'Their sessions end. All their roles wait for another person than you and them.',
        ]),
      ),
    })
  },
  async handle(request, { sql, clock, console: frame }) {
    const { merchant_id } = request.tenant
    const member = await memberIn(request, sql)
    const done = await resetPerson({ sql, clock }, request.params.person!, merchant_id, request.actor)
    if (done.kind === 'refused')
      return done.code === 'resource_not_found' ? absent : showTeam(request, sql, notReset[done.code])
    const { email, link } = done
    const roles = member?.roles.map(({ role }) => role as MerchantRole) ?? []
    return invitedView(request, teamPlace, frame, { email, roles, link })
  },
})

export const teamScreens = [
  ...[getTeam, getInvite, postInvite],
  ...[postRoleConfirm, postRoleRemove, postMemberReset],
] as const

const notReset: Readonly<
  Record<Exclude<Extract<PersonReset, { kind: 'refused' }>['code'], 'resource_not_found'>, Words>
> = {
  same_person: [
    'C’est vous. Vos moyens d’entrer se changent dans « Mon compte ».',
    'This is you. Change your factors in “My account”.',
  ],
  person_disabled: ['Le compte de cette personne est fermé.', 'This person’s account is closed.'],
  roles_elsewhere: [
    'Cette personne a aussi des rôles ailleurs, que le lien ouvrirait. L’équipe du service peut l’aider.',
    'This person has roles elsewhere too, which the link would open. The team of the service can help.',
  ],
  last_of_role: [
    'C’est le dernier propriétaire qui peut entrer. L’équipe du service peut l’aider.',
    'This is the last owner who can sign in. The team of the service can help.',
  ],
}

const notConfirmed: Words = [
  'Vous avez donné ce rôle, il est le vôtre, ou vous avez fait entrer une de ces deux personnes depuis moins de 90 jours : une autre personne le confirme.',
  'You gave this role, it is yours, or you let one of these two people in within 90 days: another person confirms it.',
]

const lastOwner: Words = [
  'C’est le dernier propriétaire qui peut entrer : donnez d’abord ce rôle à une autre personne.',
  'This is the last owner who can sign in: give the role to another person first.',
]

/** A merchant learns that a link from elsewhere opened the account, and not from where. */
function compared({ account_code }: Member): AccountToCompare | null {
  return account_code === null ? null : { account_code, opened_by: null }
}

function keyOf({ tenant, params, fields }: Request) {
  return { person_id: params.person!, merchant_id: tenant.merchant_id, role: fields.text('role') }
}

async function roleIn(
  request: Request,
  sql: Sql,
): Promise<{ member?: Member | undefined; held?: HeldRole | undefined }> {
  const { role } = keyOf(request)
  const member = await memberIn(request, sql)
  return { member, held: member?.roles.find((one) => one.role === role) }
}

async function memberIn(request: Request, sql: Sql): Promise<Member | undefined> {
  const members = await findMembers(sql, request.tenant.merchant_id)
  return members.find(({ person_id }) => person_id === request.params.person)
}

/** Shows the team. @param refused the reason of a refusal */
async function showTeam(request: Request, sql: Sql, refused?: Words): Promise<ScreenView> {
  const { merchant_id } = request.tenant
  const [members, former] = await Promise.all([findMembers(sql, merchant_id), findFormerOwners(sql, merchant_id)])
  return teamView(request, { members, waiting: await withSeconds(sql, members), former, refused })
}

/** The roles that wait, each with the people who may not be the second person for it. */
function withSeconds(sql: Sql, members: readonly Member[]): Promise<WaitingRole[]> {
  const waiting = members.flatMap((member) =>
    member.roles.filter(({ to_confirm }) => to_confirm).map((role) => ({ member, role })),
  )
  return Promise.all(
    waiting.map(async ({ member, role }) => ({
      member,
      role,
      beginners: await readBeginners(sql, [role.granted_by, member.email]),
    })),
  )
}
