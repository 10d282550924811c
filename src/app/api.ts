import type { Registry as Metrics } from 'prom-client'
import { createAuthenticator } from '../api-keys/authenticate.ts'
import { endAttempt } from '../checkout/follow-payments.ts'
import { lockSessions } from '../checkout/take-attempts.ts'
import { writeFaultPage, writeRateLimitedPage } from '../console/fault-page.ts'
import { leadWithoutSlash } from '../console/without-slash.ts'
import { docsRoutes } from '../docs/routes.ts'
import { createDocs } from '../docs/serve-docs.ts'
import { openAccounts } from '../ledger/open-accounts.ts'
import { createCountPaymentsAbove } from '../listings/count-amounts.ts'
import { createExportFile } from '../listings/export-file.ts'
import { paymentMax, uncheckedMax } from '../merchants/payment-limit.ts'
import { createMerchantSettings } from '../merchants/settings.ts'
import { createCanRefund } from '../operators/can-refund.ts'
import { createCollectsFromNumber } from '../operators/collects-from-number.ts'
import type { ContractDirectory } from '../operators/contracts/contract-directory.ts'
import { silencesOf } from '../operators/doubts/find-doubts.ts'
import { createOrderKeys } from '../operators/order-keys.ts'
import { createNumberKnowledge } from '../operators/prediction/number-knowledge.ts'
import type { Circuits } from '../operators/routing/circuit.ts'
import { createSubmitCode } from '../operators/sending/submit-code.ts'
import { followWeather, type WeatherReport } from '../operators/weather/follow-weather.ts'
import { createCancelPayment } from '../payments/cancel-payment.ts'
import { createCreatePayment } from '../payments/create-payment.ts'
import { createSubmitPaymentCode } from '../payments/submit-payment-code.ts'
import { createCheckBatch } from '../payout-batches/check-batch.ts'
import { createCreateBatch } from '../payout-batches/create-batch.ts'
import { createFollowBatches } from '../payout-batches/execute-batch.ts'
import { followPayout } from '../payout-batches/follow-lines.ts'
import { createCancelPayout } from '../payouts/cancel-payout.ts'
import { readCaps } from '../payouts/caps/read-caps.ts'
import { createCheckDestination } from '../payouts/check-recipient.ts'
import { createCreatePayout } from '../payouts/create-payout.ts'
import { tellOfKey } from '../people/notices/tell-of-key.ts'
import type { Clock } from '../platform/clock.ts'
import { createEngine, type Engine } from '../platform/commands/engine.ts'
import { type Config, derivedKey } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import { contractRoutes } from '../platform/http/docs.ts'
import { createHttpServer } from '../platform/http/server.ts'
import { createTurns } from '../platform/http/turns.ts'
import { createLimits, headersFor, type Limits } from '../platform/limits/windows.ts'
import type { Log } from '../platform/log.ts'
import { createOwnerLocks, type OwnerLocks } from '../platform/owner-locks.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { createRequestLog } from '../request-log/request-log.ts'
import { sdkRoutes } from '../sdk/routes.ts'
import { createSdk } from '../sdk/serve-sdk.ts'
import { createCreateSettlement } from '../settlements/create-settlement.ts'
import { createWithdrawFirst } from '../settlements/withdraw-first.ts'
import type { Caller, Tenant } from '../values/caller.ts'
import type { Secret } from '../values/secret.ts'
import { createCursors } from '../webhooks/feed/cursor.ts'
import { createFeedWaits, type FeedWaits } from '../webhooks/feed/feed-waits.ts'
import { createFollowFeed } from '../webhooks/feed/follow-feed.ts'
import { createAddressLimit, createApiAuthenticator } from './authenticators.ts'
import { createCheckout } from './checkout.ts'
import { createConsole } from './console.ts'
import { createSurroundings } from './contracts.ts'
import { describeApi, homeOf } from './documentation.ts'
import { checkLive } from './live-check.ts'
import { hasConsole, type PublicOrigin } from './public-origin.ts'
import { consoleRoutes, servedRoutes, webRoutes } from './routes.ts'
import { conclusions, createOperators, createRecipientChecks, createRecorder } from './work.ts'

export type Readiness = { ok: boolean; checks: Record<string, boolean> }

/**
 * Most calls with a transaction of their own at once. Together with the batches they use fewer connections than this
 * role's pool has (run-roles.ts).
 */
const ALONE_MAX = 4
/** The same for calls of pages and callbacks, which have no key; two of each link, session or address. */
const OPEN_MAX = 4
/** Most milliseconds that a call waits for its turn. */
const TURN_WAIT_MS = 10_000

