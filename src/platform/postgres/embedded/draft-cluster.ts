import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Secret } from '../../../values/secret.ts'
import type { Entry } from '../../sealed-archive/entries.ts'
import { chooseAccount } from './account.ts'
import { type Cluster, findPrograms, giveTo } from './cluster.ts'

/** Where the password of the copied server stands among the entries: beside its files, as in DATA_DIR. */
export const PASSWORD_PATH = 'password'
/** Before the paths of the server's own files. */
export const FILES_PREFIX = 'cluster/'

/**
 * Makes a cluster of the entries of a copy, in a folder of its own in `home` that nothing else takes for a database.
 * @param kind `postgres.new`: it is then renamed; `drill`: it is then removed
 * @throws EmbeddedPostgresError when there is no PostgreSQL for this machine, or its account cannot reach `home`
 */
export async function makeDraft(
  home: string,
  kind: 'postgres.new' | 'drill',
  entries: AsyncIterable<Entry>,
): Promise<Cluster> {
  const programs = await findPrograms()
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  const account = await chooseAccount(programs.postgres, home, null)
  const folder = join(await realpath(home), `${kind}-${process.pid}-${randomBytes(4).toString('hex')}`)
  await mkdir(folder)
  await chmod(folder, mode)
  try {
    const data = join(folder, 'cluster')
    await mkdir(data, { mode: 0o700 })
    for await (const entry of entries) await unpack(folder, entry)
    if (account.owner !== null) await giveTo(account.owner, data)
    const password = new Secret(await readFile(join(folder, PASSWORD_PATH), 'utf8'))
    return { folder, data, program: programs.postgres, account, password }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** PostgreSQL makes its files durable when it starts with a copy. The password is ours. */
async function unpack(folder: string, entry: Entry): Promise<void> {
  const path = join(folder, entry.path)
  if (entry.kind === 'folder') {
    await mkdir(path, { recursive: true, mode: 0o700 })
    return
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = createWriteStream(path, { mode: 0o600, flush: entry.path === PASSWORD_PATH })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  file.once('error', failed.reject)
  try {
    for await (const piece of entry.content)
      if (!file.write(piece)) await Promise.race([once(file, 'drain'), failed.promise])
    await Promise.race([new Promise<void>((resolve) => file.end(resolve)), failed.promise])
  } finally {
    file.destroy()
  }
}

/** The major version of the programs, such as `17`. */
export async function programsMajor(): Promise<string> {
  const { postgres } = await findPrograms()
  const { stdout } = await promisify(execFile)(postgres, ['-V'])
  return /(\d+)/.exec(stdout)?.[1] ?? ''
}
