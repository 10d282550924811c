import { isLoopback } from '../operators/operator-api/operator-http.ts'
import { type Config, publicOrigin } from '../platform/config.ts'

/** Scheme, host and port at which payers reach this service, for the addresses that we give out. */
export type PublicOrigin = {
  get(): string
  /**
   * Sets the address on which the API listens. Without PUBLIC_URL payers find their pages there, on the port that it
   * got.
   */
  listening(address: string): void
}

/**
 * Scheme, host and port where people sign in: from STAFF_URL for the desk and CONSOLE_URL for the console, otherwise
 * the same as for payers' pages. On this machine it uses the name localhost, because browsers create no passkey for a
 * numeric address.
 */
export function signInOrigin({ console_url, staff_url }: Config, staff: boolean, payersOrigin: string): string {
  const own = staff ? staff_url : console_url
  return own === null ? payersOrigin.replace(/^http:\/\/127\.0\.0\.1(?=:|$)/, 'http://localhost') : new URL(own).origin
}

/**
 * Whether the console and the desk are served: CONSOLE is on, and both are reached over https or only from this
 * machine. Otherwise passwords and sessions would travel unencrypted.
 */
export function hasConsole(config: Config): boolean {
  const origins = [false, true].map((staff) => new URL(signInOrigin(config, staff, publicOrigin(config))))
  return config.console && origins.every(({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname))
}

/** The hosts of this service as others see them, of payers' pages, the console and the desk: no webhook goes there. */
export function ownHosts({ public_url, console_url, staff_url }: Config): string[] {
  return [public_url, console_url, staff_url].flatMap((url) => (url === null ? [] : [new URL(url).host]))
}

/** Creates the origin of the service for payers: PUBLIC_URL, or otherwise the address on which the API listens. */
export function createPublicOrigin(config: Config): PublicOrigin {
  let origin = publicOrigin(config)
  return {
    get: () => origin,
    listening(address) {
      if (config.public_url === null) origin = address
    },
  }
}
