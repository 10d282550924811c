import { consoleAct } from '../../console/acts/act-screen.ts'
import { unreadFilters } from '../../console/list.ts'
import { absent, defineConsoleScreen, type ScreenAnswer } from '../../console/screen.ts'
import type { ExportDeliveries } from '../../listings/export-deliveries.ts'
import { replayEventAct } from '../../webhooks/replay.ts'
import { showDelivery } from '../../webhooks/show-deliveries.ts'
import { exportAnswer, refuseFilters } from '../lists/file-answer.ts'
import { chosenDeliveries, deliveryFilterNames, deliveryFilters } from './delivery-filters.ts'
import { deliveryView } from './delivery-views.ts'
import type { WebhookScreenDeps } from './webhook-routes.ts'

const exportList = defineConsoleScreen<{ readonly exportDeliveries: ExportDeliveries }>({
  method: 'GET',
  path: '/webhooks/export',
  query: [...deliveryFilterNames, 'format'],
  operation: 'deliveriesExport',
  summary: 'All deliveries that the filters match, as a file',
  right: 'exports.take',
  takes_file: true,
  async handle(request, { exportDeliveries }): Promise<ScreenAnswer> {
    const { tenant, can } = request
    if (!can('webhooks.read')) return { kind: 'not_permitted', right: 'webhooks.read' }
    const chosen = chosenDeliveries(request)
    if (unreadFilters(request, chosen).length > 0) return refuseFilters(request, '/webhooks')
    const filters = deliveryFilters(chosen)
    return exportAnswer(request, '/webhooks', (file) => exportDeliveries({ tenant, filters, file }))
  },
})

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

/** The export of deliveries, and the screens of one. `webhook-routes.ts` has their list, below their endpoints. */
export const deliveryScreens = [exportList, getDelivery, postDeliveryReplay] as const
