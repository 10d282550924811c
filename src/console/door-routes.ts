import { readAccountCode } from '../people/name-store.ts'
import { html } from '../platform/http/html.ts'
import { packed, redirectAnswer } from '../platform/http/pages/page-answer.ts'
import { defineRoute } from '../platform/http/route.ts'
import { consoleHeaders } from './answers.ts'
import { assets, pushWorker } from './assets.ts'
import { accountCode } from './components.ts'
import type { ConsoleFrame } from './console-frame.ts'
import { icon } from './icons.ts'
import { offerRoutes } from './offers/offer-routes.ts'
import type { ScreenDoor } from './screen.ts'
import { aboutSession, readSessionCookie } from './session-cookie.ts'
import type { DoorPage } from './sign-in/door-page.ts'
import { invitationRoutes } from './sign-in/invitation-routes.ts'
import { atDoor, type Step, signInRoutes } from './sign-in/sign-in-routes.ts'

type Deps = { readonly console: ConsoleFrame }

const errors = { 404: ['resource_not_found'], 500: ['payment_failed'] } as const
const open = { auth: 'open', about: aboutSession, method: 'GET', errors, fault: 'payment_failed' } as const

/**
 * Redirects to a person's first page: at the requested door, or at the other one if they have roles only there. If all their roles wait for a
 * second person, the page says so.
 */
const enter = (step: Step) => leadTo(step, '')

/** Redirects to the page on which a person confirms the request of a command line. It has one address for everybody. */
const enterCommandLine = (step: Step) => leadTo(step, '/account/command-line')

async function leadTo({ frame, request, page }: Step, path: string) {
  const { door, headers, url } = request
  const token = readSessionCookie(headers, page.secure)
  const session = token === null ? null : await frame.readSession(token)
  const next = path === '' ? '' : `?${new URLSearchParams({ next: url })}`
  if (session === null) return redirectAnswer(page.to, `/${door}/sign-in${next}`)
  const [first] = session.memberships
  const desk = session.staff_roles.length > 0 ? '/desk/live' : null
  const console = first === undefined ? null : `/console/live/${first.merchant_id}`
  const home = door === 'desk' ? (desk ?? console) : (console ?? desk)
  if (home === null && session.has_offers) return redirectAnswer(page.to, `/${door}/offers`)
  if (home !== null) return redirectAnswer(page.to, `${home}${path}`)
  return noRoleYet(page, door, await readAccountCode(frame.sql, session.person.person_id))
}

function noRoleYet({ say, write }: DoorPage, door: ScreenDoor, account_code: string | null) {
  const title = say(['Aucun de vos rôles ne compte encore', 'None of your roles is in effect yet'])
  const text =
    door === 'console'
      ? say([
          'Une deuxième personne doit le confirmer : un propriétaire ou un approbateur de votre équipe, à la page « Équipe », ou l’équipe du service si vous n’en avez pas d’autre. Prévenez-la, puis revenez à cette page.',
          'A second person has to confirm it: an owner or an approver of your team, on the page “Team”, or the team of the service if you have no other. Tell them, then come back to this page.',
        ])
      : say([
          'Un deuxième administrateur doit le confirmer. Prévenez-le, puis revenez à cette page.',
          'A second administrator has to confirm it. Tell them, then come back to this page.',
        ])
  const said = html`<span class="icon care">${icon('clock')}</span><h1>${title}</h1><p class="lead">${text}</p>`
  const code = account_code !== null && html`<div>${accountCode(say, account_code)}</div>`
  return write(200, title, html`<article class="slip"><div>${said}</div>${code}</article>`)
}

/** The routes beside the screens: each door's own address, and the files of all pages. */
export const doorRoutes = [
  defineRoute({
    ...open,
    path: '/console',
    operation: 'enterConsole',
    summary: 'Lead to the first page of the console',
    handle: atDoor('console', enter),
  }),
  defineRoute({
    ...open,
    path: '/desk',
    operation: 'enterDesk',
    summary: 'Lead to the first page of the desk',
    handle: atDoor('desk', enter),
  }),
  defineRoute({
    ...open,
    path: '/console/command-line',
    operation: 'enterCommandLineConsole',
    summary: 'Lead to the page where a person agrees to what a command line asks',
    handle: atDoor('console', enterCommandLine),
  }),
  defineRoute({
    ...open,
    path: '/desk/command-line',
    operation: 'enterCommandLineDesk',
    summary: 'Lead to the page where a person agrees to what a command line asks',
    handle: atDoor('desk', enterCommandLine),
  }),
  defineRoute({
    ...open,
    path: '/console/files/:name',
    operation: 'showConsoleFile',
    about: 'nothing',
    summary: 'Send a file of the console',
    params: { name: 'text' },
    async handle({ params, headers, refuse }, { console: frame }: Deps) {
      const asset = assets.get(params.name)
      if (asset === undefined) return refuse('resource_not_found')
      const kept = { 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Type': asset.type }
      const secure = frame.originOf('console').startsWith('https:')
      const answer = {
        status: 200,
        body: asset.body,
        error_code: null,
        headers: { ...consoleHeaders(secure), ...kept },
      }
      return packed({ headers }, answer)
    },
  }),
  defineRoute({
    ...open,
    // Its address bounds the pages that it may serve, so it is not among the files.
    path: '/console/push-worker.js',
    operation: 'showPushWorker',
    about: 'nothing',
    summary: 'Send the service worker that shows pushes',
    async handle({ headers }, { console: frame }: Deps) {
      const secure = frame.originOf('console').startsWith('https:')
      const type = { 'Cache-Control': 'no-cache', 'Content-Type': 'text/javascript; charset=utf-8' }
      const answer = {
        status: 200,
        body: pushWorker,
        error_code: null,
        headers: { ...consoleHeaders(secure), ...type },
      }
      return packed({ headers }, answer)
    },
  }),
  ...signInRoutes,
  ...invitationRoutes,
  ...offerRoutes,
] as const
