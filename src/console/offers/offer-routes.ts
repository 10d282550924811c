import { acceptOffer, declineOffer, findOffers } from '../../people/answer-offer.ts'
import { readAccountCode } from '../../people/name-store.ts'
import type { Session } from '../../people/sessions/session.ts'
import { redirectAnswer } from '../../platform/http/pages/page-answer.ts'
import type { Answer } from '../../platform/http/refusal.ts'
import { defineRoute } from '../../platform/http/route.ts'
import { nonceFor } from '../console-frame.ts'
import { FORM_MAX_BYTES } from '../read-fields.ts'
import type { ScreenDoor } from '../screen.ts'
import { aboutSession, readSessionCookie } from '../session-cookie.ts'
import { atDoor, type Step } from '../sign-in/sign-in-routes.ts'
import { offersView } from './offer-views.ts'

// The roles that teams offer a person with an account. The page has one address for everybody, because a person may have no other page yet.

const errors = { 400: ['invalid_request'], 500: ['payment_failed'] } as const
const common = { auth: 'open', about: aboutSession, errors, fault: 'payment_failed' } as const

/** The person of a step, with the nonce of their forms. Null: nobody is signed in. */
async function personOf({ frame, request, page }: Step): Promise<{ session: Session; nonce: string } | null> {
  const token = readSessionCookie(request.headers, page.secure)
  const session = token === null ? null : await frame.readSession(token)
  return session === null ? null : { session, nonce: nonceFor(frame.nonce_key, token!) }
}

function askWho({ request, page }: Step): Answer {
  const { door } = request
  return redirectAnswer(page.to, `/${door}/sign-in?${new URLSearchParams({ next: `/${door}/offers` })}`)
}

async function show(step: Step): Promise<Answer> {
  const { frame, request, page } = step
  const person = await personOf(step)
  if (person === null) return askWho(step)
  const { person_id } = person.session.person
  const [offers, account_code] = await Promise.all([
    findOffers(frame.sql, person_id),
    readAccountCode(frame.sql, person_id),
  ])
  const facts = { door: request.door, language: page.language, nonce: person.nonce, offers, account_code }
  return page.write(200, page.say(['Rôles proposés', 'Offered roles']), offersView(page.say, facts))
}

/** Answers the offer of one team. A repeated answer, and one to an offer that was taken back, change nothing. */
async function answer(step: Step): Promise<Answer> {
  const { frame, request, page, fields } = step
  const person = await personOf(step)
  if (person === null) return askWho(step)
  const { session, nonce } = person
  const merchant_id = Number(/^\d{1,15}$/.exec(fields.text('merchant'))?.[0] ?? Number.NaN)
  const word = fields.text('answer')
  const given = word === 'accept' ? acceptOffer : word === 'decline' ? declineOffer : null
  const back = redirectAnswer(page.to, `/${request.door}/offers`)
  if (fields.text('nonce') !== nonce || given === null || Number.isNaN(merchant_id)) return back
  const done = await given(frame, { session, merchant_id, address: request.address })
  const left = await findOffers(frame.sql, session.person.person_id)
  return left.length > 0 || done.kind === 'refused' ? back : redirectAnswer(page.to, `/${request.door}`)
}

function routesOf<const Door extends ScreenDoor>(door: Door) {
  const at = door === 'console' ? 'Console' : 'Desk'
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: `/${door}/offers`,
      operation: `showOffers${at}`,
      summary: 'Show the roles that teams offer to a person',
      handle: atDoor(door, show),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      reads: 'raw',
      bodyMaxBytes: FORM_MAX_BYTES,
      unreadable: 'invalid_request',
      path: `/${door}/offers`,
      operation: `answerOffer${at}`,
      summary: 'Accept or decline the roles that a team offers to a person',
      handle: atDoor(door, answer),
    }),
  ]
}

/** The routes of offered roles, the same at both doors. */
export const offerRoutes = [...routesOf('console'), ...routesOf('desk')] as const
