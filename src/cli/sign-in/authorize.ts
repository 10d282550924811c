import { readSession } from '../../people/sessions/read-session.ts'
import type { Session } from '../../people/sessions/session.ts'
import { type Right, rightsOf, rolesWith } from '../../values/rights.ts'
import { type Command, CommandError, readMerchant } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { proveAfresh } from './prove-afresh.ts'
import { readSessionFile } from './session-file.ts'

/** The sign-in of this user on this machine. `over`: a sign-in that has ended. */
export type SignIn = { kind: 'signed_in'; session: Session } | { kind: 'over' } | { kind: 'none' }

/** Reads the sign-in anew, as each request of a browser does, so that a right withdrawn a moment ago is gone. */
export async function readSignIn(context: CommandContext): Promise<SignIn> {
  const token = await readSessionFile(context)
  if (token === null) return { kind: 'none' }
  const session = await readSession({ sql: await context.sql(), clock: context.clock }, token.reveal(), 'command_line')
  return session === null ? { kind: 'over' } : { kind: 'signed_in', session }
}

/**
 * Authorizes a command. A signed-in person needs a role with the command's right, in the staff or at the merchant
 * concerned, and confirms with a fresh factor the acts for which the console needs one too. Without a
 * sign-in the command acts as break-glass, which the audit log shows. A command without a right only reads or runs the
 * service, and is always allowed.
 * @throws CommandError naming the roles that may run it, or when the sign-in has ended, so that an expired sign-in
 * never turns into break-glass
 */
export async function authorize(context: CommandContext, command: Command, values: never): Promise<void> {
  const right = typeof command.right === 'function' ? command.right(values) : (command.right ?? null)
  if (right === null) return
  const signIn = await readSignIn(context)
  if (signIn.kind === 'none') {
    // A command without a factor may have a --code of its own.
    const { code } = values as { code?: string }
    if (command.fresh === undefined || code === undefined) return
    throw new CommandError(
      'Nobody has signed in, and --code is of somebody who has: bandama login, or leave it out.',
      2,
    )
  }
  if (signIn.kind === 'over') {
    throw new CommandError(
      'Your sign-in has ended. Sign in again with bandama login, or run bandama logout to act without one.',
    )
  }
  const { session } = signIn
  if (!(await hasRight(context, session, command, right, values))) {
    const { email } = session.person
    throw new CommandError(
      `${email} does not have the right to do this. These roles have it: ${rolesWith(right).join(', ')}.`,
    )
  }
  context.signedIn = session
  // A command with another person's name is refused before the person is asked for a factor.
  context.actor((values as { as?: string }).as)
  const { fresh = () => false } = command
  if (fresh !== true && !fresh(values)) return
  const question = await command.question!(context, values)
  if (question !== null) context.proof = await proveAfresh(context, session, command, question, values)
}

async function hasRight(
  context: CommandContext,
  { memberships, staff_roles }: Session,
  command: Command,
  right: Right,
  values: never,
): Promise<boolean> {
  if (rightsOf(staff_roles).has(right)) return true
  const { merchant } = values as { merchant?: string }
  const merchant_id =
    command.merchantOf !== undefined
      ? await command.merchantOf(context, values)
      : merchant === undefined
        ? null
        : readMerchant(merchant)
  const membership = memberships.find((member) => member.merchant_id === merchant_id)
  return membership !== undefined && rightsOf(membership.roles).has(right)
}
