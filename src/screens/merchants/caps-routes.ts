import { backLink, note, pageHead, panel, rows } from '../../console/components.ts'
import { errorList, type FieldError, field, form } from '../../console/forms.ts'
import { readFrancs } from '../../console/read-typed.ts'
import { absent, defineDeskScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { readCapProposals } from '../../payouts/caps/find-proposals.ts'
import { proposeCap } from '../../payouts/caps/propose-cap.ts'
import {
  capFault,
  capForm,
  capUse,
  proposalList,
  readCapWish,
  readRefused,
  wantedCap,
} from '../../payouts/console/cap-parts.ts'
import { html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import { setFloor } from '../../settlements/set-floor.ts'
import type { Tenant } from '../../values/caller.ts'
import { type MerchantDeps, readTerms } from './merchant-facts.ts'
import { tenantIn } from './tenant-in.ts'

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

/** Lowers a cap at once, or proposes a higher one, which another person confirms. It needs a fresh factor. */
export const postMerchantCaps = defineDeskScreen<MerchantDeps>({
  method: 'POST',
  path: '/merchants/:id/caps',
  operation: 'deskProposeCap',
  summary: 'Lower a cap of a merchant, or propose a higher one',
  right: 'caps.confirm',
  confirm: (request, deps) =>
    withMerchant(request, deps, async (known) => {
      const read = readCapWish(request)
      if ('errors' in read) return show(request, deps, known, read.errors)
      const { cap, amount, reason } = read.wish
      const { merchant_id } = known.tenant
      const { caps } = await readTerms(deps, known.tenant)
      const inForce = caps[cap]
      const above = await readRefused(deps.countPaymentsAbove, known.tenant, { cap, amount, inForce })
      return {
        kind: 'confirm',
        subject: `${merchant_id}:${cap}`,
        content: { merchant_id, cap, amount, reason, in_force: inForce },
        title: request.say(['Changer un plafond', 'Change a cap']),
        back: request.at(`/merchants/${merchant_id}/caps`),
        shown: wantedCap(request, { cap, amount, inForce, name: known.name, waits: amount > inForce, above }),
      }
    }),
  handle: (request, deps) =>
    withMerchant(request, deps, async (known) => {
      const read = readCapWish(request)
      if ('errors' in read) return show(request, deps, known, read.errors)
      const { sql, clock, usualTerms: usual } = deps
      const result = await proposeCap({ sql, clock, usual }, known.tenant, read.wish, request.actor, 'staff')
      if (result.kind === 'refused') return show(request, deps, known, [capFault(result.code, request.say)])
      const done = result.kind === 'saved' ? 'saved' : 'proposed'
      return moved(request.at(`/merchants/${known.tenant.merchant_id}/caps?done=${done}`))
    }),
})

/** Sets the smallest settlement of a merchant, with a fresh factor. */
export const postMerchantFloor = defineDeskScreen<MerchantDeps>({
  method: 'POST',
  path: '/merchants/:id/floor',
  operation: 'deskSetFloor',
  summary: 'Set the smallest settlement of a merchant',
  right: 'merchants.manage',
  confirm: (request, deps) =>
    withMerchant(request, deps, async (known) => {
      const { say, at } = request
      const minimum = readFrancs(request.fields.text('minimum'))
      if (minimum === null) return show(request, deps, known, [floorFault(request)])
      const { merchant_id } = known.tenant
      const { floor } = await readTerms(deps, known.tenant)
      return {
        kind: 'confirm',
        subject: String(merchant_id),
        content: { merchant_id, minimum, in_force: floor },
        title: say(['Changer le plus petit reversement', 'Change the smallest settlement']),
        back: at(`/merchants/${merchant_id}/caps`),
        shown: html`<h1>${drawAmount(minimum)}</h1><p class="say">${known.name}, ${say(['reversement au moins', 'settlement at least'])}</p><p class="soft">${say(['Aujourd’hui : {sum}.', 'Today: {sum}.'], { sum: writeAmount(floor) })}</p>`,
      }
    }),
  handle: (request, deps) =>
    withMerchant(request, deps, async (known) => {
      const minimum = readFrancs(request.fields.text('minimum'))
      if (minimum === null) return show(request, deps, known, [floorFault(request)])
      const result = await setFloor(deps.sql, known.tenant, minimum, request.actor)
      if (result.kind === 'refused') return absent
      return moved(request.at(`/merchants/${known.tenant.merchant_id}/caps?done=saved`))
    }),
})

function floorFault({ say }: Request): FieldError {
  return { field: 'minimum', text: say(['Écrivez une somme en francs.', 'Write a sum in francs.']) }
}

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
  const { say, at, can, fields } = request
  const { merchant_id } = tenant
  const [{ caps, floor }, proposals] = await Promise.all([readTerms(deps, tenant), readCapProposals(deps.sql, tenant)])
  const title = say(['Plafonds et seuil', 'Caps and floor'])
  const capping = can('caps.confirm')
    ? panel(say(['Changer un plafond', 'Change a cap']), capForm(request, at(`/merchants/${merchant_id}/caps`), errors))
    : note('plain', null, say(['La conformité change les plafonds.', 'Compliance changes the caps.']))
  const flooring =
    can('merchants.manage') &&
    form(
      request,
      at(`/merchants/${merchant_id}/floor`),
      html`${field({ name: 'minimum', label: say(['Nouveau seuil, F CFA', 'New floor, F CFA']), value: fields.text('minimum'), more: { inputmode: 'numeric', autocomplete: 'off' } }, errors)}<button class="second">${say(['Changer le seuil', 'Change the floor'])}</button>`,
    )
  const floorPanel = panel(
    say(['Reversements', 'Settlements']),
    html`${rows([{ name: say(['Reversement au moins', 'Settlement at least']), value: writeAmount(floor) }])}${flooring}`,
  )
  const asked =
    proposals.length > 0 && panel(say(['Demandes', 'Requests']), proposalList(request, proposals), { flush: true })
  const main = html`${backLink(at(`/merchants/${merchant_id}`), name)}${pageHead({ title, lead: name })}${errorList(say, errors)}<div class="stack"><div class="half"><div class="stack">${panel(say(['En vigueur', 'In force']), capUse(request, caps))}${floorPanel}</div>${capping}</div>${asked}</div>`
  const facts = { merchant_id, merchant: name, caps, floor, proposals, errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title: `${title} · ${name}`, main, facts }
}

export const merchantCapScreens = [getMerchantCaps, postMerchantCaps, postMerchantFloor] as const
