import type { Log } from '../../platform/log.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { BalanceRead } from '../contracts/check-connector.ts'
import { noteCheck } from '../contracts/connector-store.ts'
import type { Terms } from '../contracts/connector-terms.ts'
import type { ContractDirectory } from '../contracts/contract-directory.ts'
import type { Connector, ConnectorBalance } from '../port.ts'
import { compareBalance } from './compare-balance.ts'
import * as store from './float-store.ts'

/** Days for which balances are kept that nobody accepted. */
const KEPT_DAYS = 35

/** `row` is null when the balance is not in CFA francs, as in an operator's sandbox: it is then compared with nothing, and not stored. */
export type BalanceAsked =
  | { kind: 'asked'; balance: ConnectorBalance; row: Omit<store.FloatRow, 'accepted_by' | 'accepted_at'> | null }
  | Exclude<BalanceRead, { kind: 'read' }>

/**
 * Asks an operator for its balance, and stores it with the expected one. Returns the answer of `read` when that is no
 * balance.
 * @param read calls the operator
 */
export async function askBalance(
  sql: Sql,
  connector: string,
  terms: Terms,
  read: () => Promise<BalanceRead>,
): Promise<BalanceAsked> {
  const asked_at = await store.readMoment(sql)
  const said = await read()
  if (said.kind !== 'read') return said
  const { balance } = said
  if (balance.currency !== 'XOF') return { kind: 'asked', balance, row: null }
  const facts = await store.readFacts(sql, connector, asked_at)
  const { answered_at, open_out, held, outflow_of_a_day } = facts
  const compared = compareBalance(balance.amount, facts, terms)
  const row = {
    connector,
    asked_at,
    answered_at,
    amount: balance.amount,
    in_flight: open_out,
    held,
    outflow_of_a_day,
    ...compared,
  }
  await store.insertBalance(sql, row)
  return { kind: 'asked', balance, row }
}

type Dependencies = { sql: Sql; log: Log; contracts: Pick<ContractDirectory, 'contractNamed' | 'closedGenerationOf'> }

/**
 * Checks the settings of each connector, and asks for the balance of each whose operator reports it, once every `minutes` across all
 * processes. The beginning and the end of a warning are each logged once, without amounts.
 */
export async function askDueBalances({ sql, log, contracts }: Dependencies, minutes: number): Promise<void> {
  for (const name of await store.claimDue(sql, minutes)) {
    const contract = contracts.contractNamed(name)
    const generation = contract?.generation ?? contracts.closedGenerationOf(name)
    // A contract that is so new that this process has not read it yet is checked the next time.
    if (generation === null) continue
    const fails = contract === null || (await checkFails(contract.connector))
    if (await noteCheck(sql, { name, generation }, fails))
      tell(log, name, fails ? [] : ['check_fails'], fails ? ['check_fails'] : [])
    if (contract === null || contract.connector.balance === undefined) continue
    const { connector, terms } = contract
    const [before] = await store.readNewest(sql, name)
    try {
      const asked = await askBalance(sql, name, terms, async () => ({
        kind: 'read',
        balance: await connector.balance!(),
      }))
      if (asked.kind === 'asked' && asked.row !== null) tell(log, name, before?.warnings ?? [], asked.row.warnings)
      await store.dropOldBalances(sql, name, KEPT_DAYS)
    } catch {
      // The error is not logged, because an operator's answer may contain anything.
      log.warn(
        { connector: name },
        'operators: the balance of a connector could not be read, it is asked for again later',
      )
    }
  }
}

/** Whether a check names a problem. An answer that nobody can read is one; an operator without such a call has none. */
async function checkFails({ check }: Pick<Connector, 'check'>): Promise<boolean> {
  try {
    return (await check?.())?.kind === 'fails'
  } catch {
    return true
  }
}

function tell(log: Log, connector: string, before: readonly string[], now: readonly string[]): void {
  for (const warning of now) {
    if (!before.includes(warning)) log.warn({ connector, warning }, 'operators: connector needs a person')
  }
  for (const warning of before) {
    if (!now.includes(warning)) log.info({ connector, warning }, 'operators: warning about a connector is over')
  }
}
