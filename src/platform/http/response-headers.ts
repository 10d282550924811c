import type { Brand } from '../config.ts'
import type { Answer } from './refusal.ts'

/** The version of the interface. Every answer carries it. */
export const API_VERSION = '2026-08-25'

/**
 * Writes the headers of answers, as name, value, name, value: those that every answer carries, and its own. An empty body has no type.
 */
export function createHeaderWriter(brand: Pick<Brand, 'header_prefix' | 'legacy_header_prefix'>) {
  const requestIdHeader = `${brand.header_prefix}-Request-Id`
  const legacyRequestIdHeader = `${brand.legacy_header_prefix}-Request-Id`
  const versionHeader = `${brand.header_prefix}-Version`
  const legacyVersionHeader = `${brand.legacy_header_prefix}-Version`

  return (requestId: string, { body, stream, headers: own }: Answer): string[] => {
    const headers = [
      requestIdHeader,
      requestId,
      legacyRequestIdHeader,
      requestId,
      versionHeader,
      API_VERSION,
      legacyVersionHeader,
      API_VERSION,
      'Cache-Control',
      own?.['Cache-Control'] ?? 'no-store',
      'X-Content-Type-Options',
      'nosniff',
    ]
    // A stream is sent in chunks, because its length is unknown before it ends.
    if (stream === undefined) headers.push('Content-Length', String(Buffer.byteLength(body)))
    if (stream !== undefined || body.length > 0)
      headers.push('Content-Type', own?.['Content-Type'] ?? 'application/json; charset=utf-8')
    for (const name in own) if (name !== 'Content-Type' && name !== 'Cache-Control') headers.push(name, own[name]!)
    return headers
  }
}
