import assert from 'node:assert/strict'
import { Bandama, BandamaError } from '../../sdk/typescript/src/index.ts'

export const key = 'bdm_sk_test_abcdef_ghijkl'

/** A client of a scripted server. */
export const clientOf = (url: string, more: Partial<ConstructorParameters<typeof Bandama>[0]> = {}) =>
  new Bandama({ key, url, timeoutMs: 2_000, ...more })

/** Returns the error of a call, which must fail. */
export async function failureOf(call: Promise<unknown>): Promise<BandamaError> {
  const error = await call.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof BandamaError, String(error))
  return error
}
