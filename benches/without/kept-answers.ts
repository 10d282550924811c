/** No answer is kept, so a repeated request is a new one. */
export * from '../../src/platform/http/idempotency.ts'
export function keepAnswers(): void {}
export function takeNewKeys(): void {}
