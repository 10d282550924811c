import { maySecond } from '../../acts/second-person.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { confirmRole } from '../../people/confirm-role.ts'
import { findListedPerson, type ListedPerson, type ListedRole } from '../../people/list-people.ts'
import { STAFF } from '../../people/person.ts'
import { removeRole } from '../../people/remove-role.ts'
import { toCompareAtDesk } from '../team/account-code.ts'
import {
  askAboutRoles,
  askToConfirm,
  askToInvite,
  invite,
  inviteView,
  type PeopleDeps,
  staffPlace,
} from '../team/invitation.ts'
import { lastAdministrator, notConfirmed, refuse, unproven } from './people-routes.ts'

// The roles in the staff: given by one administrator and, if they move money, confirmed by another.

type Request = ScreenRequest<'desk'>

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

export const postStaffConfirm = defineDeskScreen<PeopleDeps>({
  method: 'POST',
  path: '/people/:person/confirm',
  operation: 'deskConfirmRole',
  summary: 'Confirm a role in the staff that moves money, as a second person',
  right: 'people.manage',
  confirm: (request, deps) =>
    withRole(request, deps, async (person, held) => {
      if (held === undefined) return absent
      if (!held.to_confirm) return moved(request.at(`/people/${person.person_id}?done=confirmed`))
      if (!(await maySecond(deps.sql, [held.granted_by, person.email], request.actor.person)))
        return refuse(request, deps, notConfirmed)
      return askToConfirm(request, person, held, toCompareAtDesk(request.say, person, STAFF), {
        question: ['Confirmer ce rôle ?', 'Confirm this role?'],
        back: request.at(`/people/${person.person_id}`),
      })
    }),
  async handle(request, deps) {
    const result = await confirmRole(deps, keyOf(request), request.actor)
    if (result.kind === 'confirmed' || result.code === 'already_confirmed')
      return moved(request.at(`/people/${request.params.person}?done=confirmed`))
    if (result.code === 'resource_not_found') return absent
    return refuse(request, deps, result.code === 'account_unproven' ? unproven : notConfirmed)
  },
})

export const postStaffRemove = defineDeskScreen<PeopleDeps>({
  method: 'POST',
  path: '/people/:person/remove',
  operation: 'deskRemoveRole',
  summary: 'Remove a role in the staff, or refuse one that waits',
  right: 'people.manage',
  confirm: (request, deps) =>
    withRole(request, deps, async (person, held) => {
      const { person_id } = person
      // A repeated submission for a removed role is the same decision.
      if (held === undefined) return moved(request.at(`/people/${person_id}?done=removed`))
      return askAboutRoles(request, {
        question: ['Retirer ce rôle ?', 'Remove this role?'],
        back: request.at(`/people/${person_id}`),
        subject: person_id,
        person,
        roles: [held.role],
      })
    }),
  async handle(request, deps) {
    const result = await removeRole(deps, keyOf(request), request.actor)
    if (result.kind === 'removed') return moved(request.at(`/people/${request.params.person}?done=removed`))
    return result.code === 'resource_not_found' ? absent : refuse(request, deps, lastAdministrator.disable)
  },
})

export const staffScreens = [getStaffInvite, postStaffInvite, postStaffConfirm, postStaffRemove] as const

function keyOf({ params, fields }: Request) {
  return { person_id: params.person ?? '', merchant_id: STAFF, role: fields.text('role') }
}

/** Reads the person and their role in the staff that a form names. Undefined: they do not have it. */
async function withRole<Answer>(
  request: Request,
  { sql }: PeopleDeps,
  act: (person: ListedPerson, held: ListedRole | undefined) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const { person_id, merchant_id, role } = keyOf(request)
  const person = await findListedPerson(sql, person_id)
  if (person === null) return absent
  return act(
    person,
    person.roles.find((held) => held.merchant_id === merchant_id && held.role === role),
  )
}
