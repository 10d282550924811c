import { decideCheck, proposeCheck, withdrawCheck } from '../../merchant-files/check-merchant.ts'
import type { MerchantDocument } from '../../merchant-files/document.ts'
import { readDocuments } from '../../merchant-files/document-store.ts'
import { askDocument, checkDocument, eraseDocument, refuseDocument } from '../../merchant-files/documents.ts'
import { emptyFile } from '../../merchant-files/merchant-file.ts'
import { addOwner, endOwner } from '../../merchant-files/owners.ts'
import { setFile } from '../../merchant-files/set-file.ts'
import { readFile, readOwners } from '../../merchant-files/store.ts'
import { merchantExists } from '../../merchants/store.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, readMerchant } from '../command.ts'
import { viewProposal } from '../view-proposal.ts'

const fileShow = defineCommand({
  name: 'merchant-file show',
  summary: 'Show the file of a merchant: its business and the owners above 25 %',
  options: { merchant: 'needed' },
  async run(context, { merchant }) {
    const sql = await context.sql()
    const merchant_id = readMerchant(merchant)
    if (!(await merchantExists(sql, merchant_id))) throw new CommandError(`There is no merchant ${merchant_id}.`)
    const [file, owners, documents] = await Promise.all([
      readFile(sql, merchant_id),
      readOwners(sql, merchant_id),
      readDocuments(sql, merchant_id),
    ])
    const ofOwners = owners.map(({ merchant_id: _, ...owner }) => owner)
    return { merchant_id, ...(file ?? emptyFile), owners: ofOwners, documents: documents.map(ofFile) }
  },
})

const fileSet = actCommand(setFile, {
  details: 'A fact without its option stays as it is; an empty text takes it away.',
  example: "--merchant 1 --legal-name 'Wafou Restauration SARL' --tax-number 2509871K",
  answer: (file) => file,
})

const ofFile = ({ hash, ...document }: MerchantDocument) => ({ ...document, hash: hash?.toString('hex') ?? null })

const checkPropose = actCommand(proposeCheck, {
  answer: (made) => made,
  advice: ({ proposal_id }) =>
    `Another person confirms it on the desk, or with bandama merchant-check approve --id ${proposal_id}.`,
})
const decided = { answer: viewProposal }
const checkApprove = actCommand(decideCheck.approve, decided)
const checkRefuse = actCommand(decideCheck.refuse, decided)
const checkWithdraw = actCommand(withdrawCheck, decided)

const documentAsk = actCommand(askDocument, { answer: ofFile })
const documentCheck = actCommand(checkDocument, { answer: ofFile })
const documentRefuse = actCommand(refuseDocument, { answer: ofFile })
const documentErase = actCommand(eraseDocument, { answer: ofFile })

const ownerAdd = actCommand(addOwner, { answer: (owner) => owner })
const ownerEnd = actCommand(endOwner, { answer: (owner) => owner })

export const commands: readonly Command[] = [
  fileShow,
  fileSet,
  ownerAdd,
  ownerEnd,
  checkPropose,
  checkApprove,
  checkRefuse,
  checkWithdraw,
  documentAsk,
  documentCheck,
  documentRefuse,
  documentErase,
]
