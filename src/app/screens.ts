import { linkScreens } from '../checkout/console/link-routes.ts'
import { tillScreens } from '../checkout/console/till-routes.ts'
import { accountConsoleScreens, accountDeskScreens } from '../console/account/account-screens.ts'
import { commandLineConsoleScreens, commandLineDeskScreens } from '../console/account/command-line-screens.ts'
import { settingsConsoleScreens, settingsDeskScreens } from '../console/account/settings-screens.ts'
import { noticeConsoleScreens, noticeDeskScreens } from '../console/notices/notice-screens.ts'
import type { Screen } from '../console/screen.ts'
import { capScreens } from '../payouts/console/cap-routes.ts'
import { approvalScreens } from '../screens/approvals/routes.ts'
import { batchScreens } from '../screens/batches/batch-routes.ts'
import { columnsScreens } from '../screens/batches/columns-routes.ts'
import { draftScreens } from '../screens/batches/draft-routes.ts'
import { bookScreens } from '../screens/beneficiaries/book-routes.ts'
import { getCharts } from '../screens/charts/chart-routes.ts'
import { destinationScreens } from '../screens/destination/destination-routes.ts'
import { fillScreens } from '../screens/fill/fill-routes.ts'
import { showHome } from '../screens/home/routes.ts'
import { keyScreens } from '../screens/keys/key-routes.ts'
import { linkExportScreens } from '../screens/links/export-routes.ts'
import { listConsoleScreens } from '../screens/operations/list-routes.ts'
import { operationScreens } from '../screens/operations/operation-routes.ts'
import { searchScreens } from '../screens/operations/search-routes.ts'
import { payScreens } from '../screens/pay/pay-routes.ts'
import { askRefundScreens } from '../screens/refunds/ask-refund-routes.ts'
import { requestScreens } from '../screens/requests/request-routes.ts'
import { sendScreens } from '../screens/send/send-routes.ts'
import { sessionScreens } from '../screens/sessions/session-routes.ts'
import { scheduleScreens } from '../screens/settlements/schedule-routes.ts'
import { settlementScreens } from '../screens/settlements/settlement-routes.ts'
import { teamScreens } from '../screens/team/team-routes.ts'
import { getVisits } from '../screens/team/visit-routes.ts'
import { deliveryScreens } from '../screens/webhooks/delivery-routes.ts'
import { eventScreens } from '../screens/webhooks/event-routes.ts'
import { replayScreens } from '../screens/webhooks/replay-routes.ts'
import { webhookScreens } from '../screens/webhooks/webhook-routes.ts'
import { statementScreens } from '../statements/console/statement-routes.ts'
import { deskScreens } from './desk-screens.ts'

/**
 * Every screen of the console and the desk, in the order of their menus. A screen that is not in this list is not
 * served.
 */
export const screens = [
  showHome,
  ...approvalScreens,
  ...payScreens,
  ...listConsoleScreens,
  ...sendScreens,
  ...bookScreens,
  ...fillScreens,
  ...settlementScreens,
  ...scheduleScreens,
  ...destinationScreens,
  ...operationScreens,
  ...askRefundScreens,
  ...draftScreens,
  ...columnsScreens,
  ...batchScreens,
  ...capScreens,
  ...searchScreens,
  ...linkScreens,
  ...linkExportScreens,
  ...tillScreens,
  ...sessionScreens,
  ...statementScreens,
  getCharts,
  ...deskScreens,
  ...keyScreens,
  ...webhookScreens,
  ...deliveryScreens,
  ...eventScreens,
  ...replayScreens,
  ...requestScreens,
  ...teamScreens,
  getVisits,
  ...noticeConsoleScreens,
  ...settingsConsoleScreens,
  ...noticeDeskScreens,
  ...settingsDeskScreens,
  ...accountConsoleScreens,
  ...accountDeskScreens,
  ...commandLineConsoleScreens,
  ...commandLineDeskScreens,
] as const satisfies readonly Screen<never>[]
