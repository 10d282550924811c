import { createRecipientChecks } from '../../app/work.ts'
import { holderNameIn } from '../../beneficiaries/beneficiary.ts'
import { Msisdn, operatorOfPrefix } from '../../values/msisdn.ts'
import { isOperatorCode, operatorCodes } from '../../values/operators.ts'
import { type Command, CommandError, defineCommand, readTenant } from '../command.ts'
import { openRegistry } from '../open-registry.ts'

const recipientCheck = defineCommand({
  name: 'recipient check',
  summary: 'Ask the operator of a number whether a name is that of its holder: match, close, no_match or unknown',
  details:
    "The service asks the operator that would take this merchant's payout. No money moves, and nobody sees the operator's name of the holder. " +
    "In 24 hours a merchant's number can be checked a few times, by the merchant's calls and this command together.",
  options: {
    merchant: 'needed',
    mode: 'needed',
    msisdn: { kind: 'needed', value: 'NUMBER', says: 'the number', sample: '0500000010' },
    name: { kind: 'needed', says: 'the name to compare', sample: "'Awa Koné'" },
    operator: { kind: 'optional', says: 'the operator; otherwise that of the prefix' },
  },
  async run(context, { merchant, mode, msisdn: written, name, operator }) {
    const tenant = readTenant({ merchant, mode })
    const msisdn = Msisdn.parse(written)
    // A message does not repeat the number, because it may be a real one with one wrong digit.
    if (msisdn === null) throw new CommandError('--msisdn is ten digits, or the same after +225.', 2)
    const holder = holderNameIn(name, 1)
    if (holder === null) throw new CommandError('--name has 1 to 200 characters.', 2)
    if (operator !== undefined && !isOperatorCode(operator))
      throw new CommandError(`--operator is ${operatorCodes.join(', ')}.`, 2)
    const [sql, secretKey, registry] = await Promise.all([context.sql(), context.secretKey(), openRegistry(context)])
    const { config, clock, log } = context
    const check = createRecipientChecks({ sql, config, secretKey, clock, log, registry })
    const recipient = { msisdn, operator: operator ?? operatorOfPrefix(msisdn), name: holder }
    const result = await check(tenant, recipient)
    if (result === 'too_often')
      throw new CommandError('This number was checked too often for this merchant. Try again in 24 hours.')
    return { result, operator: recipient.operator, checked_at: clock.now().toISOString() }
  },
})

export const commands: readonly Command[] = [recipientCheck]
