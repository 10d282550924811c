import type { Registry as Metrics } from 'prom-client'
import { createAuthenticator } from '../api-keys/authenticate.ts'
import { endAttempt } from '../checkout/follow-payments.ts'
import { lockSessions } from '../checkout/take-attempts.ts'
import { createMerchantSettings } from '../merchants/settings.ts'
import type { ContractDirectory } from '../operators/contract-directory.ts'
import { createCancelPayment } from '../payments/cancel-payment.ts'
import { createCreatePayment } from '../payments/create-payment.ts'
import { createCreateBatch } from '../payout-batches/create-batch.ts'
import { createFollowBatches } from '../payout-batches/execute-batch.ts'
import { createCreatePayout } from '../payouts/create-payout.ts'
import { readCaps } from '../payouts/read-caps.ts'
import type { Clock } from '../platform/clock.ts'
import { createEngine } from '../platform/commands/engine.ts'
import { type Config, derivedKey } from '../platform/config.ts'
import { docsRoutes } from '../platform/http/docs.ts'
import { API_VERSION } from '../platform/http/response-headers.ts'
import { createHttpServer } from '../platform/http/server.ts'
import { createTurns } from '../platform/http/turns.ts'
import { createLimits, headersFor } from '../platform/limits/windows.ts'
import type { Log } from '../platform/log.ts'
import { createOwnerLocks } from '../platform/owner-locks.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { createRequestLog } from '../request-log/request-log.ts'
import { createCreateSettlement } from '../settlements/create-settlement.ts'
import type { Caller } from '../values/caller.ts'
import type { Secret } from '../values/secret.ts'
import { createAddressLimit, createApiAuthenticator } from './authenticators.ts'
import { createCheckout } from './checkout.ts'
import { introduction } from './introduction.ts'
import type { PublicOrigin } from './public-origin.ts'
import { servedRoutes, webRoutes } from './routes.ts'
import { createOperators, createRecorder } from './work.ts'

export type Readiness = { ok: boolean; checks: Record<string, boolean> }

export type Api = { address: string; stop(): Promise<void> }

/** Calls that run alone at once: with the batches under way, fewer than this role's pool has connections (run-roles.ts). */
const ALONE_MAX = 4
/** Milliseconds that a call waits for its merchant's turn at most. */
const TURN_WAIT_MS = 10_000

/**
 * Builds the HTTP server of the service, with everything behind it wired, and listens on HOST and PORT.
 */
export async function startApi(deps: {
  sql: Sql
  /** Where reads go that only look. */
  reads: Db
  config: Config
  secretKey: Secret
  origin: PublicOrigin
  clock: Clock
  log: Log
  metrics: Metrics
  contracts: ContractDirectory
  ready: () => Promise<Readiness>
}): Promise<Api> {
  const { sql, reads, config, secretKey, origin, clock, log, metrics, ready } = deps
  const { rate_per_key, rate_per_address } = config
  const limits = createLimits({
    redis_url: config.redis_url,
    payer_attempts: {
      max: config.payer_attempts_max,
      window_seconds: config.payer_attempts_window_seconds,
      secret: derivedKey(secretKey, 'payer attempts'),
    },
    clock,
    log,
    registry: metrics,
  })
  const authenticator = createAuthenticator({ sql, clock, log })
  const requestLog = createRequestLog({ sql, log, registry: metrics })
  const settings = createMerchantSettings({ sql })
  const locks = createOwnerLocks()
  const engine = createEngine({ sql, clock, locks })
  const createPayment = createCreatePayment({
    engine,
    clock,
    settings,
    payerAttempts: limits.payerAttempts,
    collection_amount_max: config.collection_amount_max,
    lockSessions,
  })
  const { batch_wait_seconds, payout_request_expiry_days: request_expiry_days } = config
  const createPayout = createCreatePayout({ engine, clock, settings, caps: config, request_expiry_days })
  const createSettlement = createCreateSettlement({ engine, rules: config })
  const { receiveCallback, registry } = createOperators(deps)
  const checkout = createCheckout({
    sql,
    engine,
    config,
    secretKey,
    origin,
    clock,
    log,
    limits,
    settings,
    createPayment,
    registry,
    record: createRecorder({ sql, clock, log, registry }),
  })
  const limitsOf = async ({ merchant_id, livemode }: Caller) => {
    const [merchant, caps] = await Promise.all([
      settings(merchant_id),
      readCaps(sql, { merchant_id, livemode }, config),
    ])
    return {
      collection_amount_max: merchant.collection_amount_max ?? config.collection_amount_max,
      payout_cap_operation: caps.operation,
      payout_cap_day: caps.day,
    }
  }
  const rateHeaders = async ({ key_id }: Pick<Caller, 'key_id'>) =>
    headersFor(await limits.look('key', key_id, rate_per_key))
  const routes = servedRoutes(config)
  const docs = await docsRoutes(routes, {
    brand: config.brand,
    introduction: introduction(config.brand, API_VERSION),
  })
  await limits.ready()

  const server = await createHttpServer({
    brand: config.brand,
    trustProxy: config.trust_proxy,
    authenticators: { api: createApiAuthenticator({ authenticate: authenticator.authenticate, limits, rate_per_key }) },
    checkAddressRate: createAddressLimit({ limits, rate_per_address }),
    rateLimitedPage: checkout.rateLimitedPage,
    frontPage: checkout.frontPage,
    routes: [...routes, ...webRoutes, ...docs],
    deps: {
      sql,
      reads,
      registry,
      limitsOf,
      createPayment,
      cancelPayment: createCancelPayment({ engine, endAttempt }),
      createSession: checkout.createSession,
      createPayout,
      createSettlement,
      createBatch: createCreateBatch({ engine, clock, settings, caps: config }),
      batches: { sql, clock, caps: config },
      untilBatchEnded: createFollowBatches({ sql }),
      batch_wait_seconds,
      rateHeaders,
      receiveCallback,
      pages: checkout.pages,
      simulatorPages: checkout.simulatorPages,
    },
    turns: createTurns({ alone_max: ALONE_MAX, waiting_max: rate_per_key, wait_max_ms: TURN_WAIT_MS, locks }),
    rateHeaders,
    onAnswered: requestLog.record,
    fault: 'payment_failed',
    ready,
    clock,
    log,
    metrics,
  })
  const address = await server.listen(config.port, config.host)
  origin.listening(address)
  return {
    address,
    async stop() {
      await server.stop()
      await Promise.all([requestLog.close(), authenticator.close()])
      limits.close()
    },
  }
}