type ApiDependencies = {
  sql: Sql
  /** Connections for reads that may be slightly behind: a replica, if there is one. */
  reads: Db
  /** A separate pool for exports. */
  exports: Sql
  config: Config
  secretKey: Secret
  origin: PublicOrigin
  clock: Clock
  log: Log
  metrics: Metrics
  contracts: ContractDirectory
  circuits: Circuits
  egress: Egress
  ready: () => Promise<Readiness>
}

/**
 * Builds the HTTP server with all its dependencies, listens on HOST and PORT, and returns the address.
 * @param stops gets the end of each part as soon as the part is started, because a later one may fail
 */
export async function startApi(deps: ApiDependencies, stops: (() => Promise<unknown>)[]): Promise<string> {
  const { sql, config, origin, clock, log, metrics, ready } = deps
  const limits = createApiLimits(deps)
  stops.push(async () => limits.close())
  const authenticator = createAuthenticator({ sql, clock, log })
  stops.push(() => authenticator.close())
  const requestLog = createRequestLog({ sql, log, registry: metrics })
  stops.push(() => requestLog.close())
  const locks = createOwnerLocks()
  const rateHeaders = async ({ key_id }: Pick<Caller, 'key_id'>) =>
    headersFor(await limits.look('key', key_id, config.rate_per_key))
  const weather = followWeather({ sql, log })
  stops.push(() => weather.stop())
  const feedWaits = createFeedWaits({ sql })
  const sdk = createSdk({ sql, brand_name: config.brand.name, origin: origin.get, log })
  const document = await describeApi(config)
  const docs = createDocs({ document, home: () => homeOf(config, origin.get(), servesSdk(config) ? sdk : null), log })
  const { checkout, operations } = createOperations({ ...deps, limits, locks, weather, feedWaits })
  stops.push(() => operations.numbers.settled())
  await limits.ready()

  const server = await createHttpServer({
    brand: config.brand,
    trustProxy: config.trust_proxy,
    authenticators: {
      api: createApiAuthenticator({
        authenticate: authenticator.authenticate,
        limits,
        rate_per_key: config.rate_per_key,
      }),
    },
    addressRate: createAddressLimit({ limits, ...config }),
    rateLimitedPage: (request, refusal, request_id) =>
      checkout.refusals.rateLimited(request, refusal, request_id) ??
      writeRateLimitedPage(operations.console, request, refusal, request_id),
    faultPage: (request, request_id) =>
      checkout.refusals.failed(request, request_id) ?? writeFaultPage(operations.console, request, request_id),
    unlisted: (request, request_id) =>
      leadWithoutSlash(request, operations.console) ?? checkout.frontPage(request, request_id),
    routes: await routesOf(config, document),
    deps: { ...operations, sdk, docs, rateHeaders },
    turns: createTurns({
      alone_max: ALONE_MAX,
      waiting_max: config.rate_per_key,
      wait_max_ms: TURN_WAIT_MS,
      locks,
    }),
    openTurns: createTurns({
      alone_max: OPEN_MAX,
      waiting_max: config.rate_per_address,
      wait_max_ms: TURN_WAIT_MS,
      locks,
    }),
    rateHeaders,
    onAnswered: requestLog.record,
    fault: 'payment_failed',
    ready,
    clock,
    log,
    metrics,
  })
  stops.push(() => server.stop())
  // Before the server, which answers those who wait.
  stops.push(async () => feedWaits.stop())
  const address = await server.listen(config.port, config.host)
  if (config.console && !hasConsole(config)) {
    log.warn(
      'console: disabled, because sign-in needs https or this machine; set PUBLIC_URL, or CONSOLE_URL and STAFF_URL, to https addresses',
    )
  }
  origin.listening(address)
  if (servesSdk(config)) {
    const prepared = sdk.prepare()
    stops.push(() => prepared)
  }
  return address
}

