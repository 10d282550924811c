import type { PageRequest } from '../../platform/http/pages/page-request.ts'
import type { Form } from '../../platform/http/read-form.ts'
import { defineRoute } from '../../platform/http/route.ts'
import type { Turn } from '../../platform/http/turns.ts'
import { aboutTill } from '../till/till-cookie.ts'
import { FORM_MAX_BYTES, readSentForm } from './request.ts'
import type { Pages } from './serve-pages.ts'

type Deps = { pages: Pages }

/** A page to read. */
const shown = {
  auth: 'open',
  counts: 'page',
  method: 'GET',
  errors: { 404: ['resource_not_found'], 500: ['payment_failed'] },
  fault: 'payment_failed',
} as const

/** The same, with a secret in its address: of a session or a link, or the reference that we gave an operator. */
const shownByToken = { ...shown, params: { token: 'text' }, about: { parameter: 'token' } } as const

/** A form of a page. */
const posted = {
  ...shownByToken,
  method: 'POST',
  reads: 'form',
  bodyMaxBytes: FORM_MAX_BYTES,
  errors: { 400: ['invalid_request'], ...shown.errors },
  unreadable: 'invalid_request',
} as const

type TokenPage =
  | 'showSession'
  | 'showReceiptFile'
  | 'postSession'
  | 'postCode'
  | 'proposeForSession'
  | 'showLink'
  | 'postLink'
  | 'proposeForLink'
  | 'showPoster'
  | 'comeBack'
  | 'showTillInvitation'
  | 'pairTill'
type Asked = PageRequest & { readonly params: { readonly token: string }; readonly turn: Turn }

function show(page: TokenPage) {
  return ({ params, ...asked }: Asked, { pages }: Deps) => pages[page]({ ...asked, token: params.token, form: null })
}

function take(page: TokenPage) {
  return ({ params, body, ...asked }: Asked & { readonly body: Form | null }, { pages }: Deps) =>
    pages[page]({ ...asked, token: params.token, form: body === null ? null : readSentForm(body) })
}

/** The pages that payers meet, at the addresses that they know: each answers in HTML or in JSON. */
export const pageRoutes = [
  defineRoute({
    ...shownByToken,
    path: '/pay/:token',
    operation: 'showSessionPage',
    summary: 'Show the page of a session',
    handle: show('showSession'),
  }),
  defineRoute({
    ...shownByToken,
    path: '/pay/:token/receipt.pdf',
    operation: 'showReceiptFile',
    summary: 'Send the receipt of a paid session as PDF',
    handle: show('showReceiptFile'),
  }),
  defineRoute({
    ...posted,
    path: '/pay/:token',
    operation: 'paySession',
    summary: 'Take the form of the page of a session',
    handle: take('postSession'),
  }),
  defineRoute({
    ...shownByToken,
    path: '/pay/:token/code',
    operation: 'showCodePage',
    summary: 'Show the page of a session, after a reload of the answer to a refused code',
    handle: show('showSession'),
  }),
  defineRoute({
    ...posted,
    path: '/pay/:token/code',
    operation: 'submitCode',
    summary: 'Take the one-time code that a payer typed',
    handle: take('postCode'),
  }),
  defineRoute({
    ...posted,
    path: '/pay/:token/operator',
    operation: 'proposeOnSessionPage',
    summary: 'Propose the operator of the number that a payer types',
    handle: take('proposeForSession'),
  }),
  defineRoute({
    ...shownByToken,
    path: '/link/:token',
    operation: 'showLinkPage',
    summary: 'Show the page of a link',
    handle: show('showLink'),
  }),
  defineRoute({
    ...shown,
    path: '/p/:handle',
    params: { handle: 'text' },
    about: { parameter: 'handle' },
    operation: 'showNamedLink',
    summary: 'Show the page of a link by its handle',
    handle: ({ params, ...asked }, { pages }: Deps) => pages.showHandle({ ...asked, token: params.handle, form: null }),
  }),
  defineRoute({
    ...posted,
    path: '/link/:token',
    operation: 'payLink',
    summary: 'Take the form of the page of a link',
    handle: take('postLink'),
  }),
  defineRoute({
    ...posted,
    path: '/link/:token/operator',
    operation: 'proposeOnLinkPage',
    summary: 'Propose the operator of the number that a payer types',
    handle: take('proposeForLink'),
  }),
  defineRoute({
    ...shownByToken,
    path: '/link/:token/poster',
    operation: 'showPoster',
    summary: 'Show a link to print',
    handle: show('showPoster'),
  }),
  defineRoute({
    ...shownByToken,
    path: '/return/:token',
    operation: 'comeBack',
    summary: "Lead a payer who comes from an operator's app to their page",
    handle: show('comeBack'),
  }),
  defineRoute({
    ...shownByToken,
    path: '/till/join/:token',
    operation: 'showTillInvitation',
    summary: 'Show the invitation of a telephone of a till',
    handle: show('showTillInvitation'),
  }),
  defineRoute({
    ...posted,
    path: '/till/join/:token',
    operation: 'pairTill',
    summary: 'Pair the telephone that sends this with the till',
    handle: take('pairTill'),
  }),
  defineRoute({
    ...shown,
    path: '/till',
    operation: 'showTill',
    about: aboutTill,
    summary: 'Show a paired telephone the payments of its till',
    handle: (asked, { pages }: Deps) => pages.showTill(asked),
  }),
  defineRoute({
    ...shown,
    path: '/verify',
    operation: 'verifyReceipt',
    about: 'address',
    summary: 'Check a receipt',
    handle: (asked, { pages }: Deps) => pages.verify(asked),
  }),
  defineRoute({
    ...shown,
    path: '/verify/key',
    operation: 'showReceiptKey',
    about: 'nothing',
    summary: 'Give the key that receipts are checked with',
    handle: (asked, { pages }: Deps) => pages.showKey(asked),
  }),
  defineRoute({
    ...shown,
    path: '/page/:name',
    operation: 'showPageFile',
    about: 'nothing',
    summary: 'Send a file of the pages',
    params: { name: 'text' },
    async handle({ params, refuse, ...asked }, { pages }: Deps) {
      return (await pages.showAsset(params.name, asked)) ?? refuse('resource_not_found')
    },
  }),
] as const
