import { Counter, Gauge, type Registry as Metrics } from 'prom-client'
import { findKeyOf } from '../api-keys/find-keys.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { WatchedAct } from '../audit-log/watched-acts.ts'
import { expireSessions } from '../checkout/expire-sessions.ts'
import { endAttempt } from '../checkout/follow-payments.ts'
import { writeCodeMail } from '../console/notices/write-code-mail.ts'
import { writeMail } from '../console/notices/write-mail.ts'
import { writePush } from '../console/notices/write-push.ts'
import type { ScreenDoor } from '../console/screen.ts'
import { createFillListings } from '../listings/fill-listings.ts'
import { createReceiveCallback } from '../operators/callbacks/receive-callback.ts'
import type { ContractDirectory } from '../operators/contracts/contract-directory.ts'
import type { Conclusions } from '../operators/doubts/conclude-by-hand.ts'
import { askDueBalances } from '../operators/float/ask-balance.ts'
import { createNumberKnowledge, type NumberKnowledge } from '../operators/prediction/number-knowledge.ts'
import { type CheckRecipient, createCheckRecipient } from '../operators/recipients/check-recipient.ts'
import type { Circuits } from '../operators/routing/circuit.ts'
import { createRegistry, type Registry } from '../operators/routing/registry.ts'
import { createBeginSending } from '../operators/sending/begin-sending.ts'
import { createLookAgain, createQueryOperator } from '../operators/sending/query-operator.ts'
import type { MovedAfterRefusal, RecordAnswer } from '../operators/sending/record/received-answer.ts'
import { createRecordAnswer } from '../operators/sending/record-answer.ts'
import {
  createSendAgain,
  createSendGroup,
  createSendInstruction,
  createSendPrepared,
} from '../operators/sending/send-instruction.ts'
import { createSendTerms } from '../operators/sending/send-terms.ts'
import { createSweepInstructions, createSweepLooks } from '../operators/sending/sweep.ts'
import { createUnreadableAnswers } from '../operators/sending/unreadable-answers.ts'
import { createSimulator, createSimulatorCallBack } from '../operators/simulator/connector.ts'
import { withSimulator } from '../operators/simulator/with-simulator.ts'
import { recheckPreparedPayouts } from '../operators/store.ts'
import { createCountWeather } from '../operators/weather/count-weather.ts'
import { markPaymentSending } from '../payments/collect-payment.ts'
import { createConcludePayment } from '../payments/conclude-payment.ts'
import { createTellOfPayments } from '../payments/told/tell-of-payments.ts'
import { createCheckLines } from '../payout-batches/check-batch.ts'
import { approveBatch } from '../payout-batches/decide-batch.ts'
import { followPayout } from '../payout-batches/follow-lines.ts'
import { carryOutAlone } from '../payouts/alone/carry-out-alone.ts'
import { createConcludePayout, markPayoutSending } from '../payouts/conclude-payout.ts'
import { expireRequests } from '../payouts/decide-request.ts'
import { createTellOfStop } from '../payouts/tell-of-stop.ts'
import { factorKey } from '../people/factors/factor-deps.ts'
import { notify } from '../people/notices/notify.ts'
import { createSendNotices } from '../people/notices/send-notices.ts'
import { STAFF } from '../people/person.ts'
import { createSendPush } from '../people/push/send-push.ts'
import { createSendMailCode } from '../people/sign-in/mail-code.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, derivedKey } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import type { Log } from '../platform/log.ts'
import { createMailer } from '../platform/mail/mailer.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { assignLine, type MerchantsHalf } from '../reconciliation/differences/assign-to-merchant.ts'
import { sweepDifferences } from '../reconciliation/differences/sweep-differences.ts'
import { concludeRefund, markRefundSending } from '../refunds/conclude-refund.ts'
import { readTakings } from '../screens/home/takings.ts'
import { runSchedules } from '../settlements/run-schedules.ts'
import { sweepFiles } from '../statement-files/import/sweep-files.ts'
import { pullStatements } from '../statement-files/pulls/pull-statements.ts'
import type { Secret } from '../values/secret.ts'
import { createDeliverer } from '../webhooks/delivery/deliver.ts'
import { bookCharge } from './book-charge.ts'
import { createSurroundings } from './contracts.ts'
import { createRemindOfReports, followIncidents } from './incidents/follow-incidents.ts'
import { createLapseProposals } from './lapse-proposals.ts'
import { createPublicOrigin, type PublicOrigin, signInOrigin } from './public-origin.ts'
import { createPush } from './push.ts'
import { createEvaluateRules } from './rules/evaluate-rules.ts'
import { readState } from './rules/read-status.ts'
import { createTellOfRules, createWatchCalls } from './rules/tell-of-rules.ts'
import { createImportDeps } from './statement-reading.ts'

