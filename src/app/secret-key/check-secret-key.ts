import { ConfigError, derivedKey } from '../../platform/config.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Secret } from '../../values/secret.ts'

/**
 * Compares the key with the one that the database was first used with. The first start records a digest of its key.
 * @throws ConfigError when it is another key: it cannot read the secrets in the database, and the addresses of pages that it
 * makes would be unknown to the right key
 */
export async function checkSecretKey(sql: Sql, secretKey: Secret): Promise<void> {
  const digest = derivedKey(secretKey, 'check of the secret key')
  await sql`insert into secret_key_check (digest) values (${digest}) on conflict do nothing`
  const [row] = await sql<{ digest: Buffer }[]>`select digest from secret_key_check`
  if (row!.digest.equals(digest)) return
  throw new ConfigError(
    'SECRET_KEY (without it, the file secret.key in DATA_DIR) is not the key that this database was used with. ' +
      'Set that key again: its copy is kept apart from the backups. If it is lost, follow "A lost SECRET_KEY" in docs/deploy.md.',
  )
}
