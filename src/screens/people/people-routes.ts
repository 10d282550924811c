import { canDecideOn, readDecider } from '../../acts/second-person.ts'
import { hiddenSearch, SEALED } from '../../console/hidden-search.ts'
import type { Words } from '../../console/say.ts'
import {
  absent,
  type Confirmation,
  defineDeskScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
} from '../../console/screen.ts'
import { disablePerson } from '../../people/disable-person.ts'
import { findShutOutOwners, type OwnerShutOut } from '../../people/former-owners.ts'
import { findListedPerson, type ListedPerson, listPeople } from '../../people/list-people.ts'
import { STAFF } from '../../people/person.ts'
import { resetPerson } from '../../people/reset-person.ts'
import { html } from '../../platform/http/html.ts'
import { asSeen } from '../../values/as-seen.ts'
import { addressOf, type PeopleDeps } from '../team/invitation.ts'
import { peopleView, personView, resetView } from './people-views.ts'

type Request = ScreenRequest<'desk'>

/** The number of people on a page, and the most characters of a search, which are those of an e-mail address. */
const PAGE = 50
const SEARCH_MAX = 200

export const getPeople = defineDeskScreen<PeopleDeps>({
  method: 'GET',
  path: '/people',
  query: ['q', SEALED, 'after'],
  hides: 'q',
  operation: 'deskPeople',
  summary: 'Find a person of the staff or of a merchant by their address',
  right: 'people.read',
  menu: { group: 'house', icon: 'people', words: ['Personnes', 'People'] },
  async handle(request, { sql }) {
    const search = asSeen(request.query.get('q') ?? '')
      .trim()
      .slice(0, SEARCH_MAX)
    const page = await listPeople(sql, search, { limit: PAGE, after: request.query.get('after') })
    return peopleView(request, search, page)
  },
})

export const getPerson = defineDeskScreen<PeopleDeps>({
  method: 'GET',
  path: '/people/:person',
  operation: 'deskPerson',
  summary: 'Read one person: roles, kinds of factors, last sign-in',
  right: 'people.read',
  async handle(request, { sql }) {
    const person = await findListedPerson(sql, request.params.person ?? '')
    return person === null ? absent : personView(request, person, await readStanding(request, sql, person))
  },
})

/** Shuts a person out of the whole service. */
export const postPersonDisable = defineDeskScreen<PeopleDeps>({
  method: 'POST',
  path: '/people/:person/disable',
  operation: 'deskDisablePerson',
  summary: 'Disable a person',
  right: 'people.manage',
  confirm: (request, deps) =>
    ask(request, deps, {
      title: ['Désactiver cette personne', 'Disable this person'],
      says: [
        'Ses sessions se ferment, et ses rôles s’en vont partout.',
        'Their sessions end, and they lose their roles everywhere.',
      ],
    }),
  async handle(request, deps) {
    const { person: id = '' } = request.params
    const done = await disablePerson(deps, id, request.actor)
    if (done.kind === 'disabled') return moved(request.at(`/people/${id}?done=saved`))
    return refuse(request, deps, done.code === 'last_of_role' ? lastAdministrator.disable : whyNot[done.code])
  },
})

/** Resets a person who has lost their factors, and shows the link to set new ones. */
export const postPersonReset = defineDeskScreen<PeopleDeps>({
  method: 'POST',
  path: '/people/:person/reset',
  operation: 'deskResetPerson',
  summary: 'Remove the factors and sessions of a person who lost theirs, and show a link to set new factors',
  right: 'people.manage',
  confirm: (request, deps) =>
    ask(request, deps, {
      title: ['Effacer ses moyens d’entrer', 'Reset their factors'],
      says: [
        'Ses sessions se ferment. Tous ses rôles attendent une deuxième personne, ni vous ni elle.',
        'Their sessions end. All their roles wait for a second person, neither you nor them.',
      ],
    }),
  async handle(request, deps) {
    const done = await resetPerson(deps, request.params.person ?? '', STAFF, request.actor)
    if (done.kind === 'refused')
      return refuse(request, deps, done.code === 'last_of_role' ? lastAdministrator.reset : whyNot[done.code])
    const { email, link } = done
    return resetView(request, { email, link: addressOf(deps.console, link), expires_at: link.expires_at })
  },
})

