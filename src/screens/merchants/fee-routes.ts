import type { FieldError } from '../../console/forms.ts'
import {
  absent,
  type Confirmation,
  defineDeskScreen,
  moved,
  type ScreenAnswer,
  type ScreenRequest,
} from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { type FeesSet, setFees } from '../../merchants/set-fees.ts'
import { readMerchantName } from '../../merchants/store.ts'
import type { Tenant } from '../../values/caller.ts'
import { readFeeCost } from './fee-cost.ts'
import { readFees, type WantedFees } from './fee-form.ts'
import { feesView, wantedFees } from './fee-view.ts'
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

/** Sets a fee from a day on, with a fresh factor. The person first sees its cost for the last whole month. */
export const postFees = defineDeskScreen<MerchantDeps>({
  method: 'POST',
  path: '/merchants/:id/fees',
  operation: 'deskSetFees',
  summary: 'Set the fees of a merchant, from a day on',
  right: 'fees.manage',
  async confirm(request, deps) {
    const tenant = tenantIn(request)
    const read = readFees(request)
    if (tenant === null) return absent
    return 'errors' in read ? show(request, deps, read.errors) : ask(request, deps, tenant, read.wanted)
  },
  async handle(request, deps) {
    const tenant = tenantIn(request)
    const read = readFees(request)
    if (tenant === null) return absent
    if ('errors' in read) return show(request, deps, read.errors)
    const { merchant_id } = tenant
    const result = await setFees(deps.sql, { merchant_id, ...read.wanted }, request.actor)
    if (result.kind === 'set') return moved(request.at(`/merchants/${merchant_id}/fees?done=saved`))
    return result.code === 'resource_not_found' ? absent : show(request, deps, [faultOf(request, result.code)])
  },
})

async function ask(
  request: Request,
  deps: MerchantDeps,
  tenant: Tenant,
  wanted: WantedFees,
): Promise<Confirmation | ScreenAnswer> {
  const { merchant_id } = tenant
  const name = await readMerchantName(deps.sql, merchant_id)
  if (name === null) return absent
  const now = deps.clock.now()
  const { effective_from } = wanted
  if (effective_from instanceof Date && effective_from <= now)
    return show(request, deps, [faultOf(request, 'effective_too_early')])
  const { fees } = await readTerms(deps, tenant)
  const { in_force } = fees.find(({ service }) => service === wanted.service)!
  const schedule = { ...wanted, effective_from: effective_from instanceof Date ? effective_from : now }
  const cost = await readFeeCost(deps.sql, tenant, { now, in_force, wanted: schedule })
  return {
    kind: 'confirm',
    subject: `${merchant_id}:${wanted.service}`,
    content: {
      merchant_id,
      ...wanted,
      effective_from: effective_from instanceof Date ? effective_from.toISOString() : 'at once',
    },
    title: request.say(['Changer les frais', 'Change the fees']),
    back: request.at(`/merchants/${merchant_id}/fees`),
    shown: wantedFees(request, { name, wanted, in_force, cost }),
  }
}

async function show(request: Request, deps: MerchantDeps, errors: readonly FieldError[]): Promise<ScreenAnswer> {
  const tenant = tenantIn(request)
  const name = tenant === null ? null : await readMerchantName(deps.sql, tenant.merchant_id)
  if (tenant === null || name === null) return absent
  const { fees } = await readTerms(deps, tenant)
  return feesView(request, { merchant_id: tenant.merchant_id, name, fees, errors })
}

type Refusal = Exclude<Extract<FeesSet, { kind: 'refused' }>['code'], 'resource_not_found'>

function faultOf({ say }: Request, code: Refusal): FieldError {
  switch (code) {
    case 'invalid_fees':
      return { field: 'maximum', text: say(['Ces frais ne vont pas ensemble.', 'These fees do not fit together.']) }
    case 'effective_too_early':
      return {
        field: 'from',
        text: say([
          'Choisissez un jour à venir, ou laissez vide pour commencer tout de suite.',
          'Choose a day to come, or leave it empty to begin at once.',
        ]),
      }
    case 'schedule_exists':
      return {
        field: 'from',
        text: say(['Des frais commencent déjà à ce moment.', 'Fees begin at that moment already.']),
      }
  }
}

export const feeScreens = [getFees, postFees] as const
