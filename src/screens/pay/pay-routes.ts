import { type AskDeps, askPayer, askPayerAgain } from '../../checkout/ask-payer.ts'
import type { LinkScreenDeps } from '../../checkout/console/link-routes.ts'
import { createLink, type LinkCreated, type LinkDeps } from '../../checkout/create-link.ts'
import { createSale, type Sale, type SaleDeps } from '../../checkout/create-sale.ts'
import { readPermanentCodes } from '../../checkout/link-store.ts'
import type { Nonces } from '../../checkout/nonces.ts'
import type { PrepareAsk, Prepared } from '../../checkout/prepare-ask.ts'
import { readSession } from '../../checkout/store.ts'
import { isOfTills, readOwnTills } from '../../checkout/till/cashiers.ts'
import type { OwnTill } from '../../checkout/till/till-people-store.ts'
import { needed } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readAttemptNumber } from '../../payments/store.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { readFrancs } from '../../values/read-typed.ts'
import { payView } from './pay-view.ts'
import { readSale } from './sale-facts.ts'
import { saleView } from './sale-view.ts'

type Request = ScreenRequest<'console'>

export type PayDeps = LinkScreenDeps & {
  readonly links: SaleDeps['links']
  readonly sales: { readonly nonces: Nonces; readonly prepareAsk: PrepareAsk }
}
type PostDeps = PayDeps & ActScreenDeps

/** The page to which the nonce of a form belongs, of one merchant in one mode. */
const pageOf = ({ tenant }: Request) => `pay ${tenant.merchant_id} ${tenant.livemode}`

/** The tills of a cashier, who sells at these alone. Null for those who see all payments: their sales are of no till. */
async function tillsOf({ can, tenant, session }: Request, sql: Sql): Promise<readonly OwnTill[] | null> {
  return can('payments.read') ? null : readOwnTills(sql, tenant, session.person.person_id)
}

/** Whether a sale is another till's than those of the cashier who asks. */
async function isElsewhere(request: Request, sql: Sql, link_id: string | null): Promise<boolean> {
  const tills = await tillsOf(request, sql)
  return tills !== null && !(await isOfTills(sql, request.tenant, link_id, tills))
}

async function showForm(request: Request, { sales, links }: PayDeps, errors: readonly FieldError[] = []) {
  // Of one its page is shown, of more their list.
  const tills = await tillsOf(request, links.sql)
  const codes = tills?.map(({ link_id }) => link_id) ?? (await readPermanentCodes(links.sql, request.tenant, 2))
  return payView(request, { form_id: sales.nonces.make(pageOf(request)), codes, tills: tills ?? [], errors })
}

export const getPay = defineConsoleScreen<PayDeps>({
  method: 'GET',
  path: '/pay',
  operation: 'consolePay',
  summary: 'Ask for a payment: a code to show, a link to send, or a number to ask now',
  right: 'links.manage',
  menu: { group: 'received', icon: 'qr', words: ['Faire payer', 'Get paid'], dock: ['Faire payer', 'Get paid'] },
  handle: async (request, deps) => showForm(request, deps),
})

/** Shows one sale. `absent` when it is not this caller's. */
async function showSale(request: Request, { links }: PayDeps, refused?: string): Promise<ScreenAnswer> {
  const facts = await readSale(links, request.tenant, request.params.id!)
  if (facts === null || (await isElsewhere(request, links.sql, facts.session.link_id))) return absent
  return saleView(request, facts, refused)
}

export const getSale = defineConsoleScreen<PayDeps>({
  method: 'GET',
  path: '/pay/:id',
  query: ['code'],
  operation: 'consoleSale',
  summary: 'One sale: its code, the payer who is asked, or that it is paid',
  right: 'links.manage',
  handle: (request, deps) => showSale(request, deps),
})

const oldForm = {
  field: 'amount',
  words: [
    'Ce formulaire était trop vieux. Vérifiez-le, puis recommencez.',
    'This form was too old. Check it, then try again.',
  ],
} as const

const noTill = [
  'Choisissez l’une de vos caisses. Si vous n’en avez pas, demandez au propriétaire.',
  'Choose one of your tills. If you have none, ask the owner.',
] as const