function createApiLimits({ config, secretKey, clock, log, metrics }: ApiDependencies): Limits {
  return createLimits({
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
}

/** All routes, and the documents about them. */
async function routesOf(config: Config, document: unknown) {
  const ofPeople = hasConsole(config) ? consoleRoutes : []
  const ofSdk = servesSdk(config) ? sdkRoutes : []
  const described = await contractRoutes(document, config.brand)
  return [...servedRoutes(config), ...webRoutes, ...ofSdk, ...ofPeople, ...described, ...docsRoutes]
}

function servesSdk({ sdk, extensions }: Config): boolean {
  return sdk && extensions
}

/** The operations behind the routes, and the pages. They share one engine and therefore its batches. */
function createOperations(
  deps: ApiDependencies & { limits: Limits; locks: OwnerLocks; weather: WeatherReport; feedWaits: FeedWaits },
) {
  const { sql, reads, config, secretKey, origin, clock, log, metrics, limits, locks } = deps
  const settings = createMerchantSettings({ sql })
  const engine = createEngine({ sql, clock, locks })
  const { batch_wait_seconds } = config
  const { payerAttempts } = limits
  const orderKeyOf = createOrderKeys({ sql })
  const createPayment = createCreatePayment({
    engine,
    clock,
    settings,
    orderKeyOf,
    payerAttempts,
    limits: config,
    lockSessions,
  })
  const { receiveCallback, registry } = createOperators(deps)
  const surroundings = createSurroundings({ secretKey, origin, config })
  const numbers = createNumberKnowledge({ sql, secretKey, log })
  const record = createRecorder({ sql, config, clock, log, metrics, registry, numbers })
  const submitCode = createSubmitCode({ sql, log, registry, record })
  const shared = {
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
    orderKeyOf,
    registry,
    weather: deps.weather,
    submitCode,
    numbers,
  }
  const checkout = createCheckout(shared)
  const exportFile = createExportFile({ sql, exports: deps.exports, clock })
  const operations = {
    sql,
    reads,
    clock,
    settings,
    payoutCaps: config,
    secondPersonAbove: config.second_person_above,
    countPaymentsAbove: createCountPaymentsAbove({ reads, clock }),
    usualTerms: config,
    openAccounts,
    is_checked: false,
    surroundings,
    checkLive: () => checkLive({ sql, surroundings, config }),
    registry,
    canRefund: createCanRefund(registry),
    collectsFromNumber: createCollectsFromNumber(registry),
    numbers,
    weather: deps.weather,
    limitsOf: createReadLimits({ sql, config, settings }),
    createPayment,
    cancelPayment: createCancelPayment({ engine, endAttempt }),
    submitPaymentCode: createSubmitPaymentCode({ sql, submitCode }),
    createSession: checkout.createSession,
    ...checkout.linkOperations,
    ...createMoneyOut({ ...deps, engine, settings, orderKeyOf, registry }),
    batch_wait_seconds,
    receiveCallback,
    pages: checkout.pages,
    links: checkout.links,
    sales: checkout.sales,
    statements: { sql, reads, clock, brand: config.brand.name },
    console: createConsole({ ...shared, locks, egress: deps.egress }),
    exportFile,
    silences: silencesOf(config),
    conclusions,
    key_prefix: config.brand.key_prefix,
    onWaiting: tellOfKey,
    secretKey,
    webhooks: { sql, secretKey, egress: deps.egress, clock },
    followFeed: createFeed(deps),
    simulatorPages: checkout.simulatorPages,
  }
  return { checkout, operations }
}

function createFeed({ sql, secretKey, feedWaits: waits }: ApiDependencies & { feedWaits: FeedWaits }) {
  return createFollowFeed({ sql, waits, cursors: createCursors(derivedKey(secretKey, 'cursors of the feed')) })
}

type ReadSettings = ReturnType<typeof createMerchantSettings>

/** The operations by which money leaves: payouts, batches, settlements. */
function createMoneyOut(
  deps: Pick<ApiDependencies, 'sql' | 'config' | 'secretKey' | 'clock' | 'log'> & {
    limits: Limits
    engine: Engine
    settings: ReadSettings
    orderKeyOf: ReturnType<typeof createOrderKeys>
    registry: ReturnType<typeof createOperators>['registry']
  },
) {
  const { sql, config, clock, limits, engine, settings, orderKeyOf } = deps
  const { payout_request_expiry_days: request_expiry_days, recipient_checks_per_merchant: per_merchant } = config
  return {
    createPayout: createCreatePayout({ engine, clock, settings, orderKeyOf, caps: config, request_expiry_days }),
    ...{ orderKeyOf, payout_request_expiry_days: request_expiry_days },
    cancelPayout: createCancelPayout({ engine, follow: followPayout }),
    checkDestination: createCheckDestination({
      ...{ sql, clock, limits, per_merchant },
      checkRecipient: createRecipientChecks(deps),
    }),
    createSettlement: createCreateSettlement({ engine, rules: config }),
    settlementRules: config,
    withdrawFirst: createWithdrawFirst(config),
    depositAccount: config.deposit_account,
    checkBatch: createCheckBatch({ sql, clock, limits, per_merchant }),
    createBatch: createCreateBatch({ engine, clock, settings, orderKeyOf, caps: config }),
    batches: { sql, clock, caps: config },
    untilBatchEnded: createFollowBatches({ sql }),
  }
}

/** Reads the limits of a merchant: its own, or else the service's. */
function createReadLimits({ sql, config, settings }: { sql: Sql; config: Config; settings: ReadSettings }) {
  return async ({ merchant_id, livemode }: Tenant) => {
    const [merchant, caps] = await Promise.all([
      settings(merchant_id),
      readCaps(sql, { merchant_id, livemode }, config),
    ])
    return {
      collection_amount_max: paymentMax(merchant, { livemode }, config),
      payout_cap_operation: caps.operation,
      payout_cap_day: Math.min(caps.day, uncheckedMax(merchant, { livemode }, config) ?? caps.day),
    }
  }
}
