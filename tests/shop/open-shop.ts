import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../harness/free-port.ts'
import { waitFor } from '../harness/wait-for.ts'

/** Debian's package `wordpress`. */
const WORDPRESS = process.env.WORDPRESS ?? '/usr/share/wordpress'
const programs = fileURLToPath(new URL('shop.php', import.meta.url))

/** A shop: WordPress and WooCommerce on MariaDB, with the plugin that an instance gave out. */
export type Shop = {
  address: string
  /** Runs one of the programs of shop.php inside the shop, and returns what it printed as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each program prints its own.
  run(name: string, ...words: unknown[]): Promise<any>
  /** Does what is due by cron, as a visit of the shop does. */
  cron(): Promise<void>
  /** The complaints of PHP about the plugin. */
  complaints(): string[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens a shop on 127.0.0.1. Nothing in it may call another host.
 * @param woocommerce the folder of WooCommerce, as shops install it
 * @param zip the plugin
 */
export async function openShop({ woocommerce, zip }: { woocommerce: string; zip: Buffer }): Promise<Shop> {
  const folder = await mkdtemp(join(tmpdir(), 'bandama-shop-'))
  const site = join(folder, 'site')
  const socket = join(folder, 'socket')
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const started: ReturnType<typeof spawn>[] = []
  let said = ''
  const start = (command: string, words: string[], env: Record<string, string> = {}) => {
    // In a group of its own, because the server of PHP leaves its workers behind.
    const child = spawn(command, words, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    for (const output of [child.stdout!, child.stderr!])
      output.setEncoding('utf8').on('data', (text: string) => (said += text))
    started.push(child)
  }
  const php = ['-d', 'memory_limit=512M', '-d', 'error_reporting=8191', '-d', 'display_errors=0', '-d', 'log_errors=1']
  const run: Shop['run'] = async (name, ...words) => {
    const args = [...php, programs, site, address, name, ...words.map((word) => JSON.stringify(word))]
    const printed = await output('php', args)
    const found = /^RESULT (.*)$/m.exec(printed.text)
    assert.ok(printed.code === 0 && found !== null, `${name}: ${printed.text}${printed.complaint}`)
    said += printed.complaint
    return JSON.parse(found[1]!)
  }
  const shop: Shop = {
    address,
    run,
    cron: async () => {
      const answer = await fetch(`${address}/wp-cron.php`)
      assert.equal(answer.status, 200, await answer.text())
    },
    complaints: () => said.split('\n').filter((line) => /PHP .*(?:bandama-woocommerce|Bandama)/.test(line)),
    async [Symbol.asyncDispose]() {
      for (const child of started.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
        process.kill(-child.pid)
        await once(child, 'close')
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
  try {
    const data = [
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    ]
    const made = await output('mariadb-install-db', [...data, '--auth-root-authentication-method=normal'])
    assert.equal(made.code, 0, made.complaint)
    start('mariadbd', [...data, `--socket=${socket}`, '--skip-networking'])
    const create = () => output('mariadb', ['--no-defaults', '-S', socket, '-u', 'root', '-e', 'create database shop'])
    await waitFor(async () => (await create()).code === 0, { what: 'MariaDB' })
    await cp(WORDPRESS, site, { recursive: true, dereference: true })
    await cp(woocommerce, join(site, 'wp-content/plugins/woocommerce'), { recursive: true })
    await writeFile(join(folder, 'plugin.zip'), zip)
    const unpacked = await output('python3', [
      '-m',
      'zipfile',
      '-e',
      join(folder, 'plugin.zip'),
      join(site, 'wp-content/plugins'),
    ])
    assert.equal(unpacked.code, 0, unpacked.complaint)
    await writeFile(join(site, 'wp-config.php'), configOf(socket))
    await run('install')
    await run('activate')
    start('php', [...php, '-S', `127.0.0.1:${port}`, '-t', site, programs], { PHP_CLI_SERVER_WORKERS: '4' })
    await waitFor(async () => (await fetch(address).catch(() => null)) !== null, { what: 'the shop' })
    return shop
  } catch (error) {
    await shop[Symbol.asyncDispose]()
    throw error
  }
}

function configOf(socket: string): string {
  const facts = {
    ...{ DB_NAME: 'shop', DB_USER: 'root', DB_PASSWORD: '', DB_HOST: `localhost:${socket}`, DB_CHARSET: 'utf8mb4' },
    ...{ DB_COLLATE: '', DISABLE_WP_CRON: true, WP_HTTP_BLOCK_EXTERNAL: true, WP_ACCESSIBLE_HOSTS: '127.0.0.1' },
    ...{ AUTOMATIC_UPDATER_DISABLED: true, AUTH_KEY: randomBytes(16).toString('hex'), AUTH_SALT: 'salt' },
  }
  const lines = Object.entries(facts).map(([name, value]) => `define('${name}', ${JSON.stringify(value)});`)
  const end = `$table_prefix = 'wp_';\ndefined('ABSPATH') || define('ABSPATH', __DIR__ . '/');\nrequire_once ABSPATH . 'wp-settings.php';`
  return `<?php\n${lines.join('\n')}\n${end}\n`
}

async function output(command: string, words: string[]) {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part))
  child.stderr.setEncoding('utf8').on('data', (part) => (complaint += part))
  const [code] = await once(child, 'close')
  return { code: code as number, text, complaint }
}
