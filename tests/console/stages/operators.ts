import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ActProposal } from '../../../src/acts/proposal.ts'
import { addProposal } from '../../../src/acts/proposal-store.ts'
import { createSurroundings } from '../../../src/app/contracts.ts'
import { createAccount } from '../../../src/external-accounts/create-account.ts'
import { setDay } from '../../../src/external-accounts/set-day.ts'
import { decideConnector, sealProposal, withdrawConnector } from '../../../src/operators/contracts/decide-connector.ts'
import { removeConnector } from '../../../src/operators/contracts/remove-connector.ts'
import * as connecting from '../../../src/operators/contracts/set-connector.ts'
import * as routing from '../../../src/operators/contracts/set-route.ts'
import { acceptBalance } from '../../../src/operators/float/accept-balance.ts'
import { applyEffects } from '../../../src/platform/commands/effects.ts'
import { insertRows } from '../../../src/platform/postgres/rows.ts'
import { decideProposal, withdrawProposal } from '../../../src/reconciliation/decide-proposal.ts'
import { proposeResolution } from '../../../src/reconciliation/differences/propose-resolution.ts'
import { openAccount } from '../../../src/reconciliation/open-account.ts'
import { typeLines } from '../../../src/reconciliation/type-lines.ts'
import { proposeWithdrawal } from '../../../src/reconciliation/withdraw-file.ts'
import { builtInProfiles } from '../../../src/statement-files/built-in-profiles.ts'
import { setProfile } from '../../../src/statement-files/import/set-profile.ts'
import { newId } from '../../../src/values/ids.ts'
import { addDays } from '../../../src/values/period.ts'
import { Secret } from '../../../src/values/secret.ts'
import { actor } from '../../harness/actor.ts'
import { setConnector } from '../../harness/connectors.ts'
import { newStatementAccount } from '../../harness/statement-accounts.ts'
import { another, rowOf, type Stage, type Stand, type Subject } from './stage.ts'

export const surroundingsOf = ({ installation }: Pick<Stand, 'installation'>) =>
  createSurroundings({
    secretKey: new Secret(installation.secret_key),
    origin: { get: () => 'http://127.0.0.1' },
    config: { proxy: null, operator_http_allow: [] },
  })

const settingsOf = (name: string) =>
  Buffer.from(JSON.stringify({ base_url: 'http://127.0.0.1:9/pawapay', api_token: `token-of-${name}` }))

const newName = () => `stage-${process.pid}-${another()}`

/** Connects a connector of the stand's mode. */
export async function newConnector(stand: Stand, name = newName()): Promise<string> {
  const { sql, tenant } = stand
  const wanted = { name, type: 'pawapay', livemode: tenant.livemode, settings: settingsOf(name) }
  const set = await setConnector({ sql, surroundings: surroundingsOf(stand) }, wanted, actor('c@example.ci'))
  assert.equal(set.kind, 'set', JSON.stringify(set))
  return name
}

const connectorState =
  ({ sql }: Stand, name: string) =>
  async () =>
    (await sql`select generation, removed_at from connectors where name = ${name}`)[0]

const routeState =
  ({ sql, tenant }: Stand) =>
  async () =>
    await sql`select connectors, amount_max from routes where livemode = ${tenant.livemode} order by operator, direction`

/** Somebody sets another route meanwhile. */
const otherRoute = ({ sql, tenant }: Stand) => sql`
  insert into routes (merchant_id, livemode, operator, direction, connectors, changed_by)
  values (0, ${tenant.livemode}, 'mtn_ci', 'collect', ${[newName()]}::text[], 'd@example.ci')
  on conflict (merchant_id, livemode, operator, direction) do update set connectors = excluded.connectors`

async function propose(
  { sql, tenant: { livemode } }: Stand,
  first: string,
  asked: Pick<ActProposal, 'act' | 'subject' | 'typed' | 'sealed' | 'content'> & { id?: string },
): Promise<string> {
  const id = asked.id ?? newId('prp', Date.now())
  const by = { proposed_by: first, proposed_at: new Date() }
  const row = { merchant_id: 0, livemode, ...asked, id, key: newName(), amount: null, ...by }
  await sql.begin((tx) => applyEffects(tx, [addProposal(row)], new Date()))
  return id
}

