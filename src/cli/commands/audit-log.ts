import { actWords } from '../../audit-log/act-words.ts'
import { EVERY_ACT, readActs } from '../../audit-log/find-acts.ts'
import { normalizePerson } from '../../values/independent-approver.ts'
import { type Command, CommandError, defineCommand, readInteger, readMerchant } from '../command.ts'

const LIMIT_DEFAULT = '50'
const LIMIT_MAX = 1_000

const auditLogList = defineCommand({
  name: 'audit-log list',
  summary: 'Show the acts of people, newest first: for all merchants, or for one',
  options: {
    merchant: 'optional',
    person: { kind: 'optional', value: 'EMAIL', says: 'only the acts of this person' },
    act: { kind: 'optional', value: 'ACT', says: 'only this act, such as settlement.pay' },
    id: { kind: 'optional', value: 'ID', says: 'only the acts on this settlement, request, key or other resource' },
    limit: { kind: 'optional', value: 'N', says: `lines at most, ${LIMIT_DEFAULT} when absent` },
  },
  table: {
    rows: 'acts',
    columns: ['at', 'actor', 'act', 'merchant_id', 'subject'],
    empty: 'Nobody has done anything yet.',
  },
  async run(context, { merchant, person, act, id, limit = LIMIT_DEFAULT }) {
    if (act !== undefined && !Object.hasOwn(actWords, act))
      throw new CommandError(`${act} is no act of the audit log; an act is written as in settlement.pay.`)
    const actor = person === undefined ? null : normalizePerson(person)
    if (person !== undefined && actor === null) throw new CommandError('--person has 1 to 200 characters.', 2)
    const wanted = {
      ...EVERY_ACT,
      merchant_id: merchant === undefined ? null : readMerchant(merchant),
      actor,
      act: act ?? null,
      subject: id ?? null,
    }
    const page = { after: null, limit: readInteger('limit', limit, 1, LIMIT_MAX) }
    return { acts: (await readActs(await context.sql(), wanted, page)).acts }
  },
})

export const commands: readonly Command[] = [auditLogList]
