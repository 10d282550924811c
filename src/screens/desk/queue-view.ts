import type { WatchedActs } from '../../audit-log/watched-acts.ts'
import { blank, operatorName, pageHead, panel } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { chips, list, moneyCell, pages, rowLink, tabs } from '../../console/list.ts'
import type { Say, Words } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import type { WaitingRole } from '../../people/find-waiting-roles.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { type OperatorWeather, weatherStrip } from '../weather-panel.ts'
import type { AgeFilter, CaseAges } from './case-ages.ts'
import { agesAddress, agesPanel, ageWords, operatorOf } from './case-ages-panel.ts'
import { addressOf, ageInWords, personName, standingOf, titleOf } from './case-words.ts'
import { type DeskCase, type QueueTab, queueTabs } from './find-cases.ts'
import { rolesPanel } from './roles-panel.ts'
import { watchedPanel } from './watched-panel.ts'

type Queue = {
  tab: QueueTab
  filter: AgeFilter
  ages: CaseAges
  shown: readonly DeskCase[]
  counts: Readonly<Record<QueueTab, number>>
  held: number
  names: ReadonlyMap<string, string>
  oldest: DeskCase | null
  /** The cursor of the next page. */
  older: string | null
  first: boolean
}

const tabWords: Readonly<Record<QueueTab, Words>> = {
  all: ['Toutes', 'All'],
  mine: ['À moi', 'Mine'],
  confirm: ['À confirmer', 'To confirm'],
  nobody: ['Sans personne', 'Unassigned'],
}

/** The hours from which a case is old, and very old. */
const OLD_HOURS = 4
const VERY_OLD_HOURS = 24

type QueueFacts = {
  weather: readonly OperatorWeather[]
  /** The roles that wait for this administrator. Null: this person manages no people. */
  roles: readonly WaitingRole[] | null
  /** The acts that one person did alone. */
  watched: WatchedActs
  /** Null: this person sees no cases. */
  queue: Queue | null
  now: Date
}

/** The page of the queue, with the weather below. */
export function queueView(
  request: ScreenRequest<'desk'>,
  { weather, roles, watched, queue, now }: QueueFacts,
): ScreenView {
  const { say, at } = request
  const title = say(['File d’attente', 'Queue'])
  const sky = panel(say(['Météo des opérateurs', 'Operators’ weather']), weatherStrip(weather, at('/switch'), say), {
    flush: true,
    more: html`<a href="${at('/switch')}">${say(['Arrêt des envois', 'Payout stop'])}</a>`,
  })
  const waiting = roles !== null && (queue === null || roles.length > 0) && rolesPanel(request, roles, now)
  const cases =
    queue === null
      ? html`${withoutCases(request, title)}${waiting}`
      : html`${withCases(request, title, queue, now)}${waiting && html`<div class="gap">${waiting}</div>`}`
  const ages = queue !== null && agesPanel(request, queue.ages)
  const main = html`${cases}<div class="stack gap">${ages}${watchedPanel(request, watched)}${sky}</div>`
  const facts = {
    ...(queue && factsOf(queue)),
    ...(roles && { roles }),
    watched: watched.acts,
    watched_more: watched.more,
    weather,
  }
  return { kind: 'view', title, main, facts }
}

function withoutCases({ say }: ScreenRequest<'desk'>, title: string): Html {
  const lead = say([
    'Votre rôle s’occupe des personnes : les affaires d’argent sont à d’autres.',
    'Your role looks after people: cases about money are for others.',
  ])
  return pageHead({ title, lead })
}

function withCases(request: ScreenRequest<'desk'>, title: string, queue: Queue, now: Date): Html {
  const { say, at } = request
  const { tab, filter, shown, counts, oldest, older, first } = queue
  const oldestFree = shown.find(({ owner }) => owner === null)
  const acts =
    oldestFree &&
    form(
      request,
      at(`/take/${oldestFree.id}`),
      html`<button class="second">${say(['Prendre la plus vieille', 'Take the oldest'])}</button>`,
      { class: 'inline' },
    )
  const lead = oldest === null ? say(['Rien n’attend.', 'Nothing waits.']) : leadOf(request, queue, oldest, now)
  const content =
    shown.length === 0
      ? blank('ok', {
          title: say(['Rien n’attend ici', 'Nothing waits here']),
          text: say(['Tout ce qui attendait a été décidé.', 'Everything that waited has been decided.']),
        })
      : caseList(request, queue, now)
  const links = queueTabs.map((name) => ({
    words: tabWords[name],
    to: at(name === 'all' ? '' : `?tab=${name}`),
    current: name === tab,
    count: counts[name],
  }))
  const filtered = agesAddress(request, filter)
  const more = filtered.includes('?') ? '&' : '?'
  const beginning = tab === 'all' ? filtered : `${filtered}${more}tab=${tab}`
  const on = [
    ...(filter.age === null
      ? []
      : [{ text: say(ageWords[filter.age]), without: agesAddress(request, { ...filter, age: null }) }]),
    ...(filter.operator === null
      ? []
      : [{ text: operatorOf(request, filter.operator), without: agesAddress(request, { ...filter, operator: null }) }]),
  ]
  return html`${pageHead({ title, lead, acts })}
${tabs(say, ['File', 'Queue'], links)}${chips(say, on, null)}
${panel(null, content, { flush: shown.length > 0 })}
${pages(say, { newer: first ? null : beginning, older: older === null ? null : `${filtered}${more}tab=${tab}&after=${older}` })}
<p class="hint gap keys">${keysLine(say)}</p>`
}

