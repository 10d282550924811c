import { canDecideOn, readDecider } from '../../acts/second-person.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { hiddenSearch, SEALED } from '../../console/hidden-search.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { disablePerson } from '../../people/disable-person.ts'
import { findShutOutOwners, type OwnerShutOut } from '../../people/former-owners.ts'
import { findListedPerson, type ListedPerson, listPeople } from '../../people/list-people.ts'
import { type PersonReset, resetPerson } from '../../people/reset-person.ts'
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

/** An act on a person, whose page shows why it is refused. */
export const onPersonPage = (verb: string, done: string) => ({
  path: `/people/:id/${verb}`,
  back: ({ at, params }: Request) => at(`/people/${params.id}`),
  done: ({ params }: Request) => `/people/${params.id}?done=${done}`,
  again: showAgain,
})

type ActDeps = PeopleDeps & ActScreenDeps

export const peopleScreens = [
  getPeople,
  hiddenSearch(getPeople),
  getPerson,
  deskAct<unknown, unknown, ActDeps>(disablePerson, onPersonPage('disable', 'saved')),
  deskAct<unknown, PersonReset, ActDeps>(resetPerson, { ...onPersonPage('reset', ''), done: showLink }),
] as const

/** Shows the link for a person who has lost their factors. */
function showLink(request: Request, { email, link }: PersonReset, { console: frame }: ActDeps): ScreenAnswer {
  return resetView(request, { email, link: addressOf(frame, link), expires_at: link.expires_at })
}

async function showAgain(request: Request, { sql }: PeopleDeps, errors: readonly FieldError[]): Promise<ScreenAnswer> {
  const person = await findListedPerson(sql, request.params.id ?? '')
  if (person === null) return absent
  return personView(request, person, { ...(await readStanding(request, sql, person)), errors })
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
