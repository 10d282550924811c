import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { type FeeDeps, type FeesSet, setFees } from '../../merchants/set-fees.ts'
import { readMerchantName } from '../../merchants/store.ts'
import type { Html } from '../../platform/http/html.ts'
import { readFeeCost } from './fee-cost.ts'
import { feesView, type SignedFees, wantedFees } from './fee-view.ts'
import { type MerchantDeps, readTerms } from './merchant-facts.ts'

type Request = ScreenRequest<'desk'>

export const getFees = defineDeskScreen<MerchantDeps>({
  method: 'GET',
  path: '/merchants/:id/fees',
  operation: 'deskFees',
  summary: 'Read the fees of a merchant, with their dates',
  right: 'merchants.read',
  handle: (request, deps) => show(request, deps, []),
})

/** Sets a fee from a day on. The person first sees its cost for the last whole month. */
const postFees = deskAct<FeeDeps, FeesSet, MerchantDeps & ActScreenDeps & FeeDeps>(setFees, {
  path: '/merchants/:id/fees',
  back: ({ at, params }) => at(`/merchants/${params.id}/fees`),
  shown: drawCost,
  done: ({ params }) => `/merchants/${params.id}/fees?done=saved`,
  again: show,
})

async function drawCost(
  request: Request,
  { sql, clock }: MerchantDeps,
  content: Readonly<Record<string, unknown>>,
): Promise<Html> {
  const { merchant_id, livemode } = tenantIn(request)!
  const signed = content as SignedFees
  const { service, fees, today } = signed
  const now = clock.now()
  const month = { service, effective_from: now }
  const in_force = today === 'none' ? null : { ...today, ...month }
  const cost = await readFeeCost(sql, { merchant_id, livemode }, { now, in_force, wanted: { ...fees, ...month } })
  return wantedFees(request, { ...signed, name: signed.merchant.name, cost })
}

async function show(request: Request, deps: MerchantDeps, errors: readonly FieldError[]): Promise<ScreenAnswer> {
  const tenant = tenantIn(request)
  const name = tenant === null ? null : await readMerchantName(deps.sql, tenant.merchant_id)
  if (tenant === null || name === null) return absent
  const { fees } = await readTerms(deps, tenant)
  return feesView(request, { merchant_id: tenant.merchant_id, name, fees, errors })
}

export const feeScreens = [getFees, postFees] as const
