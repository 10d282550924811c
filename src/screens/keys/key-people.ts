import { canDecideOn, readDecider } from '../../acts/second-person.ts'
import { keyStatus } from '../../api-keys/states.ts'
import type { ListedKey } from '../../api-keys/store.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import { mayDecideAlone } from '../../payouts/alone/approve-alone.ts'
import { readLastApprovals } from '../../payouts/alone/store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { shownOf } from '../approvals/alone-part.ts'
import type { AloneKeys, KeysPage } from './key-views.ts'

type Request = ScreenRequest<'console'>

/** Reads the people of keys: their names, and what the reader may confirm alone. */
export async function readPeopleOf(
  sql: Sql,
  request: Request,
  keys: readonly ListedKey[],
): Promise<Pick<KeysPage, 'names' | 'alone' | 'confirmable'>> {
  const waiting = keys.filter((key) => keyStatus(key) === 'to_confirm')
  const [names, alone, reader] = await Promise.all([
    readPersonNames(
      sql,
      keys.flatMap(({ created_by, confirmed_by, revoked_by }) => [created_by, confirmed_by, revoked_by]),
    ),
    readAloneKeys(sql, request, keys),
    readDecider(sql, request.actor.person),
  ])
  const mine = waiting.filter(({ created_by, widened_by }) => canDecideOn(reader, [created_by, widened_by]))
  const confirmable = new Set(mine.map(({ key_id }) => key_id))
  return { names, alone, confirmable }
}

/** Reads whether this person may confirm their own keys alone, and their last approval of each. */
export async function readAloneKeys(
  sql: Sql,
  { tenant, actor, can }: Request,
  keys: readonly Pick<ListedKey, 'key_id'>[],
): Promise<AloneKeys> {
  const [why, last] = await Promise.all([
    mayDecideAlone(sql, tenant.merchant_id, actor.person),
    readLastApprovals(
      sql,
      tenant,
      keys.map(({ key_id }) => key_id),
    ),
  ])
  return {
    may: why === null && can('keys.confirm'),
    last: new Map(last.map((approval) => [approval.subject_id, shownOf(approval)])),
  }
}
