import type { ApiContext } from '../api.ts'
import type { TwinAnswer } from '../wire.ts'
import { readMobile } from './orders.ts'
import type { Settings } from './settings.ts'
import { refused } from './words.ts'

/** When a number was asked about, and until when it is not answered about; milliseconds of the twin's clock. */
export type Checks = Record<string, { at: number[]; blocked_until: number }>

const CHECKS_MAX = 30
const WINDOW_MS = 5 * 60_000
const BLOCKED_MS = 60 * 60_000

/** Answers whether a name is that of the holder of a number: thirty times in five minutes, then not for an hour. */
export function verifyRecipient(
  { mobile, name }: Readonly<Record<string, unknown>>,
  { settings, time, phones, checks }: Pick<ApiContext, 'time' | 'phones'> & { settings: Settings; checks: Checks },
): TwinAnswer {
  const msisdn = readMobile('mobile', mobile)
  if (typeof msisdn !== 'string') return refused(settings, msisdn.code, msisdn.message)
  const now = time.now()
  const kept = checks[msisdn] ?? { at: [], blocked_until: 0 }
  const at = kept.at.filter((one) => one > now - WINDOW_MS)
  if (at.length >= CHECKS_MAX && kept.blocked_until <= now) kept.blocked_until = now + BLOCKED_MS
  checks[msisdn] = { at: [...at, now].slice(-CHECKS_MAX), blocked_until: kept.blocked_until }
  if (kept.blocked_until > now) return refused(settings, 'too-many-requests')
  return {
    status: 200,
    body: { within_limits: true, name_match: matchOf(name, phones.of(msisdn).holder), national_id_match: null },
    unverified: 'How near a name has to be.',
  }
}

function matchOf(name: unknown, holder: string): 'MATCH' | 'NO_MATCH' | 'NAME_NOT_KNOWN' {
  if (typeof name !== 'string' || name.trim() === '') return 'NAME_NOT_KNOWN'
  return plain(name) === plain(holder) ? 'MATCH' : 'NO_MATCH'
}

/** Without accents, capitals and the order of the names. */
function plain(name: string): string {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return letters.split(/\s+/).toSorted().join(' ')
}