export async function newProposedRoute(stand: Stand, first: string): Promise<Subject> {
  const connectors = [await newConnector(stand)]
  const { livemode } = stand.tenant
  const way = { merchant_id: 0, livemode, operator: 'mtn_ci', direction: 'collect' }
  const typed = { ...way, connectors, amount_min: null, amount_max: null }
  const content = { operator: 'mtn_ci', direction: 'collect', connectors, today: [] }
  const asked = { act: 'route.set', subject: 'mtn_ci/collect', typed, content, sealed: null } as const
  const id = await propose(stand, first, asked)
  return { ...rowOf(stand, 'act_proposals', id), change: () => otherRoute(stand) }
}

export async function newProposedConnector(stand: Stand, first: string): Promise<Subject> {
  const name = await newConnector(stand)
  const typed = { name, type: 'pawapay' }
  const moved = Buffer.from(JSON.stringify({ base_url: 'http://127.0.0.1:9/other', api_token: `token-of-${name}` }))
  const settings = sealProposal(surroundingsOf(stand), moved, new Date())
  const changes = [{ key: 'base_url', before: 'http://127.0.0.1:9/pawapay', after: 'http://127.0.0.1:9/other' }]
  const content = { connector: name, type: 'pawapay', changes, generation: 2 }
  const id = await propose(stand, first, { act: 'connector.set', subject: name, typed, content, ...settings })
  const change = () => stand.sql`update connectors set terms = '{"float_hours": 7}' where name = ${name}`
  return { ...rowOf(stand, 'act_proposals', id), change }
}

/** Adds a bank account of the stand's mode. */
async function newBank({ sql, tenant: { livemode } }: Stand): Promise<string> {
  const code = `bank-${process.pid}-${another()}`
  await sql`
    insert into external_accounts (livemode, code, kind, orders_from, due, late_days, created_by)
    values (${livemode}, ${code}, 'bank', clock_now(), 'business', 3, 'a@example.ci')`
  return code
}

export async function newOpening(stand: Stand, first: string): Promise<Subject> {
  const account = await newBank(stand)
  const typed = { livemode: stand.tenant.livemode, account, day: '2026-01-31', balance: 5_000 }
  const content = { account, day: '2026-01-31', balance: 5_000, books: 0, unexplained: 5_000 }
  const asked = { act: 'external_account.open', subject: account, typed, content, sealed: null } as const
  const id = await propose(stand, first, { ...asked, id: newId('rcp', Date.now()) })
  return rowOf(stand, 'act_proposals', id)
}

/** A counted statement file of an account of its own. */
async function newFile({ sql, tenant: { livemode } }: Stand): Promise<string> {
  const [id, account] = [newId('stf', Date.now()), await newStatementAccount(sql, livemode)]
  const file = { id, account, livemode, source: 'file', status: 'counted', hash: randomBytes(32), bytes: 1 }
  const read = { settings: {}, found: { totals: {} }, counts: {}, imported_by: 'a@example.ci', ended_at: new Date() }
  await sql.begin(async (tx) => insertRows(tx, 'statement_files', [{ ...file, ...read }]))
  return id
}

