import { type Html, html } from '../../platform/http/html.ts'
import { assets, posterStyle } from './assets.ts'
import {
  askView,
  busyView,
  closedView,
  expiredView,
  failedView,
  inactiveView,
  refusedView,
  unavailableView,
} from './ended-views.ts'
import type { LinkFacts, PageViews, SessionFacts, View, ViewContext } from './facts.ts'
import { frontView } from './front-view.ts'
import { goOn } from './go-on.ts'
import { pageForLink, type Situation, situationOfSession, stateWord } from './page-for-state.ts'
import { posterView } from './poster-view.ts'
import { previewOf } from './preview.ts'
import { receiptView } from './receipt-view.ts'
import { sayIn } from './say.ts'
import { simulatorView } from './simulator-view.ts'
import { verifyView } from './verify-view.ts'
import {
  approveView,
  checkingView,
  codeView,
  dialView,
  redirectView,
  startingView,
  unsureView,
} from './waiting-views.ts'
import { writeFrame } from './write-frame.ts'

type Page = { title: string; main: Html }

/** The view of each situation of a session. Only a link can be `unavailable`. */
const sessionViews: Record<Exclude<Situation, 'unavailable'>, (facts: SessionFacts, context: ViewContext) => Page> = {
  ask: askView,
  starting: startingView,
  approve_on_phone: approveView,
  dial: dialView,
  enter_code: codeView,
  redirect: redirectView,
  checking: checkingView,
  unsure: unsureView,
  failed: failedView,
  receipt: (facts, context) => receiptView(facts, facts.receipt!, context),
  expired: expiredView,
  closed: closedView,
  busy: busyView,
}

const linkViews = { ask: askView, busy: busyView, unavailable: unavailableView }

/**
 * The seconds after which each page asks for its new state. The script polls at first every `poll_seconds`, and less
 * often with time. A browser without script loads the page again after `refresh_seconds`; null for pages with a form,
 * so that no refresh interrupts the payer's typing.
 */
const looks: Record<Situation, { poll_seconds: number | null; refresh_seconds: number | null }> = {
  ask: { poll_seconds: 20, refresh_seconds: null },
  starting: { poll_seconds: 1, refresh_seconds: 2 },
  approve_on_phone: { poll_seconds: 2, refresh_seconds: 6 },
  dial: { poll_seconds: 2, refresh_seconds: 10 },
  enter_code: { poll_seconds: 3, refresh_seconds: null },
  redirect: { poll_seconds: 2, refresh_seconds: 6 },
  checking: { poll_seconds: 2, refresh_seconds: 4 },
  unsure: { poll_seconds: 5, refresh_seconds: 20 },
  failed: { poll_seconds: 20, refresh_seconds: null },
  receipt: { poll_seconds: null, refresh_seconds: null },
  expired: { poll_seconds: null, refresh_seconds: null },
  closed: { poll_seconds: null, refresh_seconds: null },
  busy: { poll_seconds: 5, refresh_seconds: 15 },
  unavailable: { poll_seconds: null, refresh_seconds: null },
}

/** The pages of the hosted checkout, each from its facts alone. */
export const pageViews: PageViews = {
  session(facts, context) {
    const situation = situationOfSession(facts) as keyof typeof sessionViews
    const page = sessionViews[situation](facts, context)
    return frame(page, situation, facts, context, { address: facts.address, word: stateWord(facts) })
  },
  link(facts, context) {
    if (context.refusal === 'lien_indisponible' || context.refusal === 'merchant_inactive') {
      const view = context.refusal === 'merchant_inactive' ? inactiveView : unavailableView
      return frame(view(facts, context), 'unavailable', facts, context)
    }
    const situation = pageForLink[facts.status]
    return frame(linkViews[situation](facts, context), situation, facts, context)
  },
  poster(facts, context) {
    const { livemode } = facts
    const color = facts.merchant_color
    return writeFrame(
      { ...posterView(facts, context), situation: 'poster', livemode, style: posterStyle, color },
      context,
    )
  },
  verify(verification, asked, context) {
    const livemode = verification?.valid === true ? verification.claim.livemode : true
    return writeFrame({ ...verifyView(verification, asked, context), situation: 'verify', livemode }, context)
  },
  simulator(order, context) {
    return writeFrame({ ...simulatorView(order, context), situation: 'simulator', livemode: false }, context)
  },
  front(context) {
    return writeFrame({ ...frontView(context), situation: 'front', livemode: true }, context)
  },
  refused(code, context) {
    return writeFrame({ ...refusedView(code, context), situation: code, livemode: true }, context)
  },
  assets,
}

function frame(
  page: Page,
  situation: Situation,
  facts: SessionFacts | LinkFacts,
  context: ViewContext,
  watched: { address: string; word: string } | null = null,
): View {
  const say = sayIn(context.language)
  // After an error the tab's title begins with it, because a screen reader reads the title first.
  const wrong = context.refusal !== null && situation === 'ask' ? `${say('error_title')} : ` : ''
  const title = `${wrong}${page.title}`
  const main = html`${page.main}${goOn(situation, facts, context)}`
  const { livemode, merchant_color: color } = facts
  const preview = previewOf(situation, facts, context)
  return writeFrame({ title, main, situation, livemode, color, watched, preview, ...looks[situation] }, context)
}
