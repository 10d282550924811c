import { panel, waitingLink } from '../../console/components.ts'
import type { IconName } from '../../console/icons.ts'
import { sayCount } from '../../console/say.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeAmount, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { keyTasks, launchTasks } from './money-tasks.ts'
import type { HomeFacts } from './read-home.ts'

type Request = ScreenRequest<'console'>

/** A task on a person's first page. */
export type Todo = { to: string; icon: IconName; kind: '' | 'care' | 'bad'; title: string; text: Piece }

/** The tasks on the page before a person asks for all. */
const SHOWN = 3

/** Returns what this person can do now, and what stops money, a right or a program: security first. A thing that waits for others is no task. */
export function todoOf(request: Request, facts: HomeFacts): Todo[] {
  return tasks.flatMap((tasksOf) => tasksOf(request, facts))
}

/** Each returns the tasks of one kind, in the order of the page. A null fact is one that the person may not read. */
const tasks: readonly ((request: Request, facts: HomeFacts) => Todo[])[] = [
  disabledOwnerTasks,
  launchTasks,
  approvalsTask,
  keyTasks,
  roleTasks,
  destinationTask,
  noDestinationTask,
  endpointTasks,
]

function approvalsTask({ say, at, language }: Request, { approvals }: HomeFacts): Todo[] {
  if (approvals === null || approvals.count === 0) return []
  const { count, amount, first_expires_at, first_id } = approvals
  const first =
    first_expires_at === null
      ? ''
      : say([' · le premier expire le {when}', ' · the first expires {when}'], {
          when: writeShortDate(first_expires_at, language),
        })
  const title = sayCount(
    say,
    count,
    ['Une demande à approuver', 'One request to approve'],
    ['{n} demandes à approuver', '{n} requests to approve'],
  )
  // A single one opens itself, without the list.
  const to = at(count === 1 ? `/approvals/${first_id}` : '/approvals')
  return [{ to, icon: 'stamp', kind: 'care', title, text: `${writeAmount(amount)}${first}` }]
}

function endpointTasks({ say, at, language }: Request, { endpoints }: HomeFacts): Todo[] {
  return (endpoints ?? []).map(({ url, status, failing_since, waiting }) => {
    const title =
      status === 'disabled'
        ? say(['Une adresse de webhook est arrêtée', 'A webhook endpoint is stopped'])
        : say(['Une adresse de webhook ne répond plus', 'A webhook endpoint does not answer'])
    const events = sayCount(
      say,
      waiting,
      ['{n} événement attend', '{n} event waits'],
      ['{n} événements attendent', '{n} events wait'],
    )
    const since =
      failing_since === null
        ? ''
        : ` ${say(['depuis le {since}', 'since {since}'], { since: writeShortDate(failing_since, language) })}`
    const kept = say(['rien n’est perdu', 'nothing is lost'])
    const text = `${new URL(url).host} · ${events}${since}, ${kept}`
    return { to: at('/webhooks'), icon: 'bell', kind: 'bad', title, text }
  })
}

function destinationTask({ say, at }: Request, { destination_to_confirm }: HomeFacts): Todo[] {
  if (destination_to_confirm === null) return []
  const { name, last4: end } = destination_to_confirm
  const title = say(['Une destination à confirmer', 'A destination to confirm'])
  const text = say(['{name}, compte finissant par {end}', '{name}, account ending in {end}'], { name, end })
  return [{ to: at('/destination'), icon: 'bank', kind: 'care', title, text }]
}

function disabledOwnerTasks({ say, at, language }: Request, { owners_disabled }: HomeFacts): Todo[] {
  const title = say(['Le compte d’un propriétaire est désactivé', 'The account of an owner is disabled'])
  return (owners_disabled ?? []).map(({ email, disabled_at }) => {
    const text = say(
      [
        '{email}, le {when}. Si vous n’étiez pas au courant, appelez l’équipe du service.',
        '{email}, {when}. If you did not expect it, call the team of the service.',
      ],
      { email, when: writeShortDate(disabled_at, language) },
    )
    return { to: at('/team'), icon: 'people', kind: 'bad', title, text }
  })
}

function roleTasks({ say, at }: Request, { roles_to_confirm }: HomeFacts): Todo[] {
  const title = say(['Un rôle à confirmer', 'A role to confirm'])
  return (roles_to_confirm ?? []).map(({ name, role }) => {
    return { to: at('/team'), icon: 'people', kind: '', title, text: `${name}, ${say(roleWords[role])}` }
  })
}

function noDestinationTask({ say, at }: Request, { balances, has_destination }: HomeFacts): Todo[] {
  if (has_destination !== false || balances === null || balances.available === 0) return []
  const title = say(['Dites où va votre argent', 'Say where your money goes'])
  const text = say(['{sum} vous attendent', '{sum} wait for you'], { sum: writeAmount(balances.available) })
  return [{ to: at('/destination'), icon: 'bank', kind: 'care', title, text }]
}

/** The panel with the tasks of a person, each a link to its page. Null when there are none. @param all shows more than the first three */
export function todoPanel({ say, at }: Request, todo: readonly Todo[], all: boolean): Html | null {
  if (todo.length === 0) return null
  const shown = all ? todo : todo.slice(0, SHOWN)
  const links = shown.map(({ to, icon, kind, title, text }) =>
    waitingLink(to, { icon, kind, words: html`<b>${title}</b>`, under: text }),
  )
  const more = say(['Tout voir ({n})', 'See all ({n})'], { n: todo.length })
  const others = shown.length < todo.length && html`<a href="${at('?tasks=all')}">${more}</a>`
  return panel(say(['À faire', 'To do']), html`<div class="flush todo">${links}${others}</div>`, { flush: true })
}
