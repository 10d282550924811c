import { readFile, stat } from 'node:fs/promises'
import type { ActProposal } from '../../acts/proposal.ts'
import { decideProposal } from '../../reconciliation/decide-proposal.ts'
import { proposeResolution } from '../../reconciliation/differences/propose-resolution.ts'
import { typeLines } from '../../reconciliation/type-lines.ts'
import { proposeWithdrawal } from '../../reconciliation/withdraw-file.ts'
import { viewFile } from '../../statement-files/import/statement-file.ts'
import { TYPED_BYTES_MAX } from '../../statement-files/import/typed-lines.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError } from '../command.ts'

const {
  account: { option: account },
  day: { option: day },
  opening: { option: opening },
  closing: { option: closing },
  mode: { option: mode },
} = typeLines.fields

async function readLines(path: string): Promise<string> {
  const tooLong = new CommandError(`Typed lines have at most ${TYPED_BYTES_MAX} bytes.`)
  if (path === '-') {
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of process.stdin) {
      bytes += piece.length
      if (bytes > TYPED_BYTES_MAX) throw tooLong
      pieces.push(Buffer.from(piece))
    }
    return Buffer.concat(pieces).toString('utf8')
  }
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) throw new CommandError(`There is no file ${path}.`)
  if (found.size > TYPED_BYTES_MAX) throw tooLong
  return readFile(path, 'utf8')
}

const decided = { answer: ({ id: proposal_id, status }: ActProposal) => ({ proposal_id, status }) }

export const commands: readonly Command[] = [
  actCommand(typeLines, {
    details:
      'FILE is a JSON list of at most 500 lines: effect (francs, negative for money that left), and where the statement has them fee, reference, our_reference, text and class ' +
      '(operation, fee, tax or own_transfer). The opening balance and all effects give the closing balance. Another person approves with bandama reconcile approve.',
    example: '--account bank --day 2026-11-30 --opening 1250000 --closing 1300000 --lines lines.json',
    instead: {
      options: {
        account: { kind: 'needed', ...account },
        day: { kind: 'needed', ...day },
        opening: { kind: 'needed', ...opening },
        closing: { kind: 'needed', ...closing },
        lines: {
          kind: 'needed',
          value: 'FILE',
          says: 'the lines as JSON; - reads standard input',
          sample: 'lines.json',
        },
        mode: { kind: 'optional', ...mode },
      },
      typed: (given) => given as Record<string, string | undefined>,
    },
    deps: async (_context, _call, { lines }) => ({ lines: await readLines(lines as string) }),
    answer: ({ file, is_repeated, proposal_id }) => ({ ...viewFile(file, is_repeated), proposal_id }),
  }),
  actCommand(proposeWithdrawal, {
    details:
      'Another person approves with bandama reconcile approve. Lines that another file shows too stay, as that file shows them; the others are withdrawn. The same bytes ' +
      'can be imported again afterwards.',
    answer: ({ proposal_id, status }) => ({ proposal_id, status }),
  }),
  actCommand(proposeResolution, {
    details:
      'assign (with --merchant) and own_funds are for money that arrived; charge, own_transfer, own_funds and loss for money that left; accept for wrong_day, wrong_account, ' +
      'line_changed and file_missing. Another person approves with bandama reconcile approve: the money of the line is then booked, once.',
    example: '--id dif_01k9zp3v6hfa8r2m4n5q7w8xyz --resolution assign --merchant 1 --reason Deposit',
    answer: ({ proposal_id, status }) => ({ proposal_id, status }),
  }),
  actCommand(decideProposal.approve, decided),
  actCommand(decideProposal.refuse, decided),
]
