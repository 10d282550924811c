import type { Registry as Metrics } from 'prom-client'
import { measureDoubts } from '../../operators/doubts/doubt-metrics.ts'
import { silencesOf } from '../../operators/doubts/find-doubts.ts'
import type { Config } from '../../platform/config.ts'
import { eachApart } from '../../platform/each-apart.ts'
import type { Log } from '../../platform/log.ts'
import { createSingleGauge } from '../../platform/metrics.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import { measureAudits } from '../audit-runs/audit-run.ts'
import { measureBackups } from '../backups/backup-age.ts'
import { readCertificate } from '../certificate.ts'
import { measureDatabase } from './database-metrics.ts'

const PAUSE_MS = 15_000
const CERTIFICATE_PAUSE_MS = 3_600_000

/** Reads the metrics that the rules need and that no request or job tells. Several workers may do this at once. */
export function measureForRules({
  sql,
  config,
  log,
  metrics,
}: {
  sql: Sql
  config: Pick<Config, 'public_url' | 'simulator_delay_ms'>
  log: Log
  metrics: Metrics
}): PeriodicTask[] {
  const reads = {
    doubts: measureDoubts(metrics, silencesOf(config)),
    backups: measureBackups(metrics),
    audits: measureAudits(metrics),
    database: measureDatabase(metrics),
  }
  // In turn, so that they never take more than one of the worker's connections.
  const readAll = () =>
    eachApart(Object.keys(reads) as (keyof typeof reads)[], {
      task: 'metrics for rules',
      log,
      nameOf: (name) => name,
      act: (name) => reads[name](sql),
    })
  return [runEvery('metrics for rules', PAUSE_MS, log, readAll), ...watchCertificate(config.public_url, metrics, log)]
}

function watchCertificate(public_url: string | null, metrics: Metrics, log: Log): PeriodicTask[] {
  if (!public_url?.startsWith('https:')) return []
  const url = new URL(public_url)
  const left = createSingleGauge(
    metrics,
    'bandama_certificate_left_seconds',
    'Seconds until the certificate of PUBLIC_URL expires. Absent: it could not be read.',
  )
  const look = async () => {
    const read = await readCertificate(url)
    left.set(read.kind === 'valid' ? read.left_seconds : null)
  }
  return [runEvery('certificate of PUBLIC_URL', CERTIFICATE_PAUSE_MS, log, look)]
}
