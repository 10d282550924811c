import { lookup } from 'node:dns/promises'
import { BoundSocket } from 'node:net'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Config } from '../../platform/config.ts'
import { addressToCall } from '../../platform/http/address-to-call.ts'
import type { Log } from '../../platform/log.ts'
import { createMetrics, joinFigures, serveMetrics } from '../../platform/metrics.ts'
import type { Ground } from '../open-database.ts'
import { type Running, stopInTurn } from '../run-roles.ts'
import type { Share } from './divide.ts'
import { type Kept, keepProcess } from './keep-process.ts'

/**
 * Starts a process for each share and resolves when all are ready. This process, their parent, answers nobody and works on
 * nothing: it binds the port, starts them, replaces those that die, gathers their figures and stops them in order, first those
 * that answer requests and then those that work behind them.
 * @throws ProcessFailed when one of them cannot start; the others are stopped then
 */
export async function startProcesses(options: {
  config: Config
  shares: readonly Share[]
  ground: Ground
  log: Log
}): Promise<Running> {
  const { config, shares, ground, log } = options
  const stops: (() => Promise<unknown>)[] = []
  const stop = () => stopInTurn(stops, log)
  const answering = shares.filter(({ roles }) => roles.api)
  if (answering.length > 1 && config.redis_url === null) {
    log.warn({ api_processes: answering.length }, 'without REDIS_URL each API process counts limits for itself')
  }
  try {
    const metrics = createMetrics('parent')
    const kept: Kept[] = []
    const deaths = countDeaths(metrics)
    showReadiness(metrics, kept)
    const figures = await serveMetrics(() => gatherFigures(metrics, kept), config.metrics_host, config.metrics_port)
    stops.push(async () => figures.close())

    const bound = answering.length === 0 ? null : await bind(config)
    const port = bound?.address().port ?? config.port
    const keep = (share: Share) =>
      keepProcess({
        share,
        settings: settingsOf(config, ground, port),
        fd: share.roles.api ? (bound?.fd() ?? null) : null,
        log,
        onDeath: () => deaths.inc({ process: share.name }),
      })
    kept.push(...shares.map(keep))
    const ofRole = (role: 'api' | 'worker') => kept.filter(({ share }) => share.roles[role])
    stops.push(() => stopAll(ofRole('worker')))
    stops.push(() => stopAll(ofRole('api')))
    stops.push(async () => {
      for (const one of kept) one.replaceNoMore()
      // The port is free as soon as those that answer requests listen no more.
      bound?.close()
    })
    await Promise.all(kept.map(({ started }) => started))
    return { address: bound === null ? null : addressToCall(bound.address()), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function stopAll(kept: readonly Kept[]): Promise<void> {
  // One that hangs would outlive us when our own stop is cut short, and keep the port from the next.
  const cutShort = () => {
    for (const one of kept) one.kill()
  }
  process.once('exit', cutShort)
  await Promise.all(kept.map((one) => one.stop()))
  process.off('exit', cutShort)
}

/**
 * Binds HOST and PORT without listening. The children listen on this one socket, each taking what comes when it is free. It
 * outlives them: who connects while none of them is there waits for the next, and is not refused.
 */
async function bind({ host, port }: Config): Promise<BoundSocket> {
  if (host === '') return new BoundSocket({ port })
  const { address } = await lookup(host)
  return new BoundSocket({ host: address, port })
}

/** What differs for a child from the environment that it shares with us: what we found, opened or made. */
function settingsOf(config: Config, { url, secretKey }: Ground, port: number): Record<string, string> {
  return {
    DATABASE_URL: url.reveal(),
    SECRET_KEY: secretKey.reveal(),
    PORT: String(port),
    // Ours is made, and with a DATABASE_URL the default is another.
    DEMO: 'off',
    EGRESS_ALLOW: config.egress_allow.join(','),
  }
}

function countDeaths(metrics: Registry): Counter<'process'> {
  return new Counter({
    name: 'service_process_deaths_total',
    help: 'How often a process of this service ended and was replaced.',
    labelNames: ['process'],
    registers: [metrics],
  })
}

function showReadiness(metrics: Registry, kept: readonly Kept[]): void {
  new Gauge({
    name: 'service_process_ready',
    help: '1 while a process of this service is there and ready.',
    labelNames: ['process'],
    registers: [metrics],
    collect() {
      for (const one of kept) this.set({ process: one.share.name }, one.isReady() ? 1 : 0)
    },
  })
}

/** Ours and those of every process that answers. */
async function gatherFigures(metrics: Registry, kept: readonly Kept[]): Promise<string> {
  const texts = await Promise.all([metrics.metrics(), ...kept.map((one) => one.figures())])
  return joinFigures(texts.filter((text) => text !== null))
}
