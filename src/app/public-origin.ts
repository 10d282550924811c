import { isLoopback } from '../operators/operator-api/operator-http.ts'
import { type Config, publicOrigin } from '../platform/config.ts'

/** Scheme, host and port under which payers reach this service, for the addresses that we hand out. */
export type PublicOrigin = {
  get(): string
  /** Told where the API listens: without PUBLIC_URL that is where payers find their pages, on whatever port it got. */
  listening(address: string): void
}

/**
 * Scheme, host and port where people sign in: those of STAFF_URL for the back office, of CONSOLE_URL for the console, and without such a
 * setting those of payers' pages. On this machine it has a name, because browsers make no passkey for an address in numbers.
 */
export function signInOrigin({ console_url, staff_url }: Config, staff: boolean, payersOrigin: string): string {
  const own = staff ? staff_url : console_url
  return own === null ? payersOrigin.replace(/^http:\/\/127\.0\.0\.1(?=:|$)/, 'http://localhost') : new URL(own).origin
}

/**
 * Whether the console and the desk answer: CONSOLE is on, and both are reached over https or from this machine alone. Elsewhere a password
 * and a session would travel in the clear.
 */
export function hasConsole(config: Config): boolean {
  const origins = [false, true].map((staff) => new URL(signInOrigin(config, staff, publicOrigin(config))))
  return config.console && origins.every(({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname))
}

export function createPublicOrigin(config: Config): PublicOrigin {
  let origin = publicOrigin(config)
  return {
    get: () => origin,
    listening(address) {
      if (config.public_url === null) origin = address
    },
  }
}
