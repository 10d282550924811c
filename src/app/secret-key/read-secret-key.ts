import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../platform/config.ts'
import { base32Bytes } from '../../values/ids.ts'
import { Secret } from '../../values/secret.ts'

/**
 * The key that seals secrets in the database: SECRET_KEY. With the embedded server it may be absent; then one is made
 * at the first start and stored beside the data, readable only by its owner.
 */
export async function readSecretKey(config: Config): Promise<Secret> {
  if (config.secret_key !== null) return config.secret_key
  await mkdir(config.data_dir, { recursive: true })
  const path = join(config.data_dir, 'secret.key')
  try {
    // The flag `wx` fails when the file exists: of two processes that start at once, one writes the key and the other
    // reads it.
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(`${base32Bytes(randomBytes(32))}\n`)
    await file.sync()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return new Secret((await readFile(path, 'utf8')).trim())
}
