import { createNumberBox } from '../external-accounts/number-box.ts'
import type { Clock } from '../platform/clock.ts'
import { derivedKey } from '../platform/config.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { compareFile } from '../reconciliation/differences/compare-days.ts'
import { findAccount, lockAccount, readCarried } from '../statement-files/import/find-account.ts'
import type { ImportDeps } from '../statement-files/import/import-file.ts'
import type { Secret } from '../values/secret.ts'

/** The dependencies of imports of statement files, in a command and in the sweep. */
export function createImportDeps({ sql, secretKey, clock }: { sql: Sql; secretKey: Secret; clock: Clock }): ImportDeps {
  const box = createNumberBox(secretKey)
  return {
    ...{ sql, clock, now: () => clock.now(), key: derivedKey(secretKey, 'bytes of statement files') },
    findAccount: (db, key) => findAccount(db, box, key),
    lockAccount: (tx, key) => lockAccount(tx, box, key),
    readCarried,
    compareFile: (tx, file) => compareFile(tx, file, clock.now()),
  }
}