export const operators: readonly Stage[] = [
  {
    act: connecting.setConnector,
    byHand: true,
    otherOptions: true,
    async open(stand) {
      const name = newName()
      const file = join(await mkdtemp(join(tmpdir(), 'bandama-stage-')), 'settings.json')
      await writeFile(file, settingsOf(name))
      const mode = stand.tenant.livemode ? 'live' : 'test'
      const words = ['--name', name, '--type', 'pawapay', '--mode', mode, '--settings', file]
      return { params: {}, words, subject: name, state: connectorState(stand, name) }
    },
  },
  { act: decideConnector.approve, second: true, elsewhere: true, open: newProposedConnector },
  { act: decideConnector.refuse, second: true, elsewhere: true, open: newProposedConnector },
  { act: withdrawConnector, own: true, elsewhere: true, open: newProposedConnector },
  {
    act: removeConnector,
    elsewhere: true,
    async open(stand) {
      const name = await newConnector(stand)
      const change = () => stand.sql`update connectors set generation = generation + 1 where name = ${name}`
      return { params: { id: name }, subject: name, state: connectorState(stand, name), change }
    },
  },
  {
    act: acceptBalance,
    elsewhere: true,
    otherOptions: true,
    async open(stand) {
      const { sql } = stand
      const connector = await newConnector(stand)
      const asked_at = new Date().toISOString()
      await sql`
        insert into connector_balances (connector, asked_at, answered_at, amount, in_flight, held, outflow_of_a_day, warnings)
        values (${connector}, ${asked_at}, ${asked_at}, 900, 0, 0, 0, '{}')`
      const change = () => sql`update connector_balances set amount = amount + 1 where connector = ${connector}`
      const state = async () =>
        (await sql`select accepted_by from connector_balances where connector = ${connector}`)[0]
      const words = ['--name', connector, '--accept', asked_at]
      return { params: { id: connector }, named: { asked_at }, words, subject: connector, state, change }
    },
  },
  {
    act: routing.setRoute,
    elsewhere: true,
    otherOptions: true,
    get fields() {
      return { operator: 'mtn_ci', direction: 'collect', merchant: '', min: '', max: String(10_000 + another()) }
    },
    otherFields: { operator: 'mtn_ci', direction: 'collect', merchant: '', min: '', max: '9999' },
    async open(stand) {
      const through = await newConnector(stand)
      const mode = stand.tenant.livemode ? 'live' : 'test'
      const words = ['--mode', mode, '--operator', 'mtn_ci', '--direction', 'collect', '--connectors', through]
      const state = routeState(stand)
      const change = () => otherRoute(stand)
      return { params: {}, named: { through, mode }, words, subject: 'mtn_ci/collect', state, change }
    },
  },
  {
    act: createAccount,
    otherOptions: true,
    async open(stand) {
      const [code, mode] = [`bank-${process.pid}-${another()}`, stand.tenant.livemode ? 'live' : 'test']
      const state = async () => await stand.sql`select code from external_accounts where code = ${code}`
      return { params: {}, words: ['--code', code, '--kind', 'bank', '--mode', mode], subject: code, state }
    },
  },
  {
    act: openAccount,
    otherOptions: true,
    async open(stand) {
      const account = await newBank(stand)
      const state = async () => await stand.sql`select id from act_proposals where subject = ${account}`
      const words = ['--account', account, '--day', '2026-01-31', '--balance', '5000']
      return { params: {}, words, subject: 'new', state }
    },
  },
  {
    act: proposeWithdrawal,
    otherOptions: true,
    async open(stand) {
      const file = await newFile(stand)
      const state = async () => await stand.sql`select id from act_proposals where subject = ${file}`
      return { params: {}, words: ['--file', file, '--reason', 'another account'], subject: 'new', state }
    },
  },
  {
    act: typeLines,
    otherOptions: true,
    async open(stand) {
      const [account, mode] = [await newBank(stand), stand.tenant.livemode ? 'live' : 'test']
      const path = join(await mkdtemp(join(tmpdir(), 'stage-')), 'lines.json')
      await writeFile(path, JSON.stringify([{ effect: -500 }]))
      const state = async () => await stand.sql`select id from statement_files where account = ${account}`
      const words = ['--account', account, '--day', '2026-01-31', '--opening', '500', '--closing', '0', '--lines', path]
      return { params: {}, words: [...words, '--mode', mode], subject: 'new', state }
    },
  },
  {
    act: proposeResolution,
    fields: { resolution: 'accept', reason: 'The bank was shut' },
    async open(stand) {
      const [id, account] = [newId('dif', Date.now()), await newBank(stand)]
      await stand.sql`
        insert into differences (id, livemode, account, day, kind, status, amount)
        values (${id}, ${stand.tenant.livemode}, ${account}, '2026-01-31', 'file_missing', 'open', 0)`
      return { ...rowOf(stand, 'differences', id), subject: 'new' }
    },
  },
  { act: decideProposal.approve, second: true, elsewhere: true, open: newOpening },
  { act: decideProposal.refuse, second: true, elsewhere: true, open: newOpening },
  { act: withdrawProposal, own: true, elsewhere: true, open: newOpening },
  {
    act: setDay,
    otherOptions: true,
    async open(stand) {
      const day = addDays('2040-01-01', another())
      const state = async () => await stand.sql`select name from calendar_days where day = ${day}::date`
      return { params: {}, words: ['--day', day, '--holiday', 'Tabaski'], subject: day, state }
    },
  },
  {
    act: setProfile,
    otherOptions: true,
    async open(stand) {
      const name = `own_${process.pid}_${another()}`
      const path = join(await mkdtemp(join(tmpdir(), 'stage-')), 'profile.json')
      await writeFile(path, JSON.stringify({ ...builtInProfiles[0], profile: name }))
      const state = async () => await stand.sql`select version from statement_profiles where profile = ${name}`
      return { params: {}, words: ['--name', name, '--settings', path], subject: name, state }
    },
  },
  { act: routing.decideRoute.approve, second: true, elsewhere: true, open: newProposedRoute },
  { act: routing.decideRoute.refuse, second: true, elsewhere: true, open: newProposedRoute },
  { act: routing.withdrawRoute, own: true, elsewhere: true, open: newProposedRoute },
]
