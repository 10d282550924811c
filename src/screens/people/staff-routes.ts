import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { defineDeskScreen } from '../../console/screen.ts'
import { confirmStaffRole } from '../../people/confirm-role.ts'
import { STAFF } from '../../people/person.ts'
import { removeStaffRole } from '../../people/remove-role.ts'
import { askToInvite, invite, inviteView, type PeopleDeps, staffPlace } from '../team/invitation.ts'
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

export const postStaffInvite = defineDeskScreen<PeopleDeps>({
  method: 'POST',
  path: '/people/invite',
  operation: 'deskInvite',
  summary: 'Give a person roles in the staff, and show the link for their first sign-in',
  right: 'people.manage',
  confirm: async (request) => askToInvite(request, staffPlace),
  handle: (request, deps) => invite(request, staffPlace, STAFF, deps),
})

export const staffScreens = [
  getStaffInvite,
  postStaffInvite,
  deskAct<unknown, unknown, PeopleDeps & ActScreenDeps>(confirmStaffRole, onPersonPage('confirm', 'confirmed')),
  deskAct<unknown, unknown, PeopleDeps & ActScreenDeps>(removeStaffRole, onPersonPage('remove', 'removed')),
] as const