type Dependencies = {
  sql: Sql
  config: Config
  secretKey: Secret
  origin: PublicOrigin
  egress: Egress
  clock: Clock
  log: Log
  metrics: Metrics
  contracts: ContractDirectory
  circuits: Circuits
}

/** The operators of this service: the simulator, and those with a contract. */
export function createOperators({
  sql,
  config,
  secretKey,
  origin = createPublicOrigin(config),
  clock,
  contracts,
  circuits,
}: Pick<Dependencies, 'sql' | 'config' | 'secretKey' | 'clock' | 'contracts'> & {
  origin?: PublicOrigin
  circuits?: Circuits
}) {
  const callbackKey = derivedKey(secretKey, 'simulator callbacks')
  const simulator = createSimulator({ sql, delay_ms: config.simulator_delay_ms, callbackKey, origin: origin.get })
  const registry = createRegistry(withSimulator(simulator, contracts), circuits)
  return { registry, callbackKey, receiveCallback: createReceiveCallback({ sql, registry, clock }) }
}

/** Makes the check of recipients, for any process. */
export function createRecipientChecks({
  sql,
  config,
  secretKey,
  clock,
  log,
  registry,
}: Pick<Dependencies, 'sql' | 'config' | 'secretKey' | 'clock' | 'log'> & { registry: Registry }): CheckRecipient {
  const key = derivedKey(secretKey, 'recipient checks')
  return createCheckRecipient({ sql, registry, clock, log, key, per_number: config.recipient_checks_per_number })
}

const concludePayment = createConcludePayment(endAttempt)

/**
 * The effects of an instruction's end on its payment, payout or refund, and of its charge on the ledger, whether an
 * operator or two people established the end. This is the only place that binds them.
 */
export const conclusions: Conclusions = {
  collect: (concluded) => [concludePayment(concluded)],
  payout: createConcludePayout(followPayout),
  refund: concludeRefund,
  charge: bookCharge,
}

/** Makes the recorder of operators' answers to sends, inquiries and payers' codes, for any process. */
export function createRecorder({
  sql,
  config,
  clock,
  log,
  metrics,
  registry,
  numbers,
}: Pick<Dependencies, 'sql' | 'clock' | 'log' | 'metrics'> & {
  config: Pick<Config, 'late_looks_seconds'>
  registry: Registry
  numbers: NumberKnowledge
}): RecordAnswer {
  const noteForm = createUnreadableAnswers(log, createTellForm(metrics))
  const record = createRecordAnswer({
    sql,
    clock,
    log,
    registry,
    conclude: conclusions,
    late_looks: config.late_looks_seconds,
    tellMoved: createTellMoved(metrics),
    numbers,
  })
  return (received) => {
    noteForm(received)
    return record(received)
  }
}

/** Makes the metric of the answers of connectors that nobody can read. */
function createTellForm(metrics: Metrics) {
  const name = 'bandama_connector_unreadable_answers'
  const known = metrics.getSingleMetric(name) as Gauge<'connector'> | undefined
  const help = 'Answers of the operator in a row that nobody can read; 0 after one that somebody can.'
  const gauge = known ?? new Gauge({ name, help, labelNames: ['connector'], registers: [metrics] })
  return (connector: string, in_a_row: number): void => gauge.set({ connector }, in_a_row)
}