/**
 * The most of a payment, and the id of the sale of this form, so that a form sent twice makes one sale. A form that is not ours, or a day old, is
 * shown again before it counts.
 */
async function prepareSale(
  request: Request,
  deps: PostDeps,
): Promise<(PostDeps & SaleDeps & { kind?: never }) | ScreenAnswer> {
  const { fields, tenant } = request
  const amount_max = await deps.links.amountMax(tenant)
  const nonce = fields.text('form')
  const made_at = deps.sales.nonces.read(pageOf(request), nonce)
  if (made_at === null) return showForm(request, deps, [{ field: oldForm.field, text: request.say(oldForm.words) }])
  const amount = readFrancs(fields.text('amount'), 1) ?? 0
  const tills = await tillsOf(request, deps.links.sql)
  const chosen = fields.text('till')
  const till = tills?.find(({ link_id }) => link_id === chosen) ?? (tills?.length === 1 ? tills[0]! : null)
  if (tills !== null && till === null) {
    return showForm(request, deps, [{ field: tills.length === 0 ? 'amount' : 'till', text: request.say(noTill) }])
  }
  const till_id = till?.link_id ?? null
  // The number and the words are part of the form too: others are another sale.
  const asked = `${nonce} ${Msisdn.parse(fields.text('number'))?.e164 ?? ''} ${fields.text('description')}`
  return { ...deps, amount_max, till_id, sale_id: deps.sales.nonces.sessionOf(pageOf(request), asked, made_at, amount) }
}

const toSale = (_: Request, { session_id }: Sale) => `/pay/${session_id}`
/** The form again, or the sale that an earlier submission of this form made. */
async function againOrMade(
  request: Request,
  deps: PostDeps & { sale_id?: string },
  errors: readonly FieldError[],
  refusal: { readonly code: string } | null,
): Promise<ScreenAnswer> {
  if (refusal?.code === 'made_before') return moved(request.at(`/pay/${deps.sale_id}`))
  return showForm(request, deps, errors)
}

const postCode = consoleAct<SaleDeps, Sale, PostDeps & SaleDeps>(createSale, {
  path: '/pay/code',
  back: ({ at }) => at('/pay'),
  prepare: (request, deps) => prepareSale(request, deps),
  done: toSale,
  again: againOrMade,
})

const postLink = consoleAct<LinkDeps, LinkCreated, PostDeps & LinkDeps>(createLink, {
  path: '/pay/link',
  back: ({ at }) => at('/pay'),
  async prepare(request, given) {
    const deps = await prepareSale(request, given)
    if ('kind' in deps && deps.kind !== undefined) return deps
    const { fields } = request
    const nonce = fields.text('form')
    const made_at = deps.sales.nonces.read(pageOf(request), nonce)!
    const asked = `${nonce} ${fields.text('description')}`
    const amount = readFrancs(fields.text('amount'), 1) ?? 0
    return { ...deps, new_link_id: deps.sales.nonces.linkOf(pageOf(request), asked, made_at, amount) }
  },
  // The form has no other field. A forged one would make a permanent code.
  text: (request, name) => (name === 'amount' ? needed(name)(request, name) : name === 'description' ? undefined : ''),
  done: (_, { link_id }) => `/links/${link_id}`,
  again: async (request, deps, errors, refusal) =>
    refusal?.code === 'made_before' ? moved(request.at(`/links/${deps.new_link_id}`)) : showForm(request, deps, errors),
})

/** The needs of an attempt, or the sentence that says why nobody can be asked. */
async function prepareAsk(request: Request, { sales }: PostDeps, wanted: { amount: number; msisdn: Msisdn }) {
  const prepared = await sales.prepareAsk(request.tenant, wanted)
  return prepared.kind === 'refused' ? sayWhyNot(request, prepared.code) : prepared
}

