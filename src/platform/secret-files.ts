import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, readConfig } from './config.ts'

/** The settings that may hold a secret, and so may come from a file. */
export const fileSettings = [
  'SECRET_KEY',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'REDIS_URL',
  'MAIL_URL',
  'PROXY_URL',
  'NOTICE_URL',
  'NOTICE_SECRET',
  'HEARTBEAT_URL',
  'BACKUP_KEY',
] as const

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the environment with the settings that are in files: `SECRET_KEY` from the file that `SECRET_KEY_FILE` names, or from `secret_key` in
 * `CREDENTIALS_DIRECTORY`, where systemd puts it. A line break at the end does not belong to the value.
 * @throws ConfigError when a setting has two sources or may not come from a file, or when its file cannot be read or is empty
 */
export function withSecretFiles(env: Environment): Record<string, string | undefined> {
  refuseOtherFiles(env)
  const all = { ...env }
  for (const name of fileSettings) {
    const sources = sourcesOf(name, env)
    if (sources.length > 1)
      throw new ConfigError(`${name} has two sources: ${sources.map(({ from }) => from).join(' and ')}. Keep one.`)
    const [source] = sources
    if (source?.path !== undefined) all[name] = readSecret(name, source.path)
  }
  return all
}

/** Refuses a file for a setting that has none, such as `PORT_FILE`: otherwise its default would hold, and nobody would notice. */
function refuseOtherFiles(env: Environment): void {
  const asked = Object.keys(env).filter((name) => name.endsWith('_FILE') && env[name] !== '')
  if (asked.length === 0) return
  const settings = new Set<string>()
  readConfig(new Proxy({}, { get: (_, name) => void settings.add(String(name)) }))
  for (const name of asked) {
    const setting = name.slice(0, -'_FILE'.length)
    if (settings.has(setting) && !fileSettings.some((one) => one === setting))
      throw new ConfigError(
        `${name} is not read: ${setting} cannot come from a file. These can: ${fileSettings.join(', ')}.`,
      )
  }
}

/** The places that give a setting a value. Without a path it is the environment itself. */
function sourcesOf(name: string, env: Environment): { from: string; path?: string }[] {
  const [file, folder] = [env[`${name}_FILE`] ?? '', env.CREDENTIALS_DIRECTORY ?? '']
  const credential = join(folder, name.toLowerCase())
  return [
    ...((env[name] ?? '') === '' ? [] : [{ from: name }]),
    ...(file === '' ? [] : [{ from: `${name}_FILE`, path: file }]),
    ...(folder !== '' && existsSync(credential) ? [{ from: 'CREDENTIALS_DIRECTORY', path: credential }] : []),
  ]
}

function readSecret(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'no reason is given' } = error as NodeJS.ErrnoException
    throw new ConfigError(`The file of ${name} cannot be read (${code}).`)
  }
  const value = text.replace(/\r?\n$/, '')
  if (value === '') throw new ConfigError(`The file of ${name} is empty.`)
  return value
}