/** Makes the metric and the line of the log of statement files that are given up. */
function createTellGivenUp(metrics: Metrics, log: Log) {
  const name = 'bandama_statement_files_given_up_total'
  const known = metrics.getSingleMetric(name) as Counter | undefined
  const help = 'Statement files whose lines could not be written, however often the service tried.'
  const counter = known ?? new Counter({ name, help, registers: [metrics] })
  return (file_id: string): void => {
    counter.inc()
    log.error({ file_id }, 'statement file given up')
  }
}

/** Makes the notice to the staff about a day that an operator did not list, or of which nobody can read the list, and its metric. */
function createTellUnlisted(metrics: Metrics) {
  const name = 'bandama_statements_not_listed_total'
  const known = metrics.getSingleMetric(name) as Counter<'account'> | undefined
  const help = 'Days of an account that its operator did not list, however often it was asked, or listed unreadably.'
  const counter = known ?? new Counter({ name, help, labelNames: ['account'], registers: [metrics] })
  return (tx: Tx, { account, livemode }: { account: string; livemode: boolean }): void => {
    notify(tx, { name: 'statement_missing', about: { merchant_id: STAFF, livemode }, subject: account })
    tx.afterCommit(() => counter.inc({ account }))
  }
}

/** Makes the notice to the staff about money that moved after its operator had refused the order, and its metric. */
function createTellMoved(metrics: Metrics) {
  const name = 'bandama_moved_after_refusal_total'
  const known = metrics.getSingleMetric(name) as Counter<'connector'> | undefined
  const help = 'Orders of which the operator says that the money moved, after it had refused them.'
  const counter = known ?? new Counter({ name, help, labelNames: ['connector'], registers: [metrics] })
  return (tx: Tx, moved: readonly MovedAfterRefusal[]): void => {
    for (const { id: subject, livemode } of moved)
      notify(tx, { name: 'moved_after_refusal', about: { merchant_id: STAFF, livemode }, subject })
    tx.afterCommit(() => {
      for (const { connector } of moved) counter.inc({ connector: connector ?? '' })
    })
  }
}

/** Wires all work behind the requests. Here lower layers receive functions of the layers above them. */
export function createWork(deps: Dependencies) {
  const { sql, config, secretKey, egress, clock, log, metrics } = deps
  const { registry, callbackKey, receiveCallback } = createOperators(deps)
  const numbers = createNumberKnowledge({ sql, secretKey, log })
  const record = createRecorder({ sql, config, clock, log, metrics, registry, numbers })
  const expiry_hours = config.payment_expiry_hours
  const begin = createBeginSending({
    sql,
    clock,
    log,
    registry,
    mark: {
      collect: markPaymentSending(clock, endAttempt),
      payout: markPayoutSending(followPayout),
      refund: markRefundSending,
    },
    termsOf: createSendTerms(registry),
    conclude: conclusions.collect,
    expiry_hours,
  })
  const send = createSendInstruction({ registry, log, record })
  const queryOperator = createQueryOperator({ sql, log, registry, record, sendAgain: createSendAgain({ begin, send }) })
  const sweepInstructions = createSweepInstructions({ sql, log, record, expiry_hours })
  const deliverer = createDeliverer({
    sql,
    secretKey,
    brand: config.brand,
    egress,
    log,
    clock,
    registry: metrics,
  })
  return {
    sendGroup: createSendGroup({ sql, begin, send, queryOperator }),
    sendPrepared: createSendPrepared({ begin, send, queryOperator }),
    queryOperator,
    lookAgain: createLookAgain(queryOperator),
    sweepInstructions,
    recheckPayouts: () => recheckPreparedPayouts(sql),
    tellOfStop: createTellOfStop({ sql, clock }),
    readStatements: async () => {
      const taken = await sweepFiles(createImportDeps({ sql, secretKey, clock }), log, createTellGivenUp(metrics, log))
      await sweepDifferences({ sql, clock, log })
      return taken
    },
    pullStatements: () =>
      pullStatements({
        imports: createImportDeps({ sql, secretKey, clock }),
        surroundings: createSurroundings({ secretKey, origin: deps.origin, config }),
        log,
        tellGivenUp: createTellUnlisted(metrics),
      }),
    assignLine: (half: MerchantsHalf) => assignLine(sql, half),
    tellOfPayments: createTellOfPayments({
      sql,
      clock,
      log,
      takingsOf: (tenant, day) => readTakings(sql, tenant, day),
    }),
    sweepLooks: createSweepLooks({ sql, log, late_looks: config.late_looks_seconds }),
    countWeather: createCountWeather({ sql }),
    fillListings: createFillListings({ sql }),
    checkLines: createCheckLines({
      sql,
      clock,
      checkRecipient: createRecipientChecks({ sql, config, secretKey, clock, log, registry }),
    }),
    askBalances: () => askDueBalances(deps, config.connector_balance_minutes),
    expireSessions: () => expireSessions({ sql, clock, log }),
    expireRequests: () => expireRequests({ sql, clock, log }),
    lapseProposals: createLapseProposals(deps),
    carryOutAlone: () =>
      carryOutAlone({ sql, clock, log, payoutCaps: config, approveBatch, proposal_days: config.proposal_days }),
    runSchedules: () => runSchedules({ sql, clock, log, settlementRules: config }),
    simulatorCallBack: createSimulatorCallBack(callbackKey, receiveCallback),
    ...createMails(deps),
    ...createWatch(deps),
    deliver: deliverer.deliver,
    deliverNew: deliverer.deliverNew,
    sweepDeliveries: deliverer.sweep,
    async close() {
      await Promise.all([deliverer.close(), numbers.settled()])
    },
  }
}

