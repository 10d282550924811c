import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { derivedKey } from '../../platform/config.ts'
import { Secret } from '../../values/secret.ts'
import type { CommandContext } from '../command-context.ts'

/**
 * The path of the file with this user's sign-in token, under XDG_CONFIG_HOME or `~/.config`. Each installation has its
 * own file, named by a key derived from its SECRET_KEY, so that a token is only sent to the service that issued it.
 */
async function place(context: CommandContext): Promise<string> {
  const { xdg_config_home } = context.config
  const folder = xdg_config_home === '' ? join(homedir(), '.config') : xdg_config_home
  const installation = derivedKey(await context.secretKey(), 'session of the command line').subarray(0, 8)
  return join(folder, 'bandama', `session-${installation.toString('hex')}`)
}

/** Null when this user has not signed in, or has signed out. */
export async function readSessionFile(context: CommandContext): Promise<Secret | null> {
  try {
    return new Secret((await readFile(await place(context), 'utf8')).trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Writes a token to a file that only its user can read. */
export async function writeSessionFile(context: CommandContext, token: Secret): Promise<void> {
  const path = await place(context)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // An existing file would keep its permissions, so delete it first.
  await rm(path, { force: true })
  await writeFile(path, `${token.reveal()}\n`, { mode: 0o600, flag: 'wx' })
}

/** Deletes the file with this user's token, if there is one. */
export async function removeSessionFile(context: CommandContext): Promise<void> {
  await rm(await place(context), { force: true })
}