export const peopleScreens = [
  getPeople,
  hiddenSearch(getPeople),
  getPerson,
  postPersonDisable,
  postPersonReset,
] as const

/** The step-up about the current state of one person. */
async function ask(
  request: Request,
  { sql }: PeopleDeps,
  { title, says }: { title: Words; says: Words },
): Promise<Confirmation | ScreenAnswer> {
  const { say, at } = request
  const person = await findListedPerson(sql, request.params.person ?? '')
  if (person === null) return absent
  const { person_id, name, email, status, roles } = person
  return {
    kind: 'confirm',
    subject: person_id,
    content: { email, status, roles },
    title: say(title),
    back: at(`/people/${person_id}`),
    shown: html`<h1>${say(title)}</h1><p class="say"><b>${name}</b>, ${email}</p><p>${say(says)}</p>`,
  }
}

const whyNot: Readonly<Record<string, Words>> = {
  same_person: ['C’est vous : une autre personne le fait.', 'This is you: another person does it.'],
  already_disabled: ['Cette personne est déjà désactivée.', 'This person is disabled already.'],
  person_disabled: [
    'Cette personne est désactivée : invitez-la de nouveau.',
    'This person is disabled: invite them again.',
  ],
}

/** The refusal for the last administrator who can sign in: without one, nobody could invite people. */
export const lastAdministrator = {
  disable: [
    'C’est le dernier administrateur qui peut entrer : donnez d’abord ce rôle à une autre personne.',
    'This is the last administrator who can sign in: give the role to another person first.',
  ],
  reset: [
    'C’est le dernier administrateur qui peut entrer. Une personne qui a accès au serveur peut l’aider, par la commande bandama person reset.',
    'This is the last administrator who can sign in. Somebody with access to the host can help, by the command bandama person reset.',
  ],
} as const satisfies Record<string, Words>

/** The refusal of a confirmation by one of the people whom it concerns. */
export const notConfirmed = [
  'Ni la personne qui a donné ce rôle ni celle qui le porte ne le confirme, ni celles qui les ont fait entrer depuis moins de 90 jours.',
  'Neither the person who gave this role nor its holder confirms it, nor the people who let these two in within 90 days.',
] as const satisfies Words

/** The refusal of a role in the staff for an account of which nobody knows whose it is. */
export const unproven = [
  'Un lien d’un marchand a ouvert ce compte, et rien ne prouve son adresse. Effacez ses moyens d’entrer : le nouveau lien vient alors de l’équipe.',
  'A link of a merchant opened this account, and nothing proves its address. Reset their factors: the new link is then one of the staff.',
] as const satisfies Words

/** Shows the page of a person again with the reason of a refusal. */
export async function refuse(request: Request, { sql }: PeopleDeps, words: Words | undefined): Promise<ScreenAnswer> {
  const person = await findListedPerson(sql, request.params.person ?? '')
  if (person === null || words === undefined) return absent
  return personView(request, person, {
    ...(await readStanding(request, sql, person)),
    errors: [{ field: 'main', text: request.say(words) }],
  })
}

/** Reads what the page of a person says of the roles that wait: the owners who were shut out there, and the roles that this reader may confirm. */
async function readStanding({ actor }: Request, sql: PeopleDeps['sql'], person: ListedPerson) {
  const [former, reader] = await Promise.all([readFormer(sql, person), readDecider(sql, actor.person)])
  const waiting = person.roles.filter(({ to_confirm }) => to_confirm)
  return {
    former,
    confirmable: new Set(waiting.filter(({ granted_by }) => canDecideOn(reader, [granted_by, person.email]))),
  }
}

/** Reads the owners whom an administrator shut out at the merchants where a person's role waits. */
async function readFormer(sql: PeopleDeps['sql'], { roles }: ListedPerson): Promise<OwnerShutOut[]> {
  const places = roles.filter(({ to_confirm, merchant_name }) => to_confirm && merchant_name !== null)
  const ids = new Set(places.map(({ merchant_id }) => merchant_id))
  return (await Promise.all([...ids].map((merchant_id) => findShutOutOwners(sql, merchant_id)))).flat()
}