/** The keys that move through the queue. */
function keysLine(say: Say): Html {
  const move = html`<kbd>j</kbd> <kbd>k</kbd> ${say(['pour parcourir', 'to move'])}`
  const open = html`<kbd>${say(['Entrée', 'Enter'])}</kbd> ${say(['pour ouvrir', 'to open'])}`
  return html`${move}, ${open}, <kbd>?</kbd> ${say(['pour l’aide', 'for help'])}.`
}

function leadOf({ say }: ScreenRequest<'desk'>, { counts, held }: Queue, oldest: DeskCase, now: Date): string {
  const n = counts.all
  const filled = { n, held: writeAmount(held), age: ageInWords(now.getTime() - oldest.since.getTime(), say) }
  return n === 1
    ? say(['1 affaire, {held} retenus. Elle a {age}.', '1 case, {held} held. It is {age} old.'], filled)
    : say(
        ['{n} affaires, {held} retenus. La plus vieille a {age}.', '{n} cases, {held} held. The oldest is {age} old.'],
        filled,
      )
}

function caseList({ say, at }: ScreenRequest<'desk'>, { shown, names }: Queue, now: Date): Html {
  return list<DeskCase>({
    caption: say(['Affaires, la plus vieille d’abord', 'Cases, the oldest first']),
    rows: shown,
    columns: [
      {
        title: say(['Affaire', 'Case']),
        kind: 'k',
        cell: (one) => rowLink(at(addressOf(one)), titleOf(one.about, say), operatorCell(one.operator)),
      },
      { title: say(['État', 'State']), kind: 's', cell: (one) => standingOf(one, say) },
      {
        title: say(['Marchand', 'Merchant']),
        kind: '',
        label: say(['Marchand', 'Merchant']),
        cell: ({ merchant }) => merchant ?? say(['aucun connu', 'none known']),
      },
      {
        title: say(['Suivi par', 'Assigned to']),
        kind: '',
        label: say(['Suivi par', 'Assigned to']),
        cell: ({ owner }) => personName(owner, names, say),
      },
      {
        title: say(['Âge', 'Age']),
        kind: 't',
        cell: ({ since }) => ageCell(now.getTime() - since.getTime(), ageInWords(now.getTime() - since.getTime(), say)),
      },
      {
        title: say(['Retenu, F CFA', 'Held, F CFA']),
        kind: 'm',
        cell: ({ held }) => (held === 0 ? say(['rien', 'nothing']) : moneyCell(held)),
      },
    ],
  })
}

function operatorCell(operator: string | null): Html | undefined {
  if (operator === null) return undefined
  return isOperatorCode(operator) ? operatorName(operator) : html`${operator}`
}

function ageCell(milliseconds: number, words: string): Html {
  const hours = milliseconds / 3_600_000
  if (hours < OLD_HOURS) return html`${words}`
  return html`<b class="${hours < VERY_OLD_HOURS ? 'care-ink' : 'bad-ink'}">${words}</b>`
}

function factsOf({ tab, filter, ages, shown, counts, held, older }: Queue) {
  return { tab, filter, ages, counts, held, cases: shown, after: older }
}

/** The panel with the person to whom a case is assigned, and the button to take or release it. */
export function ownerPanel(
  request: ScreenRequest<'desk'>,
  { id, owner, names }: { id: string; owner: string | null; names: ReadonlyMap<string, string> },
): Html {
  const { say, at, actor } = request
  const mine = owner === actor.person
  const sentence = mine
    ? say(['Vous suivez cette affaire.', 'This case is assigned to you.'])
    : owner === null
      ? say(['Personne ne suit cette affaire.', 'This case is assigned to nobody.'])
      : say(['{name} suit cette affaire.', 'This case is assigned to {name}.'], { name: personName(owner, names, say) })
  const act = mine
    ? form(request, at(`/give-back/${id}`), html`<button class="second">${say(['La rendre', 'Release it'])}</button>`)
    : form(
        request,
        at(`/take/${id}`),
        html`<button class="second">${owner === null ? say(['La prendre', 'Take it']) : say(['La reprendre', 'Take it over'])}</button>`,
      )
  return panel(say(['Suivi', 'Assigned to']), html`<p>${sentence}</p>${request.can('cases.read') && act}`)
}
