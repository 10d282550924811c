import { listFacts } from '../../console/account/list-facts.ts'
import { sayIn } from '../../console/say.ts'
import { readMerchantName } from '../../merchants/store.ts'
import type { ActFacts } from '../../people/terminals/act-facts.ts'
import type { Tenant } from '../../values/caller.ts'
import { type Command, readAmount, readMerchant, readTenant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'

/**
 * Reads the subject of a command, as its person agrees to it. A command that declares no facts of its own has the name of its `--merchant`.
 * @throws CommandError when an option that it reads is mistyped, before anybody is asked to agree
 */
export async function readFacts(
  context: CommandContext,
  command: Command,
  values: Readonly<Record<string, unknown>>,
): Promise<ActFacts> {
  if (command.facts !== undefined) return command.facts(context, values as never)
  const { merchant } = values
  return typeof merchant === 'string' ? factsOfMerchant(context, readMerchant(merchant)) : {}
}

/** The merchant of a subject and its mode. A merchant that does not exist gives no name. */
export async function factsOfTenant(context: CommandContext, { merchant_id, livemode }: Tenant): Promise<ActFacts> {
  return { ...(await factsOfMerchant(context, merchant_id)), livemode }
}

/** The facts of a command whose options have the whole act: `--merchant`, `--mode` and `--amount`. */
export async function factsOfSum(
  context: CommandContext,
  { merchant, mode, amount }: { merchant: string; mode: string; amount: string },
): Promise<ActFacts> {
  return { ...(await factsOfTenant(context, readTenant({ merchant, mode }))), amount: readAmount('amount', amount) }
}

/** The name of the merchant concerned, for a subject without a mode. */
export async function factsOfMerchant(context: CommandContext, merchant_id: number): Promise<ActFacts> {
  const merchant = await readMerchantName(await context.sql(), merchant_id)
  return merchant === null ? {} : { merchant, merchant_id }
}

/** The facts as lines for the terminal. Empty when there are none. */
export function writeFacts(facts: ActFacts): string {
  const lines = listFacts(facts, sayIn('en')).map(({ name, value }) => `  ${name}: ${value}\n`)
  const mode = facts.livemode === undefined ? '' : `  Mode: ${facts.livemode ? 'live' : 'test'}\n`
  return `${lines.join('')}${mode}`
}
