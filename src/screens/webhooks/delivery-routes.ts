import { consoleAct } from '../../console/acts/act-screen.ts'
import { absent, defineConsoleScreen } from '../../console/screen.ts'
import { replayEventAct } from '../../webhooks/replay.ts'
import { showDelivery } from '../../webhooks/show-deliveries.ts'
import { fileScreen } from '../lists/list-screens.ts'
import { deliveryList } from './delivery-list.ts'
import { deliveryView } from './delivery-views.ts'
import type { WebhookScreenDeps } from './webhook-routes.ts'

const getDelivery = defineConsoleScreen<WebhookScreenDeps>({
  method: 'GET',
  path: '/webhooks/deliveries/:delivery',
  operation: 'consoleDelivery',
  summary: 'The delivery of one event to one endpoint, with each attempt',
  right: 'webhooks.read',
  async handle(request, { webhooks }) {
    const delivery = await showDelivery(webhooks.sql, request.tenant, request.params.delivery!)
    return delivery === null ? absent : deliveryView(request, delivery)
  },
})

/** The form names the event, and the address its delivery, whose page follows. */
const postDeliveryReplay = consoleAct(replayEventAct, {
  path: '/webhooks/deliveries/:delivery/replay',
  back: ({ at, params }) => at(`/webhooks/deliveries/${params.delivery}`),
  done: ({ params }) => `/webhooks/deliveries/${params.delivery}?done=replayed`,
  again: async () => absent,
})

/** The file of deliveries, and the screens of one. `webhook-routes.ts` has their list, below their endpoints. */
export const deliveryScreens = [fileScreen(deliveryList), getDelivery, postDeliveryReplay] as const
