import { ConfigError, readConfig } from '../platform/config.ts'
import { EmbeddedPostgresError } from '../platform/postgres/embedded.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import { DatabaseUnreachableError } from '../platform/postgres/reach.ts'
import { adjustmentApprove, adjustmentList, adjustmentPropose, adjustmentRefuse } from './adjustment.ts'
import { anomalyApprove, anomalyList, anomalyOpen, anomalyPropose, anomalyRefuse, anomalyShow } from './anomaly.ts'
import { beneficiaryArchive, destinationCreate, destinationDesignate } from './beneficiary.ts'
import { type Command, CommandError, readOptions, usageOf } from './command.ts'
import { keyAllow, keyCreate, keyRevoke } from './key.ts'
import { linkClose, linkCreate, linkList, linkShow, sessionClose } from './link.ts'
import { listen } from './listen.ts'
import { merchantActivate, merchantCreate, merchantDeactivate } from './merchant.ts'
import { balance, deposit, feesSet, transfer } from './money.ts'
import { audit, migrate } from './operations.ts'
import {
  batchApprove,
  batchReject,
  capsSet,
  payoutsResume,
  payoutsStop,
  requestApprove,
  requestReject,
} from './payout.ts'
import { refundCancel, refundCreate, refundList, refundPaid, refundShow } from './refund.ts'
import { serve } from './serve.ts'
import {
  floorSet,
  settlementList,
  settlementPay,
  settlementReject,
  settlementShow,
  settlementValidate,
} from './settlement.ts'
import { statement } from './statement.ts'
import {
  endpointCreate,
  endpointDisable,
  endpointEnable,
  endpointRotate,
  endpointTest,
  eventReplay,
} from './webhook.ts'
import { openWorkbench } from './workbench.ts'

/** Every command, in the order in which they are listed. */
const commands: readonly Command[] = [
  serve,
  listen,
  migrate,
  audit,
  merchantCreate,
  merchantActivate,
  merchantDeactivate,
  keyCreate,
  keyAllow,
  keyRevoke,
  deposit,
  transfer,
  balance,
  feesSet,
  capsSet,
  requestApprove,
  requestReject,
  batchApprove,
  batchReject,
  payoutsStop,
  payoutsResume,
  refundCreate,
  refundPaid,
  refundCancel,
  refundList,
  refundShow,
  beneficiaryArchive,
  destinationCreate,
  destinationDesignate,
  floorSet,
  settlementList,
  settlementShow,
  settlementValidate,
  settlementReject,
  settlementPay,
  statement,
  linkCreate,
  linkClose,
  linkList,
  linkShow,
  sessionClose,
  endpointCreate,
  endpointTest,
  endpointEnable,
  endpointDisable,
  endpointRotate,
  eventReplay,
  anomalyList,
  anomalyShow,
  anomalyOpen,
  anomalyPropose,
  anomalyApprove,
  anomalyRefuse,
  adjustmentPropose,
  adjustmentApprove,
  adjustmentRefuse,
  adjustmentList,
]

/** Errors whose message is written for whoever typed the command or set the variables. Any other is shown with its trace. */
const saidPlainly = [CommandError, ConfigError, EmbeddedPostgresError, DatabaseUnreachableError]

process.exitCode = await main(process.argv.slice(2))

/** Runs the command that the words name and returns the exit code: 0, 1 when it failed, 2 when it was mistyped. */
async function main(words: string[]): Promise<number> {
  const command = commands.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)
  if (command === undefined) {
    const asked = ['help', '--help', '-h'].includes(words[0] ?? 'help')
    ;(asked ? process.stdout : process.stderr).write(`${overview()}\n`)
    return asked ? 0 : 2
  }
  try {
    const { values, json } = readOptions(command, words.slice(command.name.split(' ').length))
    const bench = openWorkbench(readConfig(process.env))
    try {
      const answer = await command.run(bench, values as never)
      if (answer !== null) process.stdout.write(`${json ? JSON.stringify(answer) : inLines(answer)}\n`)
    } finally {
      await bench.close()
    }
    return 0
  } catch (error) {
    if (saidPlainly.some((kind) => error instanceof kind)) {
      process.stderr.write(`${(error as Error).message}\n`)
      return error instanceof CommandError ? error.exitCode : 1
    }
    // Whatever belongs to a merchant refers to it, and the database says when there is none.
    if (violatedConstraint(error)?.endsWith('_merchant_id_fkey')) {
      process.stderr.write('There is no such merchant.\n')
      return 1
    }
    throw error
  }
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`)
  return `Usage: bandama <command> [options] [--json]\n\n${lines.join('\n')}\n\n${commands.map(usageOf).join('\n')}`
}

/** An answer for people: a field a line. */
function inLines(answer: object): string {
  return Object.entries(answer)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)}`)
    .join('\n')
}
