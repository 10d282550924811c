import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

/** The settings that may hold a secret, and so may come from a file. */
export const fileSettings = [
  'SECRET_KEY',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'REDIS_URL',
  'MAIL_URL',
  'NOTICE_SECRET',
] as const

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the environment with the settings that are in files: `SECRET_KEY` from the file that `SECRET_KEY_FILE` names, or from `secret_key` in
 * `CREDENTIALS_DIRECTORY`, where systemd puts it. A line break at the end does not belong to the value.
 * @throws ConfigError when a setting has two sources, or its file cannot be read or is empty
 */
export function withSecretFiles(env: Environment): Record<string, string | undefined> {
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
