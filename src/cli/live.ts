import { checkLive, type LiveFinding } from '../app/live-check.ts'
import { type Command, CommandError, defineCommand } from './command.ts'
import { connectorDeps } from './connector.ts'

const liveCheck = defineCommand({
  name: 'live check',
  summary: 'Go through everything that live mode needs; the exit code is 1 when something is missing',
  details:
    'Connectors and their settings, routes, PUBLIC_URL and its certificate as seen from here, the clock, fees, and whether each operator ' +
    'has called. Nothing is changed and no money moves.',
  options: {},
  async run(context, _, { json }) {
    const checks = await checkLive({ ...(await connectorDeps(context)), config: context.config })
    const lacking = checks.filter(({ status }) => status === 'missing')
    const ready = lacking.length === 0
    const answer = json ? { ready, checks } : { ready, ...Object.fromEntries(checks.map(lineOf)) }
    if (lacking.length > 0) {
      const subjects = lacking.map(({ subject }) => subject).join(', ')
      throw new CommandError(`Live mode is not ready: ${subjects}.`, 1, answer)
    }
    return answer
  },
})

function lineOf({ subject, status, message }: LiveFinding): [string, string] {
  return [subject, status === 'ok' ? message : `${status}: ${message}`]
}

export const commands: readonly Command[] = [liveCheck]
