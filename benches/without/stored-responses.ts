/** No answer is kept, so a repeated request is a new one. */
export * from '../../src/platform/commands/keys.ts'
export function storeResponses(): void {}
export function takeNewKeys(): void {}
