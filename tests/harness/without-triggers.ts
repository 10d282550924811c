import type { Tx } from '../../src/platform/postgres/database.ts'

/** Lets the rest of a transaction write rows that the database's triggers refuse, on every server of a cluster. */
export async function withoutTriggers(tx: Tx): Promise<void> {
  await tx`set local citus.propagate_set_commands = 'local'`
  await tx`set local session_replication_role = replica`
}
