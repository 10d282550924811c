import type pg from 'pg'
import { isConnectionLost, isRefusedForAnother } from '../failures.ts'
import { order, type Queries, rowsOf } from './queries.ts'
import type { Send } from './statement.ts'

/**
 * Runs a transaction on a connection, then releases the connection. It begins, does the work and commits. If a part fails, nothing is
 * written.
 * @throws the first failure
 */
export async function transact<Result>(
  client: pg.PoolClient,
  queries: Queries,
  options: string,
  work: (transaction: Transaction) => Promise<Result> | Result,
): Promise<Result> {
  const transaction = new Transaction(client, queries)
  try {
    transaction.begin(options)
    const result = await work(transaction)
    await transaction.commit()
    client.release()
    return result
  } catch (error) {
    const { cause, lost } = await transaction.rollBack(error)
    client.release(lost)
    throw cause
  }
}

/** One transaction: its running statements and its first failure. */
export class Transaction {
  readonly #client: pg.ClientBase
  readonly #queries: Queries
  readonly #inFlight: Promise<unknown>[] = []
  #failure: { readonly error: unknown } | null = null
  #over = false

  constructor(client: pg.ClientBase, queries: Queries) {
    this.#client = client
    this.#queries = queries
  }

  /** Sends a statement of the transaction. @throws when the transaction has ended */
  readonly send: Send = async (write) => {
    if (this.#over) throw new Error('The transaction of this statement has ended.')
    try {
      return rowsOf(await this.#queries.query(this.#client, write))
    } catch (error) {
      // The refusal of a later statement can be reported before the failure that caused it.
      const known = this.#failure
      if (known === null || (isRefusedForAnother(known.error) && !isRefusedForAnother(error))) this.#failure = { error }
      throw error
    }
  }

  /** Waits for a statement only at the commit, which reports its failure as that of the transaction. */
  track(sent: Promise<unknown>): void {
    this.#inFlight.push(sent.catch(() => {}))
  }

  begin(options: string): void {
    this.track(this.send(order(`begin ${options}`.trim())))
  }

  /** @throws the failure of the transaction, which is then not committed */
  async commit(): Promise<void> {
    this.#over = true
    // After a known failure no commit is sent. If a statement fails after this, the server turns the commit into a rollback.
    this.#throwFailure()
    const committed = this.#queries.query(this.#client, order('commit'))
    this.track(committed)
    await Promise.all(this.#inFlight)
    this.#throwFailure()
    const { command } = await committed
    // The commit of a transaction that failed without our knowledge is a rollback.
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
  }

  /** Rolls back. Resolves with the error to report, and whether the connection is unusable. */
  async rollBack(error: unknown): Promise<{ cause: unknown; lost: boolean }> {
    this.#over = true
    // In the same packet as the failed statement, the server would skip it.
    const lost = await this.#queries.queryBehind(this.#client, order('rollback')).then(
      () => false,
      () => true,
    )
    // The refusals of the later statements may be reported before the failure itself.
    const cause = isRefusedForAnother(error) && this.#failure !== null ? this.#failure.error : error
    return { cause, lost: lost || isConnectionLost(cause) }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}
