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

/** Returns the tasks of this person, money first. */
export function todoOf(request: Request, facts: HomeFacts): Todo[] {
  return tasks.flatMap((tasksOf) => tasksOf(request, facts))
}

/** Each returns the tasks of one kind, in the order of the page. A null fact is one that the person may not read. */
const tasks: readonly ((request: Request, facts: HomeFacts) => Todo[])[] = [
  launchTasks,
  approvalsTask,
  keyTasks,
  doubtfulPayoutsTask,
  doubtfulPaymentsTask,
  endpointTasks,
  destinationTask,
  disabledOwnerTasks,
  roleTasks,
  settlementsTask,
]

function approvalsTask({ say, at, language }: Request, { approvals }: HomeFacts): Todo[] {
  if (approvals === null || approvals.count === 0) return []
  const { count, amount, first_expires_at } = approvals
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
  return [{ to: at('/approvals'), icon: 'stamp', kind: 'care', title, text: `${writeAmount(amount)}${first}` }]
}

function doubtfulPayoutsTask({ say, at }: Request, { payouts_in_doubt }: HomeFacts): Todo[] {
  if (payouts_in_doubt === null || payouts_in_doubt === 0) return []
  const title = sayCount(
    say,
    payouts_in_doubt,
    ['Un envoi en vérification', 'One payout being checked'],
    ['{n} envois en vérification', '{n} payouts being checked'],
  )
  const text = say([
    'L’opérateur n’a pas confirmé. Ne les refaites pas.',
    'The operator has not confirmed. Do not send them again.',
  ])
  return [{ to: at('/payouts?status=indeterminate'), icon: 'clock', kind: 'care', title, text }]
}

function doubtfulPaymentsTask({ say, at }: Request, { payments_in_doubt }: HomeFacts): Todo[] {
  if (payments_in_doubt === null || payments_in_doubt === 0) return []
  const title = sayCount(
    say,
    payments_in_doubt,
    ['Un paiement attend depuis plus de 15 minutes', 'One payment has waited for more than 15 minutes'],
    ['{n} paiements attendent depuis plus de 15 minutes', '{n} payments have waited for more than 15 minutes'],
  )
  const text = say(['Nous demandons à l’opérateur jusqu’à sa réponse.', 'We ask the operator until it answers.'])
  return [{ to: at('/payments?status=pending'), icon: 'clock', kind: 'care', title, text }]
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

function settlementsTask({ say, at }: Request, { settlements_open }: HomeFacts): Todo[] {
  if (settlements_open === null || settlements_open === 0) return []
  const title = sayCount(
    say,
    settlements_open,
    ['Un reversement en cours', 'One settlement under way'],
    ['{n} reversements en cours', '{n} settlements under way'],
  )
  const text = say([
    'L’équipe du service le traite. Rien à faire.',
    'The team of the service is working on it. Nothing to do.',
  ])
  return [{ to: at('/settlements'), icon: 'bank', kind: '', title, text }]
}

/** The panel with the tasks of a person, each a link to its page. */
export function todoPanel({ say }: Request, todo: readonly Todo[]): Html {
  const title = say(['Ce qui vous attend', 'Waiting for you'])
  if (todo.length === 0)
    return panel(title, html`<p class="soft">${say(['Rien ne vous attend.', 'Nothing waits for you.'])}</p>`)
  const links = todo.map(({ to, icon, kind, title: head, text }) =>
    waitingLink(to, { icon, kind, words: html`<b>${head}</b>`, under: text }),
  )
  return html`<section class="panel"><header><h2>${title}</h2></header><div class="flush todo">${links}</div></section>`
}
