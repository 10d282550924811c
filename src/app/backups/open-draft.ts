import { crashPoint } from '../../platform/crash-point.ts'
import type { Log } from '../../platform/log.ts'
import { openDatabase, type Sql } from '../../platform/postgres/database.ts'
import { type Cluster, urlOf } from '../../platform/postgres/embedded/cluster.ts'
import { makeDraft } from '../../platform/postgres/embedded/draft-cluster.ts'
import { type Settings, startServer, stopServer } from '../../platform/postgres/embedded/server.ts'
import { migrate } from '../../platform/postgres/upkeep/migrate.ts'
import { readArchive } from '../../platform/sealed-archive/archive.ts'
import { ArchiveDamaged } from '../../platform/sealed-archive/archive-damaged.ts'
import type { Secret } from '../../values/secret.ts'
import { checkSecretKey, forgetSecretKey } from '../secret-key/check-secret-key.ts'
import type { GoodBackup } from './backup-folder.ts'
import { BackupRefused } from './backup-refused.ts'

/** Unpacks a backup into a draft in `home`. @throws BackupRefused at the first changed byte; nothing is left then */
export async function unpackBackup(
  { id, archive }: GoodBackup,
  home: string,
  kind: 'postgres.new' | 'drill',
): Promise<Cluster> {
  try {
    return await makeDraft(home, kind, readArchive(archive))
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error
    throw new BackupRefused(`The backup ${id} is damaged: its content is not what was written. Restore another one.`)
  }
}

/**
 * Starts the server of a draft on a port of its own, brings its database to this version, and runs `work` on it. Nothing serves it, and no worker looks
 * at it. The server is stopped whatever happens.
 * @param secretKey null: it is lost, and the database accepts any from now on
 * @throws ConfigError when `secretKey` does not open the secrets of its connectors
 */
export async function withDraft<Result>(
  cluster: Cluster,
  { secretKey, log, settings = {} }: { secretKey: Secret | null; log: Log; settings?: Settings },
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const { port } = await startServer(cluster, null, settings)
  try {
    const url = urlOf(cluster, port)
    await migrate(url, log)
    const sql = openDatabase({ url, connections: 2, name: 'bandama restore', answer_ms: Number.POSITIVE_INFINITY })
    try {
      await (secretKey === null ? forgetSecretKey(sql) : checkSecretKey(sql, secretKey, log))
      crashPoint('draft_runs')
      return await work(sql)
    } finally {
      await sql.end({ timeout: 5 })
    }
  } finally {
    await stopServer(cluster)
  }
}
