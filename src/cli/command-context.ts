import type { Session } from '../people/sessions/session.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import type { Log } from '../platform/log.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Secret } from '../values/secret.ts'

/** The resources of a command. The database is opened when it is first asked for. */
export type CommandContext = {
  config: Config
  log: Log
  clock: Clock
  sql(): Promise<Sql>
  /** Where reads go that only look. */
  reads(): Promise<Db>
  secretKey(): Promise<Secret>
  egress(): Promise<Egress>
  /** The session by which this command may act (`authorize`); null: break-glass. */
  signedIn: Session | null
  /** The fresh factor by which that person agreed to this command; null: it asks for none. */
  step_up_id: string | null
  /**
   * The person who acts: the one who signed in, or without a sign-in the one named with `--as`.
   * @throws CommandError when somebody who signed in names another person, or `--as` names none
   */
  actor(as: string | undefined): Actor
  /** Says something after the answer, on standard error. */
  advise(text: string): void
  close(): Promise<void>
}
