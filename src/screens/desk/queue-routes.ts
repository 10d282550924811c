import { readDecider } from '../../acts/second-person.ts'
import { findWatchedActs } from '../../audit-log/watched-acts.ts'
import { giveBackCase, takeCase } from '../../cases/take-case.ts'
import { absent, defineDeskScreen, moved, type ScreenRequest } from '../../console/screen.ts'
import type { Silences } from '../../operators/doubts/doubt-store.ts'
import type { WeatherReport } from '../../operators/weather/follow-weather.ts'
import { findWaitingRoles } from '../../people/find-waiting-roles.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { operatorWeather } from '../weather-panel.ts'
import { countAges, isOfAge } from './case-ages.ts'
import { agesAsked } from './case-ages-panel.ts'
import { addressOf } from './case-words.ts'
import { findCases, type QueueTab, queueTabs, standsUnder } from './find-cases.ts'
import { queueView } from './queue-view.ts'

export type QueueDeps = { sql: Sql; clock: Clock; silences: Silences; weather: WeatherReport }

/** The number of cases on a page. */
const PAGE = 50

/** The first page of the desk: all that waits for people, oldest first. */
export const getQueue = defineDeskScreen<QueueDeps>({
  method: 'GET',
  path: '',
  query: ['tab', 'age', 'operator', 'after'],
  operation: 'deskQueue',
  summary: 'Read the work that waits for people',
  right: 'desk.read',
  menu: {
    group: 'first',
    icon: 'flag',
    words: ['File d’attente', 'Queue'],
    dock: ['File', 'Queue'],
    count: 'cases',
  },
  async handle(request, deps) {
    const weather = operatorWeather(deps.weather, request.livemode)
    const roles = request.can('people.manage') ? await findWaitingRoles(deps.sql, request.actor.person) : null
    // An administrator manages people and never money, and so sees no case.
    const watched = await findWatchedActs(deps.sql, request.livemode)
    if (!request.can('cases.read'))
      return queueView(request, { weather, roles, watched, queue: null, now: deps.clock.now() })
    const { cases, names } = await findCases(deps, request.livemode)
    const tab = tabOf(request.query.get('tab'))
    const reader = await readDecider(deps.sql, request.actor.person)
    const now = deps.clock.now()
    const filter = agesAsked(request.query)
    const under = cases.filter((one) => standsUnder(tab, one, reader) && isOfAge(one, filter, now))
    const from = beginningOf(under, request.query.get('after'))
    const shown = under.slice(from, from + PAGE)
    const last = shown.at(-1)
    const older = under.length > from + PAGE && last !== undefined ? `${last.since.getTime()}.${last.id}` : null
    const counts = Object.fromEntries(
      queueTabs.map((name) => [name, cases.filter((one) => standsUnder(name, one, reader)).length]),
    ) as Record<QueueTab, number>
    const held = cases.reduce((sum, one) => sum + one.held, 0)
    const ages = countAges(cases, now)
    const queue = { tab, filter, ages, shown, counts, held, names, oldest: cases[0] ?? null, older, first: from === 0 }
    return queueView(request, { weather, roles, watched, queue, now })
  },
})

/** Assigns a case to this person, until they release it or another person takes it. */
export const postTakeCase = defineDeskScreen<QueueDeps>({
  method: 'POST',
  path: '/take/:id',
  operation: 'deskTakeCase',
  summary: 'Take a case',
  right: 'cases.read',
  handle: (request, deps) => moveOwner(request, deps, 'taken'),
})

/** Releases a case, so that it is assigned to nobody. */
export const postGiveBackCase = defineDeskScreen<QueueDeps>({
  method: 'POST',
  path: '/give-back/:id',
  operation: 'deskGiveBackCase',
  summary: 'Release a case',
  right: 'cases.read',
  handle: (request, deps) => moveOwner(request, deps, 'given_back'),
})

async function moveOwner(request: ScreenRequest<'desk'>, deps: QueueDeps, done: 'taken' | 'given_back') {
  const { livemode, params, actor } = request
  const { cases } = await findCases(deps, livemode)
  const found = cases.find(({ id }) => id === params.id)
  if (found === undefined) return absent
  const key = { merchant_id: found.merchant_id ?? 0, livemode, subject_id: found.id }
  await (done === 'taken' ? takeCase : giveBackCase)(deps.sql, key, actor)
  return moved(request.at(`${addressOf(found)}?done=${done}`))
}

function tabOf(text: string | null): QueueTab {
  return queueTabs.find((tab) => tab === text) ?? 'all'
}

/** Returns the index of the first case after a cursor, also if the cursor's case has ended since. */
function beginningOf(cases: readonly { since: Date; id: string }[], after: string | null): number {
  const [, at, id] = /^(\d{1,15})\.([\w-]{1,255})$/.exec(after ?? '') ?? []
  if (at === undefined || id === undefined) return 0
  const found = cases.findIndex(({ since, id: own }) => {
    const difference = since.getTime() - Number(at)
    return difference > 0 || (difference === 0 && own > id)
  })
  return found === -1 ? cases.length : found
}
