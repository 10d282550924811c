import { dropLapsedDrafts } from '../batch-files/drop-lapsed-drafts.ts'
import { readMerchantIds } from '../merchants/store.ts'
import { dropOldCallbacks } from '../operators/callbacks/drop-old-callbacks.ts'
import { dropLapsedConnectorDrafts } from '../operators/contracts/drop-lapsed-drafts.ts'
import { dropOldNumbers } from '../operators/prediction/number-store.ts'
import { dropOldChecks } from '../operators/recipients/drop-old-checks.ts'
import { dropOldWeather } from '../operators/weather/drop-old-weather.ts'
import { dropPastUsage } from '../payouts/drop-past-usage.ts'
import { dropOldMails } from '../people/notices/store.ts'
import { dropOldAttempts } from '../people/sign-in/attempt-store.ts'
import { dropOldWrongPasswords } from '../people/sign-in/wrong-password-store.ts'
import { dropOldStepUps } from '../people/step-up/store.ts'
import { dropOldAnswers } from '../platform/commands/keys.ts'
import type { Config } from '../platform/config.ts'
import { eachApart } from '../platform/each-apart.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { dropOldLogDays, makeLogDays } from '../platform/postgres/upkeep/log-days.ts'
import { requestLog } from '../request-log/store.ts'
import { dropOldBytes } from '../statement-files/import/file-store.ts'
import { attemptLog } from '../webhooks/delivery/attempt-store.ts'
import { dropOldEvents } from '../webhooks/drop-old-events.ts'
import { dailyLogs } from './daily-logs.ts'

/** Creates the logs' daily partitions ahead of time and drops those past their retention. */
export async function keepLogDays(sql: Sql, config: Config, log: Log): Promise<void> {
  for (const daily of dailyLogs) await makeLogDays(sql, daily)
  const kept = [
    { daily: requestLog, days: config.request_log_days },
    { daily: attemptLog, days: config.delivery_attempt_days },
  ]
  for (const { daily, days } of kept) {
    const { dropped, left } = await dropOldLogDays(sql, daily, days)
    if (dropped.length > 0) log.info({ days: dropped }, 'retention: log days dropped')
    if (left.length > 0) log.info({ days: left }, 'retention: log days in use, dropped next time')
  }
}

/**
 * Deletes expired rows of tables that are not daily partitions, because a key keeps them unique. Several workers may do
 * this at once. Records that people may ask about for years are never deleted: payments, payouts, refunds, settlements,
 * their transitions, the ledger and the operators' answers.
 */
export async function applyRetention(
  sql: Sql,
  config: Config,
  log: Log,
  { stopping }: { stopping?: AbortSignal } = {},
): Promise<void> {
  const scan = { stopping, merchants: () => readMerchantIds(sql) }
  const tables: Record<string, () => Promise<number>> = {
    idempotency_keys: () => dropOldAnswers(sql, config.idempotency_retention_days, scan),
    payout_cap_usage: () => dropPastUsage(sql, scan),
    operator_callbacks: () => dropOldCallbacks(sql, config.operator_callback_days, scan),
    number_operators: () => dropOldNumbers(sql, scan),
    operator_weather: () => dropOldWeather(sql, scan),
    recipient_checks: () => dropOldChecks(sql, scan),
    sign_in_attempts: () => dropOldAttempts(sql, scan),
    step_ups: () => dropOldStepUps(sql, scan),
    wrong_passwords: () => dropOldWrongPasswords(sql, scan),
    notice_mails: () => dropOldMails(sql, scan),
    batch_drafts: () => dropLapsedDrafts(sql, scan),
    connector_drafts: () => dropLapsedConnectorDrafts(sql, scan),
    statement_bytes: () => dropOldBytes(sql, scan),
    events: () => dropOldEvents(sql, config.event_days, scan),
  }
  const dropped: Record<string, number> = {}
  await eachApart(Object.keys(tables), {
    task: 'retention',
    log,
    nameOf: (table) => table,
    act: async (table) => {
      dropped[table] = await tables[table]!()
    },
  })
  if (Object.values(dropped).some((count) => count > 0)) log.info(dropped, 'retention: expired rows deleted')
}
