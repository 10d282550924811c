import { connect } from 'node:tls'
import { machineMilliseconds } from '../platform/clock.ts'

/** Milliseconds to wait for the certificate. */
const CERTIFICATE_MS = 5_000

/** The certificate of an address as its callers see it. `code`: the system's code of what was wrong; empty when there is none. */
export type CertificateRead =
  | { kind: 'valid'; left_seconds: number }
  | { kind: 'silent' }
  | { kind: 'fails'; code: string }

/** Reads the certificate of an https address from this machine, as a browser would. Never throws. */
export function readCertificate({ hostname, port }: URL): Promise<CertificateRead> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const { promise, resolve } = Promise.withResolvers<CertificateRead>()
  const socket = connect({ host, port: Number(port || 443), ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }) })
  socket.setTimeout(CERTIFICATE_MS, () => resolve({ kind: 'silent' }))
  socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve({ kind: 'fails', code }))
  socket.once('secureConnect', () => {
    const left = Date.parse(socket.getPeerCertificate().valid_to) - machineMilliseconds()
    resolve({ kind: 'valid', left_seconds: Math.floor(left / 1_000) })
  })
  return promise.finally(() => socket.destroy())
}
