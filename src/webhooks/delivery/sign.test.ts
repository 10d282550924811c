import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../values/secret.ts'
import { signatureHeader } from './sign.ts'

test('a signature is the HMAC of time, dot and body, as other tools compute it', () => {
  // printf '1700000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test
  assert.equal(
    signatureHeader(new Secret('whsec_test'), 1_700_000_000, '{"id":"evt_1"}'),
    't=1700000000,v1=c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925',
  )
})
