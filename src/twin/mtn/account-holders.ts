import { Msisdn } from '../../values/msisdn.ts'
import type { ApiContext } from '../api.ts'
import type { TwinAnswer } from '../wire.ts'
import { gateway, said } from './words.ts'

const STATUS = 'The status of this answer.'

/** The sandbox's numbers: what `active` answers about them. */
const byEnding: Readonly<Record<string, TwinAnswer>> = {
  '50': said('RESOURCE_NOT_FOUND', STATUS),
  '51': { status: 200, body: { result: false } },
  '52': said('NOT_ALLOWED', STATUS),
  '53': said('NOT_ALLOWED_TARGET_ENVIRONMENT', STATUS),
  '54': said('INTERNAL_PROCESSING_ERROR', STATUS),
  '55': said('SERVICE_UNAVAILABLE', STATUS),
}

/** Answers `/accountholder/{type}/{id}/{what}`. The sandbox says of every number that it does not list that it is active. */
export function accountHolder(
  phones: ApiContext['phones'],
  [type = '', id = '', what = '']: readonly string[],
  sandbox: boolean,
): TwinAnswer {
  if (!['msisdn', 'email', 'party_code'].includes(type)) return gateway(404, 'Resource not found')
  const msisdn = type === 'msisdn' && /^225/.test(id) ? Msisdn.parse(id) : null
  if (what === 'active') {
    const ending = /^(?:467331234|22505000000)(\d{2})$/.exec(id)?.[1]
    const listed = ending === undefined ? undefined : byEnding[ending]
    return listed ?? { status: 200, body: { result: sandbox || msisdn !== null } }
  }
  if (what !== 'basicuserinfo') return gateway(404, 'Resource not found')
  if (msisdn === null) return said('RESOURCE_NOT_FOUND', STATUS)
  const [given_name, ...family] = phones.of(msisdn.e164).holder.split(' ')
  return {
    status: 200,
    body: { given_name, family_name: family.join(' '), birthdate: '1990-01-01', locale: 'fr', status: 'ACTIVE' },
    unverified: 'Which of these fields a contract is given.',
  }
}
