import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** The embedded database cannot serve. The message tells the person who started the service what to do. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

/** The account under which PostgreSQL runs. */
export type Account = {
  /** The owner of the cluster's files. Null: our own user, unless we are root. */
  owner: { uid: number; gid: number } | null
  /** The words before the program and its arguments. */
  prefix: readonly string[]
}

/** The accounts that root tries, in this order. Systems have `nobody` for services that own no files. */
const NAMES = ['postgres', 'nobody']

/** The capabilities to try, the smaller first: reading and searching everywhere, then also executing and writing. */
const CAPABILITIES = ['dac_read_search', 'dac_override']

/**
 * Chooses the account of the server. PostgreSQL refuses to run as root, so root starts it under another account: the owner
 * of an existing cluster, `postgres` or `nobody`. That account may be unable to reach our files (a clone below /root). We
 * change no permissions for that. The server gets only the one capability of root that it needs, to pass through folders of
 * others. We try each way for real, because file modes alone do not decide it (access lists, mounts).
 * @throws EmbeddedPostgresError if no account can reach the program and the folder
 */
export async function chooseAccount(program: string, folder: string, owned: Account['owner']): Promise<Account> {
  if (process.getuid?.() !== 0) return { owner: null, prefix: [] }
  const owner = owned ?? (await systemAccount())
  for (const prefix of [[], ...CAPABILITIES.map((name) => withCapability(owner, name))]) {
    const account = { owner, prefix }
    if (reaches(account, program, folder)) return account
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and the account it runs under instead (uid ${owner.uid}) cannot reach ${folder} ` +
      `or ${program}. Move the project and DATA_DIR to where every user may pass, such as /opt, start as an ordinary ` +
      'user, or set DATABASE_URL to a server of your own.',
  )
}

/** Starts a program of PostgreSQL under the account. Of our environment it gets only the variables that it needs, and `options.env`. */
export function spawnAs(account: Account, program: string, args: readonly string[], options: SpawnOptions) {
  const { command, rest, as } = commandAs(account, program, args)
  return spawn(command, rest, { ...options, ...as, cwd: '/', env: { ...environment, ...options.env } })
}

const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

function commandAs(account: Account, program: string, args: readonly string[]) {
  const [command, ...rest] = [...account.prefix, program, ...args] as [string, ...string[]]
  // With a prefix, setpriv changes the account, because only root can pass a capability on.
  const as = account.owner !== null && account.prefix.length === 0 ? account.owner : {}
  return { command, rest, as }
}

function withCapability({ uid, gid }: { uid: number; gid: number }, name: string): string[] {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=-all,+${name}`,
    `--ambient-caps=-all,+${name}`,
    `--bounding-set=-all,+${name}`,
    // Without it access(2), which initdb uses, ignores the capability.
    '--securebits=+no_setuid_fixup',
  ]
}

function reaches(account: Account, program: string, folder: string): boolean {
  const script = '"$0" -V >/dev/null && cd "$1"'
  const { command, rest, as } = commandAs(account, '/bin/sh', ['-c', script, program, folder])
  return spawnSync(command, rest, { ...as, cwd: '/', env: environment, stdio: 'ignore' }).status === 0
}

async function systemAccount(): Promise<{ uid: number; gid: number }> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const name of NAMES) {
    const [, , uid, gid] = accounts.find((fields) => fields[0] === name) ?? []
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and this machine has no account `postgres` or `nobody` to run it under. Start ' +
      'as an ordinary user, or set DATABASE_URL to a server of your own.',
  )
}
