import type pg from 'pg'
import type { Written } from './statement.ts'

/** A statement as it is sent to the server. */
export type Outgoing = Written & {
  /** The name under which each connection prepares it once. The same name means the same text. */
  readonly name: string
}

/** The server's answer: its `command` (`INSERT`, `COMMIT`), and the `count` of rows returned or changed. */
export type Answer = { readonly command: string; readonly count: number; readonly rows: readonly object[] }

/** A statement that waits to be sent, and its caller. */
export type Enqueued = {
  readonly statement: Outgoing
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Executes statements on a connection in order, after all earlier ones, and settles each. The statements after a failed one are
 * skipped. A text without values (null) comes alone.
 */
export type Carry = (client: pg.ClientBase, statements: readonly Enqueued[]) => void

/** How statements reach the server. */
export type Pipeline = {
  /**
   * Sends a statement together with all others that its connection gets in the same turn of the event loop. The server skips the
   * statements after a failed one (`isRefusedForAnother`), so send a statement outside a transaction alone.
   *
   * @throws the error that `failureOf` returns; a RangeError for a number that JavaScript cannot hold exactly
   */
  enqueue(client: pg.ClientBase, statement: Outgoing): Promise<Answer>
  /** Sends the collected statements of a connection at once, so that later ones come after them. */
  flush(client: pg.ClientBase): void
}

/** @param carry executes statements that are sent together */
export function createPipeline(carry: Carry): Pipeline {
  const gathering = new WeakMap<pg.ClientBase, Enqueued[]>()

  function flush(client: pg.ClientBase): void {
    const gathered = gathering.get(client)
    if (gathered === undefined) return
    gathering.delete(client)
    carry(client, gathered)
  }

  function enqueue(client: pg.ClientBase, statement: Outgoing): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const enqueued = { statement, resolve, reject }
      if (statement.values === null) {
        flush(client)
        carry(client, [enqueued])
        return
      }
      const gathered = gathering.get(client)
      if (gathered !== undefined) {
        gathered.push(enqueued)
        return
      }
      gathering.set(client, [enqueued])
      process.nextTick(flush, client)
    })
  }

  return { enqueue, flush }
}
