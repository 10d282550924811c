import { type Config, publicOrigin } from '../platform/config.ts'

/** Scheme, host and port under which payers reach this service, for the addresses that we hand out. */
export type PublicOrigin = {
  get(): string
  /** Told where the API listens: without PUBLIC_URL that is where payers find their pages, on whatever port it got. */
  listening(address: string): void
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
