import type { DailyLog } from '../platform/postgres/upkeep/log-days.ts'
import { requestLog } from '../request-log/store.ts'
import { attemptLog } from '../webhooks/delivery/attempt-store.ts'

/** The logs that have a partition for each day. */
export const dailyLogs: readonly DailyLog[] = [requestLog, attemptLog]
