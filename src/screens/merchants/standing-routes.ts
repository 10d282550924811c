import type { AnyAct } from '../../acts/act.ts'
import { deskAct } from '../../console/acts/act-screen.ts'
import { moved } from '../../console/screen.ts'
import { activateMerchant, deactivateMerchant } from '../../merchants/set-active.ts'

const standing = (act: AnyAct, verb: string) =>
  deskAct(act, {
    path: `/merchants/:id/${verb}`,
    back: ({ at, params }) => at(`/merchants/${params.id}`),
    done: ({ params }) => `/merchants/${params.id}?done=saved`,
    again: async ({ at, params }) => moved(at(`/merchants/${params.id}`)),
  })

export const standingScreens = [
  standing(activateMerchant, 'activate'),
  standing(deactivateMerchant, 'deactivate'),
] as const
