import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Gauge, type Registry } from 'prom-client'
import type { DatabaseClock } from '../database-clock.ts'

/** Makes the metrics that every process has: whether it can work, its clock, and the disk of its data. */
export function measureProcess(options: {
  metrics: Registry
  roles: { api: boolean; worker: boolean }
  databaseClock: Pick<DatabaseClock, 'isDatabaseReachable' | 'secondsOff' | 'isClockRight'>
  data_dir: string
}): void {
  const { metrics, roles, databaseClock, data_dir } = options
  const registers = [metrics]
  new Gauge({
    name: 'bandama_ready',
    help: '1 while the process can work, by its role.',
    labelNames: ['role'],
    registers,
    collect() {
      const isReachable = databaseClock.isDatabaseReachable()
      // A wrong clock keeps only a worker from its work: it sends no webhooks.
      const isReady = { api: isReachable, worker: isReachable && databaseClock.isClockRight() }
      for (const role of ['api', 'worker'] as const) if (roles[role]) this.set({ role }, isReady[role] ? 1 : 0)
    },
  })
  new Gauge({
    name: 'bandama_clock_difference_seconds',
    help: 'By how much the clocks of this machine and of the database differ; 0 up to two seconds.',
    registers,
    collect() {
      this.set(databaseClock.secondsOff())
    },
  })
  new Gauge({
    name: 'bandama_disk_free_ratio',
    help: 'The free part of the disk of DATA_DIR, from 0 to 1.',
    registers,
    async collect() {
      this.set(await readFreePart(data_dir))
    },
  })
}

/** The free part of the disk of a folder, or of the nearest one above that exists. */
async function readFreePart(folder: string): Promise<number> {
  const path = resolve(folder)
  try {
    const { bavail, blocks } = await statfs(path)
    return bavail / blocks
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isMissing || path === dirname(path)) throw error
    return readFreePart(dirname(path))
  }
}
