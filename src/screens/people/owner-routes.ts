import type { ActDeps } from '../../acts/perform.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { backLink } from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { defineDeskScreen, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { confirmMemberRole } from '../../people/confirm-role.ts'
import { type Invited, inviteOwner } from '../../people/invite.ts'
import { html } from '../../platform/http/html.ts'
import { merchantIdIn } from '../../values/read-typed.ts'
import { invitationPlace, type PeopleDeps, personFields, staffPlace } from '../team/invitation.ts'
import { onPersonPage } from './people-routes.ts'

// The first owner of a merchant: invited by one administrator, and confirmed by another. The team decides about the others, and while nobody
// there can be the second person, an administrator is.

type Request = ScreenRequest<'desk'>

const ownerPlace = { ...staffPlace, roles: ['owner'] } as const

export const getOwnerInvite = defineDeskScreen({
  method: 'GET',
  path: '/people/invite-owner',
  query: ['merchant'],
  operation: 'deskNewOwner',
  summary: 'The form to invite a merchant’s first owner',
  right: 'people.manage',
  handle: async (request) =>
    ownerView(request, { merchant: request.query.get('merchant') ?? '', name: '', email: '' }, []),
})

export const ownerScreens = [
  getOwnerInvite,
  deskAct<ActDeps, Invited, PeopleDeps & ActScreenDeps>(inviteOwner, {
    ...invitationPlace(ownerPlace),
    path: '/people/invite-owner',
    back: ({ at, fields }) => at(`/people/invite-owner?merchant=${merchantIdIn(fields.text('merchant').trim()) ?? ''}`),
    text: ({ fields }, name) => (name === 'merchant' ? fields.text('merchant').trim() : undefined),
    async again(request, _, errors) {
      const { fields } = request
      const typed = { merchant: fields.text('merchant'), name: fields.text('name'), email: fields.text('email') }
      return ownerView(request, typed, errors)
    },
  }),
  deskAct<unknown, unknown, PeopleDeps & ActScreenDeps>(confirmMemberRole, onPersonPage('confirm-member', 'confirmed')),
] as const

type Typed = { readonly merchant: string; readonly name: string; readonly email: string }

function ownerView(request: Request, typed: Typed, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Inviter le propriétaire d’un marchand', 'Invite the owner of a merchant'])
  const hint = say([
    'Le premier propriétaire invite le reste de son équipe. Un autre administrateur confirme ce rôle, et ceux que personne du marchand ne peut confirmer.',
    'The first owner invites the rest of the team. Another administrator confirms this role, and those that nobody of the merchant can confirm.',
  ])
  const merchant = field(
    {
      name: 'merchant',
      label: say(['Numéro du marchand', 'Number of the merchant']),
      value: typed.merchant,
      more: { inputmode: 'numeric', autocomplete: 'off' },
    },
    errors,
  )
  const button = html`<button class="wide">${say(['Préparer l’invitation', 'Prepare the invitation'])}</button>`
  const content = html`${hiddenField('roles', 'owner')}<div class="stack"><h1>${title}</h1>
<p class="hint">${hint}</p>${merchant}${personFields(request, typed, errors)}</div><div>${button}</div>`
  const back = backLink(at('/people'), say(['Personnes', 'People']))
  const slip = form(request, at('/people/invite-owner'), content, { class: 'slip' })
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { typed, errors } }
}
