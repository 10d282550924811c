import { archiveBeneficiary } from '../../beneficiaries/archive-beneficiary.ts'
import { beneficiaryIdIn } from '../../beneficiaries/beneficiary.ts'
import { createDestination, type SettlementDestination } from '../../beneficiaries/create-destination.ts'
import { designateDestination } from '../../beneficiaries/designate-destination.ts'
import { Iban } from '../../beneficiaries/iban.ts'
import { proposeDestination } from '../../beneficiaries/propose-destination.ts'
import { findEntry, readBeneficiary } from '../../beneficiaries/store.ts'
import type { Tenant } from '../../values/caller.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { isOperatorCode, operatorCodes } from '../../values/operators.ts'
import { type Command, CommandError, defineCommand, readTenant, readTime } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { factsOfTenant } from '../sign-in/act-facts.ts'

/** The merchant of an entry. */
async function ownerOfEntry(context: CommandContext, { id: text }: { id: string }): Promise<number | null> {
  const id = beneficiaryIdIn(text)
  return id === null ? null : ((await findEntry(await context.sql(), id))?.merchant_id ?? null)
}

const beneficiaryArchive = defineCommand({
  name: 'beneficiary archive',
  summary: 'Archive an entry of a book: no new payout goes there, and its number can be added again',
  right: 'beneficiaries.manage',
  merchantOf: ownerOfEntry,
  options: {
    id: {
      kind: 'needed',
      value: 'UUID',
      says: 'the entry of the book',
      sample: '0199f2a0-7c1e-7d55-9a3b-2f4c6d8e0a1b',
    },
    as: 'optional',
  },
  async run(context, { id, as }) {
    const result = await archiveBeneficiary(await context.sql(), id, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(`There is no beneficiary ${id}.`)
    const { id: beneficiary_id, active, archived_at } = result.beneficiary
    return { beneficiary_id, active, archived_at }
  },
})

const destinationCreate = defineCommand({
  name: 'destination create',
  summary:
    "Add a destination for settlements to a merchant's book: an account (--iban) or a wallet (--msisdn, --operator)",
  right: 'destination.propose',
  options: {
    merchant: 'needed',
    mode: 'needed',
    iban: { kind: 'optional', value: 'IBAN', says: "an account at a bank of Côte d'Ivoire" },
    msisdn: { kind: 'optional', value: 'NUMBER', says: 'the number of a wallet, with --operator' },
    operator: { kind: 'optional', says: 'the operator of the wallet' },
    name: { kind: 'needed', says: 'the holder, 2 to 200 characters' },
    as: 'optional',
  },
  example: "--merchant 1 --mode test --iban CI93CI0080111301134291200589 --name 'Boutique Awa'",
  async run(context, { merchant, mode, iban, msisdn, operator, name, as }) {
    const tenant = readTenant({ merchant, mode })
    const destination = readDestination({ iban, msisdn, operator })
    const result = await createDestination(await context.sql(), tenant, destination, name, context.actor(as))
    if (result.kind === 'refused') throw new CommandError(destinationRefusals[result.code])
    const { id: beneficiary_id, last4 } = result.beneficiary
    return { beneficiary_id, last4, created: result.kind === 'created' }
  },
})

const destinationRefusals = {
  invalid_name: '--name has 2 to 200 characters.',
  resource_not_found: 'There is no such merchant.',
}

type Written = { iban: string | undefined; msisdn: string | undefined; operator: string | undefined }

/** Reads the destination. A message does not repeat the typed text, because it may be an account with one wrong digit. */
function readDestination({ iban, msisdn, operator }: Written): SettlementDestination {
  if ((iban === undefined) === (msisdn === undefined)) {
    throw new CommandError('A destination is either --iban, or --msisdn and --operator.', 2)
  }
  if (iban !== undefined) {
    const account = Iban.parse(iban)
    if (account === null) throw new CommandError("--iban is no account of a bank of Côte d'Ivoire.", 2)
    if (operator !== undefined) throw new CommandError('--operator belongs to --msisdn.', 2)
    return { iban: account }
  }
  const number = Msisdn.parse(msisdn!)
  if (number === null) throw new CommandError("--msisdn is no mobile number of Côte d'Ivoire.", 2)
  if (operator === undefined || !isOperatorCode(operator)) {
    throw new CommandError(`--operator must be one of ${operatorCodes.join(', ')}.`, 2)
  }
  return { msisdn: number, operator }
}

const destinationDesignate = defineCommand({
  name: 'destination designate',
  summary: 'Designate the destination of settlements, instead of the previous one',
  details:
    'A signed-in person proposes it, and another person confirms it in the console. Without a sign-in it takes effect at once.',
  right: 'destination.propose',
  fresh: true,
  async facts(context, { merchant, mode, beneficiary }) {
    const tenant = readTenant({ merchant, mode })
    const id = beneficiaryIdIn(beneficiary)
    const entry = id === null ? null : await readBeneficiary(await context.sql(), { ...tenant, id })
    if (entry === null) return {}
    const { name, operator, last4: number_end } = entry
    return { ...(await factsOfTenant(context, tenant)), recipient: { name, operator, number_end } }
  },
  options: { merchant: 'needed', mode: 'needed', beneficiary: 'needed', since: 'optional', as: 'optional' },
  async run(context, { merchant, mode, beneficiary, since, as }) {
    const tenant = readTenant({ merchant, mode })
    const from = since === undefined ? null : readTime('since', since)
    if (context.signedIn !== null) return propose(context, tenant, beneficiary, from)
    const result = await designateDestination(await context.sql(), tenant, beneficiary, from, context.actor(as))
    if (result.kind === 'refused') {
      throw new CommandError(`This merchant has no active settlement destination ${beneficiary}.`)
    }
    return { beneficiary_id: result.id, designated_at: result.designated_at }
  },
})

/** Proposes a designation, as the first of two people. Nothing changes until another person confirms. */
async function propose(context: CommandContext, tenant: Tenant, beneficiary: string, since: Date | null) {
  if (since !== null)
    throw new CommandError('--since is for a designation made elsewhere: a proposal holds from its confirmation on.', 2)
  const result = await proposeDestination(await context.sql(), tenant, beneficiary, context.actor(undefined))
  if (result.kind === 'refused') throw new CommandError(whyNotProposed[result.code])
  context.advise('Settlements go there once another person has confirmed it in the console.')
  const { id: proposal_id, status } = result.proposal
  return { beneficiary_id: beneficiary, proposal_id, status }
}

const whyNotProposed = {
  resource_not_found: 'This merchant has no such active settlement destination.',
  already_designated: 'Settlements go there already.',
  another_waits: 'Another proposal waits for its second person.',
}

export const commands: readonly Command[] = [beneficiaryArchive, destinationCreate, destinationDesignate]
