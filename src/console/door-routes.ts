import { packed, redirectAnswer } from '../platform/http/pages/page-answer.ts'
import { defineRoute } from '../platform/http/route.ts'
import { consoleHeaders } from './answers.ts'
import { assets } from './assets.ts'
import type { Asked, ConsoleFrame } from './console-frame.ts'
import type { ScreenDoor } from './screen.ts'
import { readSessionCookie } from './session-cookie.ts'
import { invitationRoutes } from './sign-in/invitation-routes.ts'
import { signInRoutes } from './sign-in/sign-in-routes.ts'

type Deps = { readonly console: ConsoleFrame }

const errors = { 404: ['resource_not_found'], 500: ['payment_failed'] } as const
const open = { auth: 'open', method: 'GET', errors, fault: 'payment_failed' } as const

/** Leads to the first page of a door: a merchant's, or the desk's. A person who has both starts at the door that they named. */
async function enterDoor(door: ScreenDoor, asked: Asked, frame: ConsoleFrame) {
  const secure = frame.originOf(door).startsWith('https:')
  const token = readSessionCookie(asked.headers, secure)
  const session = token === null ? null : await frame.readSession(token)
  const to = { headers: asked.headers, secure }
  if (session === null) return redirectAnswer(to, `/${door}/sign-in`)
  const [first] = session.memberships
  if (door === 'console' && first !== undefined) return redirectAnswer(to, `/console/live/${first.merchant_id}`)
  return redirectAnswer(to, session.staff_roles.length > 0 ? '/desk/live' : `/${door}/account`)
}

/** The ways in, beside the screens: each door's own address, and the files of all pages. */
export const doorRoutes = [
  defineRoute({
    ...open,
    path: '/console',
    operation: 'enterConsole',
    summary: 'Lead to the first page of the console',
    handle: (asked, { console: frame }: Deps) => enterDoor('console', asked as unknown as Asked, frame),
  }),
  defineRoute({
    ...open,
    path: '/desk',
    operation: 'enterDesk',
    summary: 'Lead to the first page of the desk',
    handle: (asked, { console: frame }: Deps) => enterDoor('desk', asked as unknown as Asked, frame),
  }),
  defineRoute({
    ...open,
    path: '/console/files/:name',
    operation: 'showConsoleFile',
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
  ...signInRoutes,
  ...invitationRoutes,
] as const
