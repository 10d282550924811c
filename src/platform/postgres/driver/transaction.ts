import type pg from 'pg'
import { isConnectionLost, isRefusedForAnother } from '../failures.ts'
import { order, type Queries, rowsOf } from './queries.ts'
import type { Send } from './statement.ts'

/**
 * Runs a transaction on a connection and gives the connection back: begins, works and commits; when anything of it fails, nothing
 * is written.
 * @throws what failed first
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

/** One transaction: what is under way in it, and what became of it. */
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
      // One refused for another's sake can be heard of before that one.
      const known = this.#failure
      if (known === null || (isRefusedForAnother(known.error) && !isRefusedForAnother(error))) this.#failure = { error }
      throw error
    }
  }

  /** Waits for a statement only at the commit. Its failure is that of the transaction, and told by it. */
  track(sent: Promise<unknown>): void {
    this.#inFlight.push(sent.catch(() => {}))
  }

  begin(options: string): void {
    this.track(this.send(order(`begin ${options}`.trim())))
  }

  /** @throws what failed in the transaction, which then is not committed */
  async commit(): Promise<void> {
    this.#over = true
    // Known to have failed: it need not be tried. A statement that fails on its way turns the commit into a rollback.
    this.#throwFailure()
    const committed = this.#queries.query(this.#client, order('commit'))
    this.track(committed)
    await Promise.all(this.#inFlight)
    this.#throwFailure()
    const { command } = await committed
    // A transaction that failed unseen is rolled back by its commit.
    if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
  }

  /** Undoes all. Resolves with the error to tell, and whether the connection cannot be used any more. */
  async rollBack(error: unknown): Promise<{ cause: unknown; lost: boolean }> {
    this.#over = true
    // Among what failed it would be passed over.
    const lost = await this.#queries.queryBehind(this.#client, order('rollback')).then(
      () => false,
      () => true,
    )
    // Statements behind the one that failed are refused for its sake, and may be heard of first.
    const cause = isRefusedForAnother(error) && this.#failure !== null ? this.#failure.error : error
    return { cause, lost: lost || isConnectionLost(cause) }
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}
