import { archiveBeneficiary } from '../../beneficiaries/archive-beneficiary.ts'
import { beneficiaryIdIn } from '../../beneficiaries/beneficiary.ts'
import { createDestination } from '../../beneficiaries/create-destination.ts'
import { designateDestination } from '../../beneficiaries/designate-destination.ts'
import { proposeDestination } from '../../beneficiaries/propose-destination.ts'
import { findEntry } from '../../beneficiaries/store.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, readTenant, readTime } from '../command.ts'
import type { CommandContext } from '../command-context.ts'

/** The merchant of an entry. */
async function ownerOfEntry(context: CommandContext, text: string): Promise<number | null> {
  const id = beneficiaryIdIn(text)
  return id === null ? null : ((await findEntry(await context.sql(), id))?.merchant_id ?? null)
}

const beneficiaryArchive = actCommand(archiveBeneficiary, {
  merchantOf: ownerOfEntry,
  answer: ({ id: beneficiary_id, active, archived_at }) => ({ beneficiary_id, active, archived_at }),
})

const { iban, msisdn, operator } = createDestination.fields

const destinationCreate = actCommand(createDestination, {
  example: "--merchant 1 --mode test --iban CI93CI0080111301134291200589 --name 'Boutique Awa'",
  instead: {
    options: {
      iban: { kind: 'optional', value: iban.option.value!, says: iban.option.says! },
      msisdn: { kind: 'optional', value: msisdn.option.value!, says: msisdn.option.says! },
      operator: { kind: 'optional', says: operator.option.says! },
      name: { kind: 'needed', says: 'the holder, 2 to 200 characters' },
    },
    typed: (given) => readAccount(given as Account),
  },
  answer: ({ id: beneficiary_id, last4, created }) => ({ beneficiary_id, last4, created }),
})

type Account = { iban?: string; msisdn?: string; operator?: string; name: string }

/** Reads which of the two kinds of destinations is named. @throws CommandError for both, and for none */
function readAccount({ iban, msisdn, operator, name: holder }: Account) {
  if ((iban === undefined) === (msisdn === undefined))
    throw new CommandError('A destination is either --iban, or --msisdn and --operator.', 2)
  if (iban !== undefined && operator !== undefined) throw new CommandError('--operator belongs to --msisdn.', 2)
  // A space is no operator, so that a number without one is refused.
  return { iban: iban ?? '', msisdn: msisdn ?? '', operator: iban === undefined ? (operator ?? ' ') : '', holder }
}

const ofPerson = actCommand(proposeDestination, {
  name: 'destination designate',
  details:
    'A signed-in person proposes it, and another person confirms it in the console. Without a sign-in it takes effect at once.',
  instead: {
    options: { beneficiary: 'needed', since: 'optional' },
    typed: ({ beneficiary, since }) => {
      if (since !== undefined)
        throw new CommandError(
          '--since is for a designation made elsewhere: a proposal holds from its confirmation on.',
          2,
        )
      return { to: beneficiary as string, iban: '', msisdn: '', operator: '', holder: '' }
    },
  },
  answer: ({ beneficiary_id, proposal_id, status }) => ({ beneficiary_id, proposal_id, status }),
  advice: ({ by_company }) =>
    by_company
      ? 'The company calls back, and settlements go there once two of its people have confirmed it on the desk.'
      : 'Settlements go there once another person has confirmed it in the console.',
})

type Designation = { merchant: string; mode: string; beneficiary: string; since?: string; as?: string }

/** Without a sign-in it designates at once, on the host. */
const destinationDesignate: Command = {
  ...ofPerson,
  summary: 'Designate the destination of settlements, instead of the previous one',
  async run(context, given: never, output) {
    if (context.signedIn !== null) return ofPerson.run(context, given, output)
    const { merchant, mode, beneficiary, since, as }: Designation = given
    const tenant = readTenant({ merchant, mode })
    const from = since === undefined ? null : readTime('since', since)
    const result = await designateDestination(await context.sql(), tenant, beneficiary, from, context.actor(as))
    if (result.kind === 'refused') {
      throw new CommandError(`This merchant has no active settlement destination ${beneficiary}.`)
    }
    return { beneficiary_id: result.id, designated_at: result.designated_at }
  },
}

export const commands: readonly Command[] = [beneficiaryArchive, destinationCreate, destinationDesignate]
