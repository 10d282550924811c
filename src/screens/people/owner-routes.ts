import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { backLink } from '../../console/components.ts'
import { errorList, type FieldError, field, form } from '../../console/forms.ts'
import { defineDeskScreen, type ScreenRequest, type ScreenView } from '../../console/screen.ts'
import { readMerchant } from '../../merchants/store.ts'
import { confirmMemberRole, hasOwner } from '../../people/confirm-role.ts'
import { invitePerson } from '../../people/invite-person.ts'
import { html } from '../../platform/http/html.ts'
import { merchantIdIn } from '../../values/read-typed.ts'
import {
  askAboutRoles,
  invitedView,
  type PeopleDeps,
  personFields,
  readInvitation,
  refusalOf,
  staffPlace,
} from '../team/invitation.ts'
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

export const postOwnerInvite = defineDeskScreen<PeopleDeps>({
  method: 'POST',
  path: '/people/invite-owner',
  operation: 'deskInviteOwner',
  summary: 'Invite the first owner of a merchant, and show the link for their first sign-in',
  right: 'people.manage',
  async confirm(request, deps) {
    const read = await readOwner(request, deps)
    if ('errors' in read) return ownerView(request, read.typed, read.errors)
    const { merchant, email, name } = read
    return askAboutRoles(request, {
      question: ['Inviter ce propriétaire ?', 'Invite this owner?'],
      back: request.at(`/people/invite-owner?merchant=${merchant.merchant_id}`),
      subject: null,
      person: { name, email },
      roles: ownerPlace.roles,
      merchant,
    })
  },
  async handle(request, deps) {
    const read = await readOwner(request, deps)
    if ('errors' in read) return ownerView(request, read.typed, read.errors)
    const { merchant, email, name, typed } = read
    const wanted = {
      email,
      ...(name === '' ? {} : { name }),
      merchant_id: merchant.merchant_id,
      roles: ['owner'],
    } as const
    const result = await invitePerson(deps, wanted, request.actor)
    if (result.kind === 'refused') return ownerView(request, typed, [refusalOf(request, ownerPlace, result.code)])
    return invitedView(request, ownerPlace, deps.console, { email, roles: ownerPlace.roles, link: result.link })
  },
})

export const ownerScreens = [
  getOwnerInvite,
  postOwnerInvite,
  deskAct<unknown, unknown, PeopleDeps & ActScreenDeps>(confirmMemberRole, onPersonPage('confirm-member', 'confirmed')),
] as const

const ownTeam = [
  'Ce marchand a un propriétaire : son équipe décide de ses rôles.',
  'This merchant has an owner: its team decides about its roles.',
] as const

type Typed = { readonly merchant: string; readonly name: string; readonly email: string }

/** Reads the form of a first owner, with the merchant, or the errors in it. */
async function readOwner(request: Request, { sql }: PeopleDeps) {
  const { say, fields } = request
  const { typed: person, errors } = readInvitation(request, ownerPlace)
  const typed: Typed = { merchant: fields.text('merchant'), name: person.name, email: person.email }
  const merchant_id = merchantIdIn(typed.merchant.trim())
  const merchant = merchant_id === null ? null : await readMerchant(sql, merchant_id)
  if (merchant === null)
    errors.push({ field: 'merchant', text: say(['Aucun marchand n’a ce numéro.', 'No merchant has this number.']) })
  else if (await hasOwner(sql, merchant.merchant_id)) errors.push({ field: 'merchant', text: say(ownTeam) })
  return merchant === null || errors.length > 0
    ? { typed, errors }
    : { typed, merchant, email: typed.email, name: typed.name }
}

function ownerView(request: Request, typed: Typed, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Inviter le propriétaire d’un marchand', 'Invite the owner of a merchant'])
  const content = html`<input type="hidden" name="roles" value="owner"><div class="stack"><h1>${title}</h1><p class="hint">${say(
    [
      'Le premier propriétaire invite le reste de son équipe. Un autre administrateur confirme ce rôle, et ceux que personne du marchand ne peut confirmer.',
      'The first owner invites the rest of the team. Another administrator confirms this role, and those that nobody of the merchant can confirm.',
    ],
  )}</p>${field(
    {
      name: 'merchant',
      label: say(['Numéro du marchand', 'Number of the merchant']),
      value: typed.merchant,
      more: { inputmode: 'numeric', autocomplete: 'off' },
    },
    errors,
  )}${personFields(request, typed, errors)}</div><div><button class="wide">${say(['Préparer l’invitation', 'Prepare the invitation'])}</button></div>`
  const main = html`${backLink(at('/people'), say(['Personnes', 'People']))}<div class="narrow wider">${errorList(say, errors)}${form(request, at('/people/invite-owner'), content, { class: 'slip' })}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { typed, errors } }
}
