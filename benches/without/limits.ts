import type { Limits, LimitsOptions } from '../../src/platform/limits/windows.ts'

/** Nothing is counted and everything passes. */
export * from '../../src/platform/limits/windows.ts'
export function createLimits(_options: LimitsOptions): Limits {
  const hit = (_kind: string, _id: string, cap: number) => ({
    passed: true,
    limit: cap,
    remaining: cap,
    reset_seconds: 1,
  })
  return {
    hit,
    giveBack() {},
    take: async () => async () => {},
    look: async (kind, id, cap) => hit(kind, id, cap),
    payerAttempts: { take: () => true, giveBack() {} },
    ready: async () => {},
    close() {},
  }
}
