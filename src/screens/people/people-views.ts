import {
  backLink,
  blank,
  linkButton,
  mailAddress,
  note,
  pageHead,
  panel,
  type Row,
  rows,
  type StatusShape,
  status,
  toCopy,
} from '../../console/components.ts'
import { errorList, type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { hiddenAgain, SEALED } from '../../console/hidden-search.ts'
import { icon } from '../../console/icons.ts'
import { chips, filteredAddress, filters, list, pages, rowLink } from '../../console/list.ts'
import { type Say, sayWords, type Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { compareCode, openedBy as placeOf } from '../../people/compare-code.ts'
import type { OwnerShutOut } from '../../people/former-owners.ts'
import type { ListedPerson, ListedRole } from '../../people/list-people.ts'
import { isKnownTo, STAFF } from '../../people/person.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDate, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Page } from '../../values/page.ts'
import { roleStanding } from '../team/role-standing.ts'

type Request = ScreenRequest<'desk'>

const statuses: Readonly<Record<ListedPerson['status'], readonly [StatusShape, Words]>> = {
  invited: ['wait', ['Invité', 'Invited']],
  active: ['ok', ['Actif', 'Active']],
  disabled: ['off', ['Désactivé', 'Disabled']],
}

function standing(say: Say, { status: state }: ListedPerson): Html {
  const [shape, words] = statuses[state]
  return status(shape, say(words))
}

/** The list of all people, of the staff and of all merchants. */
export function peopleView(request: Request, search: string, page: Page<ListedPerson>): ScreenView {
  const { say, at, query, language, can } = request
  const title = say(['Personnes', 'People'])
  const inviteOwner = linkButton(
    at('/people/invite-owner'),
    say(['Inviter un propriétaire', 'Invite an owner']),
    'second',
  )
  const invite = linkButton(at('/people/invite'), say(['Inviter', 'Invite']))
  const acts = can('people.manage') && html`${inviteOwner}${invite}`
  const pageAfter = (after: string) =>
    filteredAddress(at('/people'), { ...(search !== '' && hiddenAgain(query, 'q')), after })
  const table = list<ListedPerson>({
    caption: title,
    rows: page.rows,
    size: 'many',
    columns: [
      {
        title: say(['Personne', 'Person']),
        kind: 'k',
        all: true,
        cell: ({ person_id, name, email }) => rowLink(at(`/people/${person_id}`), name, email),
      },
      { title: say(['État', 'Status']), kind: 's', cell: (person) => standing(say, person) },
      {
        title: say(['Rôles', 'Roles']),
        kind: '',
        label: say(['Rôles', 'Roles']),
        cell: (person) => roleTags(request, person),
      },
      {
        title: say(['Entre par', 'Signs in by']),
        kind: 'w',
        cell: (person) => factorWords(say, person).join(', ') || say(['rien encore', 'nothing yet']),
      },
      {
        title: say(['Vue', 'Seen']),
        kind: 't',
        cell: ({ seen_at }) => (seen_at === null ? say(['jamais', 'never']) : writeShortDate(seen_at, language)),
      },
    ],
  })
  const none = blank('people', {
    title: say(['Personne ici', 'Nobody here']),
    text: say(['Essayez une autre partie de l’adresse.', 'Try another part of the address.']),
  })
  const looking = field({
    name: 'q',
    label: say(['Adresse e-mail', 'E-mail address']),
    value: search,
    type: 'search',
    more: { maxlength: '200' },
  })
  const on = search === '' ? [] : [{ text: say(['« {text} »', '“{text}”'], { text: search }), without: at('/people') }]
  const turn = pages(
    say,
    {
      newer: query.has('after') ? pageAfter('') : null,
      older: page.after === null ? null : pageAfter(page.after),
    },
    [
      ['Depuis le début', 'Back to the start'],
      ['Les suivants', 'Next'],
    ],
  )
  const summary = say(['Chercher une personne', 'Find a person'])
  const searching = filters(say, summary, looking, { nonce: request.nonce }, at(`/people/${SEALED}`))
  const found = panel(null, page.rows.length === 0 ? none : table, { flush: page.rows.length > 0 })
  const main = html`${pageHead({ title, acts })}${searching}${chips(say, on, null)}${found}${turn}`
  return { kind: 'view', title, main, facts: { people: page.rows, after: page.after } }
}

function roleTags({ say }: Request, { roles }: ListedPerson): Html {
  const staff = say(['équipe', 'staff'])
  const tags = roles.map((held) => {
    const words = html`${say(roleWords[held.role])}, ${held.merchant_name ?? staff}${roleStanding(say, held)}`
    return html`<span class="tag${!held.counts && ' care'}">${words}</span> `
  })
  return html`${tags}`
}

/** Writes the kinds of a person's factors, without their content. */
function factorWords(say: Say, { passkeys, password, telephone, recovery_codes_left }: ListedPerson): string[] {
  return [
    ...(passkeys > 0 ? [say(['clé d’accès × {n}', 'passkey × {n}'], { n: passkeys })] : []),
    ...(password ? [say(['mot de passe', 'password'])] : []),
    ...(telephone ? [say(['téléphone', 'phone'])] : []),
    ...(recovery_codes_left > 0
      ? [say(['{n} codes de secours', '{n} recovery codes'], { n: recovery_codes_left })]
      : []),
  ]
}

/** The roles of a person that wait for a second person, and a way to remove those in the staff. */
function staffRoles(request: Request, person: ListedPerson, confirmable: Standing['confirmable']): Html {
  const { say } = request
  const staff = person.roles.filter(({ merchant_name }) => merchant_name === null)
  const counting = staff.filter(({ to_confirm }) => !to_confirm)
  const removing = html`<details><summary>${say(['Retirer un rôle', 'Remove a role'])}</summary>${counting.map(
    ({ role }) =>
      roleForm(request, person, role, 'remove', html`<button class="quiet small">${say(roleWords[role])}</button>`),
  )}</details>`
  const waiting = person.roles.filter(({ to_confirm }) => to_confirm)
  return html`${waiting.map((held) => waitingNote(request, person, held, confirmable.has(held)))}${counting.length > 0 && removing}`
}

function waitingNote(request: Request, person: ListedPerson, held: ListedRole, may: boolean): Html {
  const { say, language } = request
  const { role, granted_by, granted_at } = held
  const given = say(['Donné par {by}, {at}.', 'Given by {by}, {at}.'], {
    by: granted_by,
    at: writeShortDate(new Date(granted_at), language),
  })
  if (held.merchant_name !== null) return memberNote(request, person, held, { given, may })
  const needs = may
    ? say(['Ce rôle ne compte qu’avec votre accord.', 'This role takes effect once you confirm it.'])
    : say(['Un autre administrateur doit le confirmer.', 'Another administrator has to confirm it.'])
  const confirm =
    may &&
    roleForm(request, person, role, 'confirm', html`<button class="small">${say(['Confirmer', 'Confirm'])}</button>`)
  const decline = html`<button class="stop small">${say(['Refuser', 'Decline'])}</button>`
  const head = say(['À confirmer : {role}', 'To confirm: {role}'], { role: say(roleWords[role]) })
  const acts = html`${confirm}${roleForm(request, person, role, 'remove', decline)}`
  const told = html`<h2>${head}</h2><p>${given} ${needs}</p>${compared(say, person, held.merchant_id)}`
  return html`<div class="note care">${told}<div class="acts">${acts}</div></div>`
}

/** The comparison of the account's code, for a role of an account that another place opened. */
function compared(say: Say, person: ListedPerson, merchant_id: number): Html | false {
  const { status: standing, opened_by, opened_by_name, account_code } = person
  if (standing !== 'active' || account_code === null || isKnownTo(merchant_id, person)) return false
  return html`<p>${sayWords(say, compareCode(account_code, placeOf(opened_by, opened_by_name)))}</p>`
}

/** A role at a merchant that waits: its team confirms it, or an administrator where nobody there can. */
function memberNote(
  request: Request,
  person: ListedPerson,
  { role, merchant_id, merchant_name }: ListedRole,
  { given, may }: { given: string; may: boolean },
): Html {
  const { say, at } = request
  const head = say(['À confirmer : {role}, {name}', 'To confirm: {role}, {name}'], {
    role: say(roleWords[role]),
    name: merchant_name!,
  })
  const needs = say([
    'L’équipe du marchand le confirme ; un administrateur seulement si personne d’autre n’y est propriétaire ou approbateur.',
    'The team of the merchant confirms it; an administrator does only if nobody else there is an owner or approver.',
  ])
  const hidden = html`${hiddenField('merchant', String(merchant_id))}${hiddenField('role', role)}`
  const confirm = html`${hidden}<button class="small">${say(['Confirmer', 'Confirm'])}</button>`
  const confirming = may && form(request, at(`/people/${person.person_id}/confirm-member`), confirm, { class: 'acts' })
  const told = html`<h2>${head}</h2><p>${given} ${needs}</p>${compared(say, person, merchant_id)}`
  return html`<div class="note care">${told}${confirming}</div>`
}

/** Names the place whose link set the factors, and says whether the address is proven. */
function openedBy(say: Say, { opened_by, opened_by_name, mail_proven_at }: ListedPerson): string {
  const place =
    opened_by === null
      ? say(['un lien dont l’origine n’est pas connue', 'a link of unknown origin'])
      : opened_by === STAFF
        ? say(['un lien de l’équipe du service', 'a link of the staff'])
        : say(['un lien de {name}', 'a link of {name}'], { name: opened_by_name ?? String(opened_by) })
  const proven =
    mail_proven_at === null
      ? say(['adresse non prouvée', 'address not proven'])
      : say(['adresse prouvée par un code', 'address proven by a code'])
  return `${place}, ${proven}`
}

const shutOutWords = {
  'person.disable': [
    '{email} en était propriétaire : {by} a désactivé son compte le {at}. Appelez le marchand avant de confirmer.',
    '{email} was an owner there: {by} disabled the account on {at}. Call the merchant before you confirm.',
  ],
  'person.reset': [
    '{email} en était propriétaire : {by} a effacé ses moyens d’entrer le {at}. Appelez le marchand avant de confirmer.',
    '{email} was an owner there: {by} reset their factors on {at}. Call the merchant before you confirm.',
  ],
} as const satisfies Record<OwnerShutOut['act'], Words>

/** Warns the second person that an owner of the merchant was shut out, whom they should call. */
function formerNote({ say, language }: Request, { email, act, by, at }: OwnerShutOut): Html {
  const words = say(shutOutWords[act], { email, by, at: writeShortDate(at, language) })
  return note('bad', null, words)
}

function roleForm(
  request: Request,
  { person_id }: ListedPerson,
  role: ListedRole['role'],
  act: 'confirm' | 'remove',
  button: Html,
): Html {
  const content = html`<input type="hidden" name="role" value="${role}">${button}`
  return form(request, request.at(`/people/${person_id}/${act}`), content, { class: 'acts' })
}

type Standing = {
  readonly former: readonly OwnerShutOut[]
  /** The waiting roles that the reader may confirm, as far as the reader's own acts are concerned. */
  readonly confirmable: ReadonlySet<ListedRole>
}

/** The page of one person: their roles, their factors, their last visit, and the possible acts. */
export function personView(
  request: Request,
  person: ListedPerson,
  { former, confirmable, errors = [] }: Standing & { errors?: readonly FieldError[] },
): ScreenView {
  const { say, at, language, can, session } = request
  const { person_id, name, email, signed_in_at, seen_at, link_until } = person
  const when = (moment: Date | null) => (moment === null ? say(['jamais', 'never']) : writeDate(moment, language))
  const facts: (Row | false)[] = [
    { name: say(['État', 'Status']), value: standing(say, person) },
    {
      name: say(['Entre par', 'Signs in by']),
      value: factorWords(say, person).join(', ') || say(['rien encore', 'nothing yet']),
    },
    person.status === 'active' && {
      name: say(['Compte ouvert par', 'Account opened by']),
      value: openedBy(say, person),
    },
    person.account_code !== null && {
      name: say(['Code du compte', 'Account code']),
      value: html`<span class="id">${person.account_code}</span>`,
    },
    { name: say(['Dernière entrée', 'Last sign-in']), value: when(signed_in_at) },
    { name: say(['Vue', 'Seen']), value: when(seen_at) },
    link_until !== null && {
      name: say(['Invitation ouverte jusqu’au', 'Invitation open until']),
      value: when(link_until),
    },
  ]
  const placeOf = ({ merchant_id, merchant_name }: ListedPerson['roles'][number]) => {
    if (merchant_name === null) return say(['équipe du service', 'staff of the service'])
    return can('merchants.read')
      ? html`<a href="${at(`/merchants/${merchant_id}`)}">${merchant_name}</a>`
      : merchant_name
  }
  const tag = (words: string) => html` <span class="tag care">${words}</span>`
  const places = person.roles.map((held) => {
    const confirming = held.to_confirm && tag(say(['à confirmer', 'to confirm']))
    const accepting = held.to_accept && tag(say(['à accepter', 'to accept']))
    return { name: say(roleWords[held.role]), value: html`${placeOf(held)}${confirming}${accepting}` }
  })
  const own = email === session.person.email
  const act = (verb: string, words: string) =>
    form(request, at(`/people/${person_id}/${verb}`), html`<button class="stop">${words}</button>`, { class: 'acts' })
  const acting = can('people.manage') && !own && person.status !== 'disabled'
  const acts = acting && panel(say(['Agir', 'Act']), actPart(say, act))
  const deciding =
    acting && html`${former.map((owner) => formerNote(request, owner))}${staffRoles(request, person, confirmable)}`
  const roles =
    places.length === 0
      ? html`<p class="soft">${say(['Aucun.', 'None.'])}</p>`
      : html`<div class="stack">${rows(places)}${deciding}</div>`
  const aside = html`<div class="stack">${panel(say(['Ses rôles', 'Their roles']), roles)}${acts}</div>`
  const head = html`${backLink(at('/people'), say(['Personnes', 'People']))}${pageHead({ title: name, lead: email })}`
  const main = html`${head}${errorList(say, errors)}
<div class="two">${panel(say(['La personne', 'The person']), rows(facts))}${aside}</div>`
  return { kind: 'view', ...(errors.length > 0 && { status: 409 }), title: name, main, facts: { person, errors } }
}

/** The two acts on another person: to reset their factors, and to disable them. */
function actPart(say: Say, act: (verb: string, words: string) => Html): Html {
  const lost = say([
    'Moyens d’entrer perdus ou volés : tout ce qui la fait entrer est effacé, et un lien lui est donné.',
    'Lost or stolen factors: removes all their ways to sign in, and gives you a link for them.',
  ])
  const left = say([
    'Départ : sessions fermées, rôles retirés partout.',
    'When someone leaves: ends their sessions and removes their roles everywhere.',
  ])
  const reset = act('reset', say(['Effacer ses moyens d’entrer', 'Reset their factors']))
  const disable = act('disable', say(['Désactiver cette personne', 'Disable this person']))
  return html`<div class="stack"><p>${lost}</p>${reset}<p>${left}</p>${disable}</div>`
}

/** The page with the link of a reset person. It is shown once, and the reader hands it over. */
export function resetView(
  request: Request,
  { email, link, expires_at }: { email: string; link: string; expires_at: Date },
): ScreenView {
  const { say, at, language } = request
  const title = say(['Copiez ce lien maintenant', 'Copy this link now'])
  const lead = say([
    'Donnez-le à cette personne seule, après avoir vérifié que c’est elle. Il ne sera plus jamais montré.',
    'Give it to this person alone, once you are sure that it is they. It will never be shown again.',
  ])
  const back = linkButton(at('/people'), say(['Revenir', 'Back']), 'quiet')
  const copy = toCopy(link, { say, words: say(['Copier le lien', 'Copy the link']), beside: back })
  const head = html`<div><span class="icon">${icon('people')}</span><h1>${title}</h1><p class="lead">${lead}</p></div>`
  const main = html`<div class="narrow wider"><article class="slip">${head}<div class="stack">${copy}</div><div>${rows([
    { name: say(['Adresse e-mail', 'E-mail address']), value: mailAddress(email) },
    { name: say(['Valable jusqu’au', 'Valid until']), value: writeShortDate(expires_at, language) },
  ])}</div></article></div>`
  return { kind: 'view', title, main, facts: { email, link, expires_at } }
}
