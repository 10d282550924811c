import { type ProposalRow, viewAnomaly, viewProposal } from '../../anomalies/anomaly.ts'
import { approveResolution, refuseResolution } from '../../anomalies/decide-resolution.ts'
import { readAnomalies, readAnomaly } from '../../anomalies/find-anomalies.ts'
import { openAnomaly } from '../../anomalies/open-anomaly.ts'
import { proposeResolution } from '../../anomalies/propose-resolution.ts'
import { conclusions } from '../../app/work.ts'
import { actCommand } from '../act-command.ts'
import { type Command, CommandError, defineCommand, idOf, readTenant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { openRegistry } from '../open-registry.ts'

const anomalyList = defineCommand({
  name: 'anomaly list',
  summary: 'Show the open anomalies (reports of operators that contradict our records), with their evidence',
  options: { merchant: 'optional', mode: 'optional' },
  table: {
    rows: 'anomalies',
    columns: ['id', 'merchant', 'kind', 'opened_at', 'fact'],
    empty: 'No anomaly is open.',
  },
  async run(context, { merchant, mode }) {
    if ((merchant === undefined) !== (mode === undefined)) {
      throw new CommandError('Give --merchant and --mode together.', 2)
    }
    const tenant = merchant === undefined ? null : readTenant({ merchant, mode: mode! })
    return { anomalies: (await readAnomalies(await context.sql(), tenant)).map(viewAnomaly) }
  },
})

const anomalyShow = defineCommand({
  name: 'anomaly show',
  summary: 'Show an anomaly, its subject and the proposed resolution',
  options: { id: idOf('ano', 'anomaly') },
  async run(context, { id }) {
    const file = await readAnomaly(await context.sql(), id)
    if (file === null) throw new CommandError(`There is no anomaly ${id}.`)
    const { anomaly, subject, proposals } = file
    const about =
      subject === null
        ? null
        : {
            direction: subject.direction,
            amount: subject.amount,
            state: subject.state,
            failure_code: subject.failure_code,
          }
    return { ...viewAnomaly(anomaly), about, proposals: proposals.map(viewProposal) }
  },
})

const registryOf = async (context: CommandContext) => ({ registry: await openRegistry(context) })

const anomalyOpen = actCommand(openAnomaly, { deps: registryOf, answer: (opened) => opened })

const viewDecided = (proposal: ProposalRow) => ({ anomaly_id: proposal.anomaly_id, ...viewProposal(proposal) })

const anomalyPropose = actCommand(proposeResolution, {
  deps: registryOf,
  example: "--id ano_01k5v0e9t8fq3a7mzd4n2xw6rb --resolution nothing --reason 'Agreed by phone'",
  answer: viewDecided,
})
const anomalyApprove = actCommand(approveResolution, {
  deps: async () => ({ conclusions }),
  answer: viewDecided,
})
const anomalyRefuse = actCommand(refuseResolution, { answer: viewDecided })

export const commands: readonly Command[] = [
  anomalyList,
  anomalyShow,
  anomalyOpen,
  anomalyPropose,
  anomalyApprove,
  anomalyRefuse,
]
