import { readStatus, type Status } from '../../app/rules/read-status.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'

const status = defineCommand({
  name: 'status',
  summary: 'Show the state of the service; the exit code is 1 for a ticket and 2 for what must wake a person',
  details:
    'It shows the processes, due work, operations in doubt, operators, the newest backup, and the rules that fire, each with its section of ' +
    'docs/runbook.md. Operators and doubts are those of live mode. A worker evaluates the rules every 30 seconds; without one the state is page. ' +
    'The exit code 2 is also that of a mistyped command, which prints no status.',
  options: {},
  async run(context, _, { json }) {
    const read = await readStatus(await context.sql(), context.config)
    const answer = json ? read : inSentences(read)
    if (read.state === 'ok') return answer
    throw new CommandError(sentenceOf(read), read.state === 'page' ? 2 : 1, answer)
  },
})

function sentenceOf({ state, firing }: Status): string {
  if (firing.length === 0) return 'No worker evaluates the rules: see docs/runbook.md#the-service-does-not-answer.'
  const names = firing.map(({ rule }) => rule).join(', ')
  return state === 'page' ? `A person must act now: ${names}.` : `For the next working day: ${names}.`
}

/** The status with one line for each process, operator and rule. */
function inSentences({ processes, operators, firing, recovery: _, lag, doubts, backup, ...status }: Status) {
  const seconds = (of: number) => `${Math.round(of)} s`
  return {
    ...status,
    firing: firing.map(
      ({ rule, severity, since, symptom, runbook }) => `${severity} ${rule} since ${since}: ${symptom} ${runbook}`,
    ),
    processes: processes.map(
      ({ place, roles, version, silent }) => `${place} ${roles.join('+')} ${version}${silent ? ' SILENT' : ''}`,
    ),
    lag: Object.entries(lag).map(([kind, of]) => `${kind} ${seconds(of)}`),
    doubts: `${doubts.count}, the oldest for ${seconds(doubts.oldest_seconds)}, ${doubts.amount} francs together`,
    operators: operators.map(
      ({ operator, direction, operations, success_rate }) =>
        `${operator} ${direction}: ${operations} operations, success ${success_rate ?? 'not known'}`,
    ),
    backup: backup.age_seconds === null ? 'none' : `${Math.round(backup.age_seconds / 3_600)} h old`,
  }
}

export const commands: readonly Command[] = [status]
