import { Msisdn } from '../../values/msisdn.ts'
import type { ApiContext } from '../api.ts'
import type { TwinAnswer } from '../wire.ts'
import { isSandbox, type Settings } from './settings.ts'
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
  settings: Pick<Settings, 'target_environment' | 'names_told'>,
): TwinAnswer {
  if (!['msisdn', 'email', 'party_code'].includes(type)) return gateway(404, 'Resource not found')
  const msisdn = type === 'msisdn' && /^225/.test(id) ? Msisdn.parse(id) : null
  if (what === 'active') {
    const ending = /^(?:467331234|22505000000)(\d{2})$/.exec(id)?.[1]
    const listed = ending === undefined ? undefined : byEnding[ending]
    return listed ?? { status: 200, body: { result: isSandbox(settings) || msisdn !== null } }
  }
  if (what !== 'basicuserinfo') return gateway(404, 'Resource not found')
  const { names_told } = settings
  if (names_told === 'none') return said('NOT_ALLOWED', 'How a contract without this permission is answered.')
  if (msisdn === null) return said('RESOURCE_NOT_FOUND', STATUS)
  const [given_name, ...family] = phones.of(msisdn.e164).holder.split(' ')
  const names = { given_name, family_name: family.join(' ') }
  const told = names_told === 'both' ? names : { [names_told]: names[names_told] }
  return {
    status: 200,
    body: { ...told, birthdate: '1990-01-01', locale: 'fr', status: 'ACTIVE' },
    unverified: 'Which of these fields a contract is given.',
  }
}
