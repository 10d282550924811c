import { listConnectors } from '../../operators/contracts/find-connectors.ts'
import { forgetPush } from '../../people/push/push-store.ts'
import { ConfigError, derivedKey } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Secret } from '../../values/secret.ts'

/**
 * Compares the key with the one that the database was last used with. The first start records a digest of its key. Without a connector no
 * real money moves, and another key takes its place with a warning, so that a developer may change it.
 * @throws ConfigError when it is another key and there is a connector: it cannot read the secrets in the database, and the addresses of
 * pages that it makes would be unknown to the right key
 */
export async function checkSecretKey(sql: Sql, secretKey: Secret, log: Log): Promise<void> {
  const digest = derivedKey(secretKey, 'check of the secret key')
  await sql`insert into secret_key_check (digest) values (${digest}) on conflict do nothing`
  const [row] = await sql<{ digest: Buffer }[]>`select digest from secret_key_check`
  if (row!.digest.equals(digest)) return
  if ((await listConnectors(sql)).length > 0) {
    throw new ConfigError(
      'SECRET_KEY (without it, the file secret.key in DATA_DIR) is not the key that this database was used with. ' +
        'Set that key again: its copy is kept apart from the backups. If it is lost, follow "A lost SECRET_KEY" in docs/deploy.md.',
    )
  }
  await sql`update secret_key_check set digest = ${digest}, created_at = clock_now()`
  log.warn('secret key: not the one this database was used with; its secrets, and pages made before, are unreadable')
}

/** Lets a database whose key is lost accept another: the books need none. All that was sealed with it stays unreadable. */
export async function forgetSecretKey(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`delete from secret_key_check`
    await forgetPush(tx)
  })
}