function sayWhyNot({ say }: Request, code: Extract<Prepared, { kind: 'refused' }>['code']): string {
  switch (code) {
    case 'no_operator':
      return say([
        'L’opérateur de ce numéro ne peut pas être demandé ici. Montrez le code.',
        'The operator of this number cannot be asked here. Show the code.',
      ])
    case 'amount_out_of_bounds':
      return say([
        'L’opérateur de ce numéro ne prend pas ce montant. Montrez le code.',
        'The operator of this number does not take this amount. Show the code.',
      ])
    case 'too_many_asked':
      return say([
        'Votre équipe a demandé trop de numéros en une minute. Attendez un instant, ou montrez le code.',
        'Your team asked too many numbers in one minute. Wait a moment, or show the code.',
      ])
    case 'too_many_attempts':
      return say([
        'Ce numéro a été demandé trop souvent. Attendez quelques minutes.',
        'This number was asked too often. Wait for a few minutes.',
      ])
  }
}

function sayTooHigh({ say }: Request, max: number): string {
  return say(
    [
      'Un paiement est maintenant de {max} au plus. Faites payer à nouveau.',
      'A payment is now {max} at most. Ask anew.',
    ],
    { max: writeAmount(max) },
  )
}

type Asking = AskDeps & { readonly giveBack: () => void }

const postAsk = consoleAct<SaleDeps & AskDeps, Sale, PostDeps & SaleDeps & Asking>(askPayer, {
  path: '/pay/ask',
  back: ({ at }) => at('/pay'),
  async prepare(request, given) {
    const deps = await prepareSale(request, given)
    if ('kind' in deps && deps.kind !== undefined) return deps
    const amount = readFrancs(request.fields.text('amount'), 1)!
    const made = await readSession(deps.sql, { ...request.tenant, session_id: deps.sale_id })
    if (made !== null) {
      // The code of this form was shown first: its sale is asked, and no second one is made.
      const isUnasked = made.status === 'open' && made.payment_id === null && !made.attempt_live
      const onSale = { ...request, params: { ...request.params, id: made.id } }
      return isUnasked ? postAskAgain.handle(onSale as never, given) : moved(request.at(`/pay/${made.id}`))
    }
    const prepared = await prepareAsk(request, deps, { amount, msisdn: Msisdn.parse(request.fields.text('number'))! })
    if (typeof prepared === 'string') return showForm(request, deps, [{ field: 'number', text: prepared }])
    const { asking, giveBack } = prepared
    return { ...deps, asking, giveBack }
  },
  done: toSale,
  again(request, deps, errors, refusal) {
    if (refusal !== null) deps.giveBack()
    return againOrMade(request, deps, errors, refusal)
  },
})

const postAskAgain = consoleAct<AskDeps, Sale, PostDeps & Asking>(askPayerAgain, {
  path: '/pay/:id/ask',
  back: ({ at, params }) => at(`/pay/${params.id}`),
  async prepare(request, deps) {
    const { tenant, params, fields } = request
    const session = await readSession(deps.sql, { ...tenant, session_id: params.id! })
    if (session === null || (await isElsewhere(request, deps.links.sql, session.link_id))) return absent
    const { payment_id, amount } = session
    const amount_max = await deps.links.amountMax(tenant)
    if (amount > amount_max) return showSale(request, deps, sayTooHigh(request, amount_max))
    const typed = Msisdn.parse(fields.text('number'))
    const key = { ...tenant, session_id: session.id, payment_id: payment_id ?? '' }
    const msisdn = typed ?? (payment_id === null ? null : await readAttemptNumber(deps.sql, key))
    if (msisdn === null) return showSale(request, deps)
    // It was asked already: a second tap leads to the same page.
    if (session.attempt_live) return moved(request.at(`/pay/${session.id}`))
    const prepared = await prepareAsk(request, deps, { amount, msisdn })
    if (typeof prepared === 'string') return showSale(request, deps, prepared)
    const { asking, giveBack } = prepared
    return { ...deps, asking, giveBack }
  },
  done: toSale,
  again(request, deps, [error], refusal) {
    if (refusal !== null) deps.giveBack()
    return showSale(request, deps, error?.text)
  },
})

export const payScreens = [getPay, getSale, postCode, postLink, postAsk, postAskAgain] as const
