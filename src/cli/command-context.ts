import type { Proof } from '../acts/perform.ts'
import type { Session } from '../people/sessions/session.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import type { Log } from '../platform/log.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Secret } from '../values/secret.ts'

/** The resources of a command. The database is opened at its first use. */
export type CommandContext = {
  config: Config
  log: Log
  clock: Clock
  sql(): Promise<Sql>
  /** Connections for reads that may be slightly behind: a replica, if there is one. */
  reads(): Promise<Db>
  secretKey(): Promise<Secret>
  egress(): Promise<Egress>
  /** The session that authorizes this command (`authorize`). Null for break-glass. */
  signedIn: Session | null
  /** The fresh factor by which that person confirmed this command, for its act, which uses it up. Null when it needs none. */
  proof: Proof | null
  /**
   * The person who acts: the signed-in person, or without a sign-in the one named by `--as`.
   * @throws CommandError when a signed-in person names somebody else, or `--as` names no person
   */
  actor(as: string | undefined): Actor
  /** Prints a hint after the answer, on standard error. */
  advise(text: string): void
  close(): Promise<void>
}
