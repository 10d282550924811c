import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { sweepDifferences } from '../../src/reconciliation/differences/sweep-differences.ts'
import { printInProcess, RefusedCommand } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import type { Installation } from '../harness/installation.ts'
import { mode } from '../harness/mode.ts'
import { checkPayment } from './answers.ts'
import { type Collector, newCollector } from './collector.ts'
import { newNumber } from './sender.ts'

/** A row of Wave's export. `at`: its time; otherwise now. */
export type Moved = { number: string; amount: number; fee?: number; reference?: string; at?: Date; to?: string }

/** Our side of an operation. */
export type Order = { id: string; reference: string; connector: string; sent_at: Date }

/** Imports statements and runs commands about them as people do. */
export class StatementStand {
  readonly #installation: Installation
  readonly #folder: string
  readonly #env: Record<string, string | undefined>
  readonly collector: Collector
  #balance = 0
  #files = 0

  private constructor(installation: Installation, folder: string, collector: Collector) {
    this.#installation = installation
    this.#folder = folder
    this.collector = collector
    const { PATH, HOME } = process.env
    const SECRET_KEY = installation.services[0]!.secret_key
    this.#env = { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY }
  }

  static async open(installation: Installation): Promise<StatementStand> {
    const folder = await mkdtemp(join(tmpdir(), 'bandama-statements-'))
    return new StatementStand(installation, folder, await newCollector(installation))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Runs a command of the team and returns its JSON. @throws RefusedCommand */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own answer.
  async run(...words: string[]): Promise<any> {
    const printed = await printInProcess(words, this.#env)
    if (printed.code !== 0) throw new RefusedCommand(words, printed)
    return JSON.parse(printed.stdout)
  }

  /** A collection that succeeded. */
  async collect(amount: number): Promise<Order> {
    return this.#orderOf((await this.collector.collect(amount)).id)
  }

  /** A collection that the operator refused. */
  async collectRefused(amount: number): Promise<Order> {
    const { key } = this.collector.merchant
    const body = { amount, counterparty: { msisdn: newNumber('0002') } }
    const { id } = checkPayment(await this.#installation.pay(key, body), 201)
    await this.collector.untilPayment(id, 'failed')
    return this.#orderOf(id)
  }

  async #orderOf(id: string): Promise<Order> {
    const [row] = await this.#installation.db.sql<Order[]>`
      select subject_id as id, reference::text, connector, sent_at
        from instructions
       where subject_id = ${id}`
    return row!
  }

  /** Two people take a file back. */
  async withdraw(file_id: string): Promise<void> {
    const words = ['reconcile', 'withdraw', '--file', file_id, '--reason', 'Wrong', '--as', 'awa@example.com']
    const { proposal_id } = await this.run(...words)
    await this.run('reconcile', 'approve', '--id', proposal_id, '--as', 'ama@example.com')
    await this.sweep()
  }

  /** Compares at once what a service would compare in some seconds. */
  sweep(): Promise<void> {
    return sweepDifferences({ sql: this.#installation.db.sql, clock: createClock(), log: createLog('silent', 'test') })
  }

  /** Two people close an anomaly without any change. */
  async close(anomaly_id: string): Promise<void> {
    const words = ['anomaly', 'propose', '--id', anomaly_id, '--resolution', 'nothing', '--reason', 'Seen']
    await this.run(...words, '--as', 'awa@example.com')
    await this.run('anomaly', 'approve', '--id', anomaly_id, '--as', 'ama@example.com')
    // The first sweep finds the decision, and the second one what has room since.
    await this.sweep()
    await this.sweep()
  }

  /** Imports Wave's export of these movements. */
  async importRows(target: readonly string[], rows: readonly Moved[], ...options: string[]) {
    const lines = rows.map(({ number, amount, fee = 0, reference = '', at = new Date(), to = '' }) => {
      this.#balance += amount
      const time = `${at.toISOString().slice(0, 19).replace('T', ' ')}+00:00`
      return `${time},${number},${amount < 0 ? 'api_payout' : 'api_checkout'},${amount},${fee},${this.#balance},XOF,${to},${reference}\n`
    })
    const titles =
      'timestamp,transaction_id,transaction_type,amount,fee,balance,currency,counterparty_mobile,client_reference\n'
    this.#files += 1
    const path = join(this.#folder, `file-${this.#files}.csv`)
    await writeFile(path, titles + lines.join(''))
    const words = ['reconcile', 'import', ...target, '--file', path, '--as', 'awa@example.com', '--mode', mode]
    return this.run(...words, ...options)
  }
}
