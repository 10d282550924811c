import type { ActDeps } from '../../acts/perform.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { defineDeskScreen } from '../../console/screen.ts'
import { confirmStaffRole } from '../../people/confirm-role.ts'
import { type Invited, inviteStaff } from '../../people/invite.ts'
import { removeStaffRole } from '../../people/remove-role.ts'
import { invitationPlace, inviteView, type PeopleDeps, staffPlace } from '../team/invitation.ts'
import { onPersonPage } from './people-routes.ts'

// The roles in the staff: given by one administrator and, if they move money, confirmed by another.

export const getStaffInvite = defineDeskScreen({
  method: 'GET',
  path: '/people/invite',
  operation: 'deskNewInvitation',
  summary: 'The form of an invitation to the staff',
  right: 'people.manage',
  handle: async (request) => inviteView(request, staffPlace, { name: '', email: '', roles: [] }, []),
})

export const staffScreens = [
  getStaffInvite,
  deskAct<ActDeps, Invited, PeopleDeps & ActScreenDeps>(inviteStaff, invitationPlace(staffPlace)),
  deskAct<unknown, unknown, PeopleDeps & ActScreenDeps>(confirmStaffRole, onPersonPage('confirm', 'confirmed')),
  deskAct<unknown, unknown, PeopleDeps & ActScreenDeps>(removeStaffRole, onPersonPage('remove', 'removed')),
] as const
