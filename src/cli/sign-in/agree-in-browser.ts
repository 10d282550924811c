import { hostname, userInfo } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { hasConsole, signInOrigin } from '../../app/public-origin.ts'
import type { FactorDeps } from '../../people/factors/factor-deps.ts'
import type { Browser } from '../../people/sessions/browser.ts'
import { askInBrowser } from '../../people/terminals/ask-in-browser.ts'
import type { TerminalRequest } from '../../people/terminals/store.ts'
import type { Taken } from '../../people/terminals/take-agreement.ts'
import type { Secret } from '../../values/secret.ts'
import { CommandError } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { serviceOrigin } from '../service-origin.ts'

/** Milliseconds between two checks whether a person has agreed. */
const LOOK_MS = 1_000

/** Returns the description of this command line for the session and the audit log. */
export function thisMachine(): Browser {
  return { door: 'command_line', address: '127.0.0.1', user_agent: `bandama, ${userInfo().username} at ${hostname()}` }
}

/**
 * Shows a code and waits until a person has agreed in a browser, ten minutes at most.
 * @param person_id the person who must agree; null: a sign-in of any person
 * @param take takes the agreement, once there is one
 * @throws CommandError when the console is off, the person refuses, or nobody agrees in time
 */
export async function agreeInBrowser<Result extends { kind: string }>(
  context: CommandContext,
  deps: FactorDeps,
  { asked, person_id }: { asked: Omit<TerminalRequest, 'user'>; person_id: string | null },
  take: (token: Secret) => Promise<Taken<Result>>,
): Promise<Exclude<Result, { kind: 'waits' | 'declined' | 'over' }>> {
  if (!hasConsole(context.config)) {
    throw new CommandError(
      'The console of this service is off or not reached over https, so nobody can agree in a browser.',
    )
  }
  const user = `${userInfo().username}@${hostname()}`
  const begun = await askInBrowser(deps, { asked: { ...asked, user }, person_id })
  process.stderr.write(
    `Open ${(await addresses(context)).join(' or ')} in a browser where you are signed in, and type this code: ${begun.code.reveal()}\n` +
      'It holds ten minutes. Waiting for your agreement …\n',
  )
  for (;;) {
    const taken = await take(begun.token)
    if (taken.kind === 'declined') throw new CommandError('This was refused in the browser. Nothing was done.')
    if (taken.kind === 'over')
      throw new CommandError('Nobody has agreed within ten minutes. Nothing was done: begin again.')
    if (taken.kind !== 'waits') return taken as Exclude<Result, { kind: 'waits' | 'declined' | 'over' }>
    await wait(LOOK_MS)
  }
}

/** Returns the addresses at which the code can be typed: the console, and the desk if it has an address of its own. */
async function addresses(context: CommandContext): Promise<string[]> {
  const origin = await serviceOrigin(context)
  const [console, desk] = [false, true].map((staff) => signInOrigin(context.config, staff, origin))
  return console === desk
    ? [`${console}/console/command-line`]
    : [`${console}/console/command-line`, `${desk}/desk/command-line`]
}