/** Makes the evaluation of rules, and the calls that tell of it. */
function createWatch({ sql, config, egress, clock, log }: Dependencies) {
  const { notice_url, rule_time_percent: for_percent } = config
  const tell = createTellOfRules({ notice_url, log, now: () => clock.now() })
  return {
    evaluateRules: createEvaluateRules({ sql, tell, follow: followIncidents, for_percent }),
    remindOfReports: createRemindOfReports({ sql, notice_url, log }),
    readState: () => readState(sql),
    ...createWatchCalls({ ...config, egress, log }),
  }
}

/** Makes the mails and pushes to people: notices, and the codes that prove addresses. Without a mail server they do nothing. */
function createMails({ sql, config, origin, secretKey, egress, clock, log }: Dependencies) {
  const brand = config.brand.name
  const originOf = (door: ScreenDoor) => signInOrigin(config, door === 'desk', origin.get())
  const mailer = config.mail === null ? null : createMailer({ ...config.mail, name: brand })
  const sending = { sql, clock, log, mailer }
  return {
    /** Addresses the notice of an act that one person did alone to finance, apart from its author. */
    tellOfAct: ({ act, actor, livemode, merchant_id }: WatchedAct) =>
      sql.begin(async (tx) => {
        const facts = { act, actor, merchant: merchant_id === WHOLE_SERVICE ? '–' : String(merchant_id) }
        notify(tx, { name: 'act_alone', about: { merchant_id: STAFF, livemode }, except: [actor], facts })
      }),
    notices: createSendNotices({
      ...sending,
      write: (mail) => writeMail({ brand, originOf }, mail),
      makerOfKey: async (tenant, key_id) => (await findKeyOf(sql, tenant, key_id))?.created_by ?? null,
    }),
    sendPush: createSendPush({
      ...{ sql, clock, log, egress },
      devices: createPush({ sql, secretKey, egress }),
      write: (notice, to) => writePush({ brand, originOf }, notice, to),
      // Push services accept only an https address of a service that is public.
      contact: () => (originOf('console').startsWith('https:') ? originOf('console') : 'mailto:operations@localhost'),
    }),
    sendMailCode: createSendMailCode({
      ...sending,
      key: factorKey(secretKey),
      writeCode: (code, language) => writeCodeMail(brand, code, language),
    }),
  }
}

export type Work = ReturnType<typeof createWork>
