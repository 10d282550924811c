import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Registry } from 'prom-client'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import { readVersion } from '../version.ts'
import { createReadParts } from './part.ts'
import { rules } from './rules.ts'
import { removeProcess, writeProcess } from './store.ts'

const PAUSE_MS = 15_000

/**
 * Writes what this process knows of the rules into the database every 15 seconds, where a worker evaluates it together with the others'. `stop`
 * removes the row, so a process that stops in order is not missed.
 */
export function reportProcess(options: {
  sql: Sql
  metrics: Registry
  roles: { api: boolean; worker: boolean }
  /** 0: any free port, so the place of this process gets a random name. */
  metrics_port: number
  /** The part of the time between two reports. */
  time_percent: number
  clock: Clock
  log: Log
}): PeriodicTask {
  const { sql, metrics, metrics_port, time_percent, clock, log } = options
  const place = `${hostname()}:${metrics_port === 0 ? randomUUID() : metrics_port}`
  const roles = (['api', 'worker'] as const).filter((role) => options.roles[role])
  const readParts = createReadParts(metrics, rules)
  const started_at = clock.now()
  const reporting = runEvery('report of this process', (PAUSE_MS * time_percent) / 100, log, async () =>
    writeProcess(sql, { place, roles, version: await readVersion(), started_at, parts: await readParts() }),
  )
  return {
    async stop() {
      await reporting.stop()
      await removeProcess(sql, place)
    },
  }
}
