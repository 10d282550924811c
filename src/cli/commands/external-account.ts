import { createAccount } from '../../external-accounts/create-account.ts'
import { viewAccount, walletDirections } from '../../external-accounts/external-account.ts'
import { readAccount, readAccounts } from '../../external-accounts/store.ts'
import { withdrawProposal } from '../../reconciliation/decide-proposal.ts'
import { openAccount } from '../../reconciliation/open-account.ts'
import { actCommand } from '../act-command.ts'
import { type Command, defineCommand, readMode } from '../command.ts'

const line = (value: string, says: string, sample: string) => ({ kind: 'optional', value, says, sample }) as const

const accountCreate = actCommand(createAccount, {
  details:
    'connector set makes a wallet of its name for each connector, and every installation has the account bank. A second wallet of a connector names the ' +
    'orders that it takes; it takes those that begin from a minute later on. The number is encrypted, and its last four characters stay visible.',
  deps: async (context) => ({ secretKey: await context.secretKey() }),
  instead: {
    options: {
      code: {
        kind: 'needed',
        value: 'CODE',
        says: 'its permanent name: lower-case letters, digits, - and _',
        sample: 'mtn-payouts',
      },
      kind: {
        kind: 'needed',
        says: 'the kind of account',
        choices: ['wallet', 'bank', 'safeguarding'],
        sample: 'wallet',
      },
      mode: 'needed',
      connector: line('NAME', 'of a wallet: the connector whose orders move its money', 'mtn-main'),
      direction: {
        kind: 'list',
        says: 'of a wallet: the orders that it takes',
        choices: walletDirections,
        sample: 'payout',
      },
      number: line('N', 'its number or IBAN', "'CI93 0001'"),
      profile: line('P', 'the profile that reads its statement files', 'mtn'),
      due: {
        kind: 'optional',
        says: 'how often a statement is expected; otherwise daily of a wallet and business of a bank',
        choices: ['daily', 'business'],
        sample: 'daily',
      },
      late: line(
        'DAYS',
        'the days after which a movement that no statement shows is late; otherwise 1 of a wallet and 3 of a bank',
        '2',
      ),
    },
    typed: ({ direction, ...given }) => ({
      ...(given as Record<string, string | undefined>),
      directions: (direction as readonly string[]).join(','),
    }),
  },
  async answer({ livemode, code }, context) {
    return viewAccount((await readAccount(await context.sql(), { livemode, code }))!)
  },
})

const accountList = defineCommand({
  name: 'external-account list',
  summary: 'Show the accounts that operators and banks keep for the service',
  options: {
    mode: { kind: 'optional', says: 'only this mode; otherwise both', choices: ['test', 'live'], sample: 'live' },
  },
  table: {
    rows: 'accounts',
    columns: ['account', 'kind', 'mode', 'connector', 'directions', 'profile', 'due', 'late_days', 'opened_on'],
    empty: 'There are no such accounts.',
  },
  async run(context, { mode }) {
    const accounts = await readAccounts(await context.sql(), mode === undefined ? null : readMode(mode))
    return { accounts: accounts.map(viewAccount) }
  },
})

const accountOpen = actCommand(openAccount, {
  details:
    'The comparison begins with the day after. The difference between the balance and the books of that day is money of the house (own_funds). Another person ' +
    'approves with bandama reconcile approve, or on the desk.',
  answer: ({ proposal_id, status }) => ({ proposal_id, status }),
})

const accountWithdraw = actCommand(withdrawProposal, {
  answer: ({ id: proposal_id, status }) => ({ proposal_id, status }),
})

export const commands: readonly Command[] = [accountCreate, accountList, accountOpen, accountWithdraw]
