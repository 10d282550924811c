import { createAddresses } from '../checkout/addresses.ts'
import { createCreateSession } from '../checkout/create-session.ts'
import { createLinkOperations } from '../checkout/link-commands.ts'
import { createNonces } from '../checkout/nonces.ts'
import { createFrontPage } from '../checkout/page/front-page.ts'
import { createPayerRefusals } from '../checkout/page/payer-refusals.ts'
import { createReadReturn } from '../checkout/page/read-return.ts'
import { createPages } from '../checkout/page/serve-pages.ts'
import { createShowSimulator } from '../checkout/page/show-simulator.ts'
import { pageViews } from '../checkout/page/views.ts'
import { createOpenSession } from '../checkout/pay-link.ts'
import { createPaySession } from '../checkout/pay-session.ts'
import { createPrepareAsk } from '../checkout/prepare-ask.ts'
import { createReceipts } from '../checkout/receipts.ts'
import { createSubmitPayerCode } from '../checkout/submit-payer-code.ts'
import type { ReadSettings } from '../merchants/fees.ts'
import { paymentMax } from '../merchants/payment-limit.ts'
import type { OrderKeys } from '../operators/order-keys.ts'
import type { NumberKnowledge } from '../operators/prediction/number-knowledge.ts'
import type { Registry } from '../operators/routing/registry.ts'
import { isWithin } from '../operators/routing/route-order.ts'
import type { SubmitCode } from '../operators/sending/submit-code.ts'
import type { SimulatorPages } from '../operators/simulator/app-page.ts'
import type { WeatherReport } from '../operators/weather/follow-weather.ts'
import { isBad } from '../operators/weather/weather.ts'
import type { CreatePayment } from '../payments/create-payment.ts'
import type { Clock } from '../platform/clock.ts'
import type { Engine } from '../platform/commands/engine.ts'
import type { Config } from '../platform/config.ts'
import type { Limits } from '../platform/limits/windows.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { operatorCodes } from '../values/operators.ts'
import type { Secret } from '../values/secret.ts'
import type { PublicOrigin } from './public-origin.ts'

type Dependencies = {
  sql: Sql
  engine: Engine
  config: Config
  secretKey: Secret
  origin: PublicOrigin
  clock: Clock
  log: Log
  limits: Limits
  settings: ReadSettings
  createPayment: CreatePayment
  orderKeyOf: OrderKeys
  registry: Registry
  weather: Pick<WeatherReport, 'at'>
  submitCode: SubmitCode
  numbers: NumberKnowledge
}

/** The facts by which the page offers an operator to a payer: whether it takes a merchant's payments, answers, fails often, and takes the amount. */
function createOperatorFacts(registry: Registry, weather: Pick<WeatherReport, 'at'>) {
  const connectorFor = ({ merchant_id, livemode }: Tenant, operator: string) =>
    registry.connectorFor({ merchant_id, livemode, operator, direction: 'collect' })
  return {
    takes: (merchant: Tenant, operator: string) =>
      connectorFor(merchant, operator)?.capabilitiesOf(operator)?.collect === true,
    answers(merchant: Tenant, operator: string) {
      const connector = connectorFor(merchant, operator)
      return connector !== null && registry.admits(connector, '')
    },
    fails: ({ livemode }: Pick<Tenant, 'livemode'>, operator: string) =>
      isBad(weather.at({ livemode, operator, direction: 'collect' }).last_15_minutes),
    fits({ merchant_id, livemode }: Tenant, operator: string, amount: number) {
      const bounds = registry.boundsFor({ merchant_id, livemode, operator, direction: 'collect' })
      return bounds === null || isWithin(bounds, amount)
    },
  }
}

/** Wires the hosted page: the operations that the API needs to make sessions, and the pages that payers see. */
export function createCheckout(deps: Dependencies) {
  const {
    sql,
    engine,
    config,
    secretKey,
    clock,
    log,
    limits,
    settings,
    createPayment,
    registry,
    weather,
    submitCode,
    numbers,
  } = deps
  const { checkout_session_minutes: session_minutes } = config
  const addresses = createAddresses({ secretKey, origin: deps.origin.get })
  const nonces = createNonces({ secretKey, clock })
  const operators = createOperatorFacts(registry, weather)
  const pages = createPages({
    sql,
    clock,
    log,
    brand_name: config.brand.name,
    views: pageViews,
    addresses,
    nonces,
    receipts: createReceipts({ secretKey }),
    settings,
    ...operators,
    limits,
    paySession: createPaySession({ sql, nonces, createPayment }),
    openSession: createOpenSession({
      sql,
      engine,
      clock,
      addresses,
      nonces,
      settings,
      limits: config,
      session_minutes,
    }),
    submitCode: createSubmitPayerCode({ sql, submitCode }),
    predictOperator: numbers.predict,
    readReturn: createReadReturn(sql),
    pages_per_address: config.pages_per_address,
    page_guesses_per_address: config.page_guesses_per_address,
    page_attempts_per_address: config.page_attempts_per_address,
  })
  const shown = { views: pageViews, brand_name: config.brand.name, origin: deps.origin.get }
  const simulatorPages: SimulatorPages = {
    sql,
    delay_ms: config.simulator_delay_ms,
    show: createShowSimulator(shown),
  }
  return {
    links: {
      ...{ sql, clock, addresses, session_minutes },
      amountMax: async (tenant: Tenant) => paymentMax(await settings(tenant.merchant_id), tenant, config),
    },
    sales: {
      nonces,
      prepareAsk: createPrepareAsk({
        ...{ clock, settings, orderKeyOf: deps.orderKeyOf, ...operators },
        payerAttempts: limits.payerAttempts,
        paymentLimits: config,
        limits,
        predictOperator: numbers.predict,
      }),
    },
    pages,
    simulatorPages,
    refusals: createPayerRefusals(shown),
    frontPage: createFrontPage(shown),
    linkOperations: createLinkOperations({ engine, addresses, settings, limits: config }),
    createSession: createCreateSession({
      ...{ engine, addresses, settings, clock },
      collectorsFor(merchant, amount_collected) {
        const able = operatorCodes.filter((operator) => operators.takes(merchant, operator))
        if (able.length === 0) return 'none'
        return able.some((operator) => operators.fits(merchant, operator, amount_collected)) ? 'some' : 'other_amounts'
      },
      limits: config,
      session_minutes,
    }),
  }
}
