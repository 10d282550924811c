import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import * as archiving from '../../src/beneficiaries/archive-beneficiary.ts'
import * as creating from '../../src/beneficiaries/create-destination.ts'
import * as proposing from '../../src/beneficiaries/propose-destination.ts'
import { createClock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { createWithdrawFirst } from '../../src/settlements/withdraw-first.ts'
import { type Actor, SYSTEM } from '../../src/values/actor.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { perform } from './perform.ts'

const clock = createClock()

/** An account at a bank, or a wallet. */
export type Account = { iban: string } | { msisdn: string; operator: string }

/** Adds a destination to a merchant's book, as a command on the host does. */
export async function createDestination(sql: Sql, tenant: Tenant, account: Account, holder = 'Boutique') {
  const values = { iban: null, msisdn: null, operator: null, ...account, holder }
  const done = await perform(creating.createDestination, { sql, clock }, { tenant, values })
  assert.ok(done.kind !== 'ask_again')
  return done
}

/** Archives an entry of a book, as a command on the host does. */
export async function archiveBeneficiary(sql: Sql, id: string, by: Actor = SYSTEM): Promise<archiving.Archived> {
  const done = await perform(archiving.archiveBeneficiary, { sql, clock }, { id }, by)
  assert.ok(done.kind === 'done', JSON.stringify(done))
  return done.result
}

/** Proposes a destination of the book, as a signed-in person does. */
export async function proposeDestination(
  sql: Sql,
  tenant: Tenant,
  to: string,
  by: Actor,
): Promise<{ kind: 'done'; result: proposing.DestinationProposed } | ActRefused> {
  const values = { to, iban: null, msisdn: null, operator: null, holder: null, withdraw: null }
  const deps = { sql, clock, withdrawFirst: createWithdrawFirst(readConfig({})) }
  const done = await perform(proposing.proposeDestination, deps, { tenant, values }, by)
  assert.ok(done.kind !== 'ask_again')
  return done
}
