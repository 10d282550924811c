/** No body is brought into one writing, which is done for the fingerprint alone. */
export * from '../../src/platform/http/strict-json.ts'
export const canonicalJson = (): string => ''
