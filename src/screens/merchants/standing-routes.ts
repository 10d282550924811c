import { absent, defineDeskScreen, moved } from '../../console/screen.ts'
import { tenantIn } from '../../console/tenant-in.ts'
import { setActive } from '../../merchants/set-active.ts'
import { readMerchant } from '../../merchants/store.ts'
import { html } from '../../platform/http/html.ts'
import type { Sql } from '../../platform/postgres/database.ts'

type Deps = { readonly sql: Sql }

/** Activates a merchant again, with a fresh factor. */
export const postActivate = standing('activate')

/** Deactivates a merchant, which can then only read, with a fresh factor. */
export const postDeactivate = standing('deactivate')

function standing(act: 'activate' | 'deactivate') {
  const active = act === 'activate'
  return defineDeskScreen<Deps>({
    method: 'POST',
    path: `/merchants/:id/${act}`,
    operation: active ? 'deskActivateMerchant' : 'deskDeactivateMerchant',
    summary: active ? 'Let a merchant operate, in both modes' : 'Let a merchant only read, in both modes',
    right: 'merchants.manage',
    async confirm(request, { sql }) {
      const { say, at } = request
      const tenant = tenantIn(request)
      const merchant = tenant === null ? null : await readMerchant(sql, tenant.merchant_id)
      if (merchant === null) return absent
      const { merchant_id, name } = merchant
      const back = at(`/merchants/${merchant_id}`)
      // A repeated submission is the same decision.
      if (merchant.active === active) return moved(`${back}?done=saved`)
      const title = active
        ? say(['Réactiver ce marchand', 'Activate this merchant'])
        : say(['Suspendre ce marchand', 'Suspend this merchant'])
      const says = active
        ? say([
            'Il encaisse et envoie de nouveau, en réel et en test.',
            'It collects and pays out again, in real and test mode.',
          ])
        : say([
            'Il lit ses comptes, mais n’encaisse et n’envoie plus rien, en réel et en test. Ce qui est parti se termine.',
            'It reads its accounts, and neither collects nor pays out any more, in real and test mode. Operations that have left will end.',
          ])
      return {
        kind: 'confirm',
        subject: String(merchant_id),
        content: { merchant_id, active },
        title,
        back,
        shown: html`<h1>${title}</h1><p class="say">${name}</p><p class="soft">${says}</p>`,
      }
    },
    async handle(request, { sql }) {
      const tenant = tenantIn(request)
      if (tenant === null) return absent
      const result = await setActive(sql, tenant.merchant_id, active, request.actor)
      return result.kind === 'refused' ? absent : moved(request.at(`/merchants/${tenant.merchant_id}?done=saved`))
    },
  })
}

export const standingScreens = [postActivate, postDeactivate] as const
