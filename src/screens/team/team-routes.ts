import type { ActDeps as PerformDeps } from '../../acts/perform.ts'
import { readBeginners } from '../../acts/second-person.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { defineConsoleScreen, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { confirmTeamRole } from '../../people/confirm-role.ts'
import { findMembers, type Member } from '../../people/find-persons.ts'
import { findFormerOwners } from '../../people/former-owners.ts'
import { type Invited, inviteMember } from '../../people/invite.ts'
import { removeTeamRole } from '../../people/remove-role.ts'
import { type PersonReset, resetMember } from '../../people/reset-person.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { MerchantRole } from '../../values/rights.ts'
import { invitationPlace, invitedView, inviteView, type PeopleDeps, teamPlace } from './invitation.ts'
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

type ActDeps = PeopleDeps & ActScreenDeps

const onTeam = (verb: 'confirm' | 'remove' | 'reset') => ({
  path: `/team/:id/${verb}`,
  back: ({ at }: Request) => at('/team'),
  again: (request: Request, { sql }: PeopleDeps, errors: readonly FieldError[]) =>
    showTeam(request, sql, errors[0]?.text),
})

export const teamScreens = [
  ...[getTeam, getInvite],
  consoleAct<PerformDeps, Invited, ActDeps>(inviteMember, invitationPlace(teamPlace)),
  consoleAct<unknown, unknown, ActDeps>(confirmTeamRole, {
    ...onTeam('confirm'),
    done: () => '/team?done=confirmed',
  }),
  consoleAct<unknown, unknown, ActDeps>(removeTeamRole, { ...onTeam('remove'), done: () => '/team?done=removed' }),
  consoleAct<unknown, PersonReset, ActDeps>(resetMember, { ...onTeam('reset'), done: showLink }),
] as const

/** Shows the link for a colleague who has lost their factors. */
function showLink(request: Request, { email, link, roles }: PersonReset, { console: frame }: PeopleDeps): ScreenView {
  return invitedView(request, teamPlace, frame, { email, roles: roles.map(({ role }) => role as MerchantRole), link })
}

/** Shows the team. @param refused the reason of a refusal */
async function showTeam(request: Request, sql: Sql, refused?: string): Promise<ScreenView> {
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
