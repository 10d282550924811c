import type { ConsoleFrame } from '../../console/console-frame.ts'
import { absent, defineDeskScreen, moved } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { beginVisit, endVisit } from '../../people/visits/begin-visit.ts'
import { readLine } from '../../values/read-typed.ts'
import { consolePageField, readConsolePage } from './console-page.ts'
import { type MerchantDeps, readMerchantFile } from './merchant-facts.ts'
import { merchantView } from './merchant-view.ts'

export type VisitDeps = MerchantDeps & { readonly console: Pick<ConsoleFrame, 'originOf' | 'readVisit'> }

/** The most characters of a reason. */
const REASON_MAX = 200

/** Begins a visit with a reason: the staff member reads the merchant's console for half an hour. */
export const postLook = defineDeskScreen<VisitDeps>({
  method: 'POST',
  path: '/merchants/:id/look',
  operation: 'deskLook',
  summary: 'Read the console of a merchant for half an hour, with a reason that it sees',
  right: 'merchants.look',
  async handle(request, deps) {
    const tenant = tenantIn(request)
    if (tenant === null) return absent
    const { merchant_id } = tenant
    const operation = readConsolePage(request.fields.text('operation'))
    const reason = readLine(request.fields.text('reason'), REASON_MAX)
    if (reason === null) {
      const file = request.can('merchants.read') ? await readMerchantFile(deps, tenant) : null
      const text = request.say([
        'Dites pourquoi, en une ligne : le marchand le lit.',
        'Say why, in one line: the merchant reads it.',
      ])
      return file === null
        ? absent
        : merchantView(request, file, { now: deps.clock.now(), operation, errors: [{ field: 'reason', text }] })
    }
    const result = await beginVisit(deps, { merchant_id, reason }, request.actor)
    // The way to the console is at the end of a long page.
    const kept = operation === '' ? '' : `&${consolePageField(operation)}`
    return result.kind === 'refused' ? absent : moved(request.at(`/merchants/${merchant_id}?done=looking${kept}#look`))
  },
})

/** Ends a visit before its time. */
export const postLookEnd = defineDeskScreen<VisitDeps>({
  method: 'POST',
  path: '/merchants/:id/look-end',
  operation: 'deskLookEnd',
  summary: 'End the visit at a merchant',
  right: 'merchants.look',
  async handle(request, { sql }) {
    const tenant = tenantIn(request)
    if (tenant === null) return absent
    await endVisit(sql, tenant.merchant_id, request.actor)
    return moved(request.at(`/merchants/${tenant.merchant_id}?done=look_ended`))
  },
})

export const visitScreens = [postLook, postLookEnd] as const
