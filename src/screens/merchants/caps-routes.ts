import { actFields } from '../../console/acts/act-fields.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { backLink, note, pageHead, panel, rows } from '../../console/components.ts'
import { errorList, type FieldError, form } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { readCapProposals } from '../../payouts/caps/proposal-store.ts'
import { type CapProposed, type CapWishDeps, changeCap } from '../../payouts/caps/propose-cap.ts'
import { capForm, capUse, drawCapQuestion, proposalList } from '../../payouts/console/cap-parts.ts'
import { html } from '../../platform/http/html.ts'
import { writeAmount } from '../../platform/http/pages/write-values.ts'
import { setMinimum } from '../../settlements/set-minimum.ts'
import type { Tenant } from '../../values/caller.ts'
import { type MerchantDeps, readTerms } from './merchant-facts.ts'

type Request = ScreenRequest<'desk'>
type Known = { readonly tenant: Tenant; readonly name: string }

export const getMerchantCaps = defineDeskScreen<MerchantDeps>({
  method: 'GET',
  path: '/merchants/:id/caps',
  operation: 'deskMerchantCaps',
  summary: 'Read the caps of a merchant with their use and requests, and its smallest settlement',
  right: 'merchants.read',
  handle: (request, deps) => withMerchant(request, deps, (known) => show(request, deps, known, [])),
})

type CapDeps = MerchantDeps & ActScreenDeps & Pick<CapWishDeps, 'payoutCaps'>

/** Lowers a cap at once, or proposes a higher one, which another person confirms. */
const postMerchantCaps = deskAct<Pick<CapWishDeps, 'payoutCaps'>, CapProposed, CapDeps>(changeCap, {
  path: '/merchants/:id/caps',
  back: ({ at, params }) => at(`/merchants/${params.id}/caps`),
  shown: (request, deps, content) => drawCapQuestion({ ...request, tenant: tenantIn(request)! }, deps, content),
  done: ({ params }, { proposal }) => `/merchants/${params.id}/caps?done=${proposal === null ? 'saved' : 'proposed'}`,
  again: (request, deps, errors) => withMerchant(request, deps, (known) => show(request, deps, known, errors)),
})

/** Sets the smallest settlement of a merchant. */
const postMerchantMinimum = deskAct(setMinimum, {
  path: '/merchants/:id/floor',
  back: ({ at, params }) => at(`/merchants/${params.id}/caps`),
  done: ({ params }) => `/merchants/${params.id}/caps?done=saved`,
  again: (request, deps: MerchantDeps & ActScreenDeps, errors) =>
    withMerchant(request, deps, (known) => show(request, deps, known, errors)),
})

async function withMerchant<Answer>(
  request: Request,
  { sql }: MerchantDeps,
  act: (known: Known) => Promise<Answer>,
): Promise<Answer | ScreenAnswer> {
  const tenant = tenantIn(request)
  const name = tenant === null ? null : await readMerchantName(sql, tenant.merchant_id)
  return tenant === null || name === null ? absent : act({ tenant, name })
}

async function show(
  request: Request,
  deps: MerchantDeps,
  { tenant, name }: Known,
  errors: readonly FieldError[],
): Promise<ScreenAnswer> {
  const { say, at, can } = request
  const { merchant_id } = tenant
  const [{ caps, floor }, proposals] = await Promise.all([readTerms(deps, tenant), readCapProposals(deps.sql, tenant)])
  const title = say(['Plafonds et seuil', 'Caps and floor'])
  const capping = can('caps.confirm')
    ? panel(say(['Changer un plafond', 'Change a cap']), capForm(request, at(`/merchants/${merchant_id}/caps`), errors))
    : note('plain', null, say(['La conformité change les plafonds.', 'Compliance changes the caps.']))
  const setting = html`<button class="second">${say(['Changer le seuil', 'Change the floor'])}</button>`
  const flooring =
    can('merchants.manage') &&
    form(
      request,
      at(`/merchants/${merchant_id}/floor`),
      html`${actFields(request, setMinimum.fields, errors)}${setting}`,
    )
  const inForce = rows([{ name: say(['Reversement au moins', 'Settlement at least']), value: writeAmount(floor) }])
  const floorPanel = panel(say(['Reversements', 'Settlements']), html`${inForce}${flooring}`)
  const asked =
    proposals.length > 0 && panel(say(['Demandes', 'Requests']), proposalList(request, proposals), { flush: true })
  const head = html`${backLink(at(`/merchants/${merchant_id}`), name)}${pageHead({ title, lead: name })}`
  const capPanel = panel(say(['En vigueur', 'In force']), capUse(request, caps))
  const terms = html`<div class="half"><div class="stack">${capPanel}${floorPanel}</div>${capping}</div>`
  const main = html`${head}${errorList(say, errors)}<div class="stack">${terms}${asked}</div>`
  const facts = { merchant_id, merchant: name, caps, floor, proposals, errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title: `${title} · ${name}`, main, facts }
}

export const merchantCapScreens = [getMerchantCaps, postMerchantCaps, postMerchantMinimum] as const
