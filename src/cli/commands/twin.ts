import { once } from 'node:events'
import { getSystemErrorMessage } from 'node:util'
import type { RunningTwin } from '../../twin/start-twin.ts'
import { type Command, CommandError, defineCommand, readInteger } from '../command.ts'
import { outputClosed, print } from '../output.ts'

const twin = defineCommand({
  name: 'twin',
  summary: "Run the operators' twin: their APIs and a phone for every number, without a contract",
  details: 'It listens on HOST, prints the settings of connectors that reach it, and ends with Ctrl-C.',
  options: {
    port: { kind: 'optional', value: 'PORT', says: 'the port it listens on, 4010 without it', sample: '4010' },
    callbacks: {
      kind: 'optional',
      value: 'URL',
      says: 'the service that it calls back, if each connector has the name of its type',
      sample: 'http://127.0.0.1:3000',
    },
    state: { kind: 'optional', value: 'FILE', says: 'a file that keeps its state; without it a new one starts empty' },
  },
  async run({ config }, { port = '4010', callbacks, state }, { json }) {
    if (callbacks !== undefined && !/^https?:$/.test(URL.parse(callbacks)?.protocol ?? ''))
      throw new CommandError('--callbacks is an address such as http://127.0.0.1:3000.', 2)
    // Loaded here: no other command needs it.
    const { startTwin } = await import('../../twin/start-twin.ts')
    const running = await startTwin({
      port: readInteger('port', port, 0, 65_535),
      host: config.host,
      state_file: state ?? null,
    }).catch((error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'another program listens there'
          : error.errno === undefined
            ? error.message
            : getSystemErrorMessage(error.errno)
      throw new CommandError(`The twin cannot start on port ${port}: ${why}.`)
    })
    // A signal may come as soon as the first line is printed.
    const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), outputClosed])
    const connectors = running.connectors()
    if (callbacks !== undefined) callBack(running, connectors, callbacks)
    const phones = `${running.url}/phones`
    await print(
      json
        ? `${JSON.stringify({ url: running.url, phones, steering: `${running.url}/_twin`, connectors })}\n`
        : welcome(running.url, phones, connectors),
    )
    await stopped
    await running.close()
    return null
  },
})

/** Sets the callback address of the APIs with a fixed one, which a person would enter in a dashboard. Others get it with each order. */
function callBack(running: RunningTwin, connectors: ReturnType<RunningTwin['connectors']>, service: string): void {
  for (const [api, { type }] of Object.entries(connectors)) {
    const callback_url = new URL(`/operators/${type}/callbacks`, service).href
    if ('callback_url' in running.settings(api)) running.change(api, { callback_url })
  }
}

function welcome(
  url: string,
  phones: string,
  connectors: Record<string, { type: string; settings: Record<string, string> }>,
): string {
  return [
    "The operators' twin runs. End with Ctrl-C.",
    `  Phones      ${phones}`,
    `  Steering    ${url}/_twin`,
    '',
    'Settings of connectors that reach it, by type:',
    JSON.stringify(
      Object.fromEntries(Object.values(connectors).map(({ type, settings }) => [type, settings])),
      null,
      2,
    ),
    '',
  ].join('\n')
}

export const commands: readonly Command[] = [twin]
