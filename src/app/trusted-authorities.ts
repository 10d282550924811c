import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type Config, ConfigError } from '../platform/config.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/**
 * Makes this process trust the authorities of CA_FILE beside the usual ones, in every TLS connection: to operators, receivers, the mail
 * server and the database.
 * @throws ConfigError if the file cannot be read, or contains no certificates
 */
export function trustAuthorities({ ca_file }: Pick<Config, 'ca_file'>): void {
  if (ca_file === '') return
  const own = certificatesIn(ca_file)
  try {
    for (const one of own) new X509Certificate(one)
  } catch {
    throw new ConfigError(`CA_FILE (${ca_file}) contains a damaged certificate.`)
  }
  setDefaultCACertificates([...getCACertificates('default'), ...own])
}

function certificatesIn(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`CA_FILE (${path}) cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  const found = text.match(CERTIFICATE)
  if (found === null) throw new ConfigError(`CA_FILE (${path}) contains no certificate in PEM form.`)
  return found
}
