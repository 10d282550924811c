import { conclusions } from '../../../src/app/work.ts'
import { openAccounts } from '../../../src/ledger/open-accounts.ts'
import { predictOperator } from '../../../src/operators/prediction/prediction.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { Msisdn } from '../../../src/values/msisdn.ts'
import { Secret } from '../../../src/values/secret.ts'
import { surroundingsOf } from './operators.ts'
import type { Stand } from './stage.ts'

/** The dependencies of all acts, besides the database and the clock, for a door that forgets the factor. */
export function depsOfActs(stand: Stand) {
  const usual = readConfig({})
  return {
    secretKey: new Secret(stand.installation.secret_key),
    payoutCaps: usual,
    secondPersonAbove: usual.second_person_above,
    usualTerms: usual,
    settlementRules: usual,
    conclusions,
    canRefund: () => true,
    openAccounts,
    form_of: 'per_of_a_form',
    request_expiry_days: 7,
    order_key: Buffer.alloc(32),
    predicted: predictOperator(Msisdn.parse('0700000010')!, null),
    readAlike: async () => [],
    hasOpenOrders: async () => false,
    surroundings: surroundingsOf(stand),
    target: { kind: 'vetted', url: new URL('http://127.0.0.1:9/'), addresses: [], inside: true },
  }
}
