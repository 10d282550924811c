import type pg from 'pg'
import type { Written } from './statement.ts'

/** One statement on its way to the server. */
export type Outgoing = Written & {
  /** Under which it is prepared, once for each connection; the same name means the same text. */
  readonly name: string
}

/** The server's answer: `command` in its own words (`INSERT`, `COMMIT`), `count` rows returned or touched. */
export type Answer = { readonly command: string; readonly count: number; readonly rows: readonly object[] }

/** A statement that waits to be sent, and its caller. */
export type Enqueued = {
  readonly statement: Outgoing
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Carries out statements on a connection in their order, behind all that it was given before, and settles each. Those behind one
 * that fails are not tried. A text without values (null) comes alone.
 */
export type Carry = (client: pg.ClientBase, statements: readonly Enqueued[]) => void

/** How statements reach the server. */
export type Pipeline = {
  /**
   * Sends a statement with all that its connection is given in the same turn of the event loop. Of statements that leave together, those
   * behind one that fails are not tried (`isRefusedForAnother`). Without a transaction around it, one must leave alone.
   *
   * @throws what `failureOf` makes of it; a RangeError when a row holds a number that ours cannot
   */
  enqueue(client: pg.ClientBase, statement: Outgoing): Promise<Answer>
  /** Sends what is gathered for a connection, for what is to stand behind it. */
  flush(client: pg.ClientBase): void
}

/** @param carry what is done with statements that leave together */
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
