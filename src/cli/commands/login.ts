import type { FactorDeps } from '../../people/factors/factor-deps.ts'
import type { Browser } from '../../people/sessions/browser.ts'
import { endSession } from '../../people/sessions/end-session.ts'
import { readSession } from '../../people/sessions/read-session.ts'
import { beginSignIn, finishSignIn } from '../../people/sign-in/sign-in.ts'
import { takeSession } from '../../people/terminals/take-agreement.ts'
import type { Secret } from '../../values/secret.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { agreeInBrowser, thisMachine } from '../sign-in/agree-in-browser.ts'
import { openSecretPrompt } from '../sign-in/ask-secret.ts'
import { readSignIn } from '../sign-in/authorize.ts'
import { openFactorDeps, whyRefused } from '../sign-in/factors.ts'
import { readSessionFile, removeSessionFile, writeSessionFile } from '../sign-in/session-file.ts'

const login = defineCommand({
  name: 'login',
  summary: 'Sign in on the command line: later commands act as this person, with their rights',
  details:
    'It shows a code. The person types it into the console or the desk, in any browser where they are signed in, and agrees with a fresh factor, such as ' +
    "a passkey. With --email it asks here for that person's password, then for a code of their phone or a recovery code, and shows " +
    'neither; from a pipe it reads a line for each. The sign-in ends after 15 minutes without a command, and after eight hours at most. Its token is in a ' +
    'file that only this user can read. Without a sign-in a command is break-glass: it acts under the name in --as, and the audit log shows that ' +
    'nobody proved the name.',
  options: {
    email: {
      kind: 'optional',
      says: 'the e-mail address of a person who signs in here, with a password; without it, in a browser',
      sample: 'awa@example.com',
    },
  },
  async run(context, { email }) {
    const deps = await openFactorDeps(context)
    try {
      const former = (await readSessionFile(context))?.reveal() ?? null
      const browser = { ...thisMachine(), former }
      const token =
        email === undefined ? await byBrowser(context, deps, browser) : await byPassword(deps, email, browser)
      await writeSessionFile(context, token)
      const session = await readSession(deps, token.reveal(), 'command_line')
      if (session === null) throw new CommandError('The sign-in ended at once. Try again.')
      const { person, staff_roles, memberships, ends_at } = session
      const merchants = memberships.map(({ merchant_id, roles }) => ({ merchant_id, roles }))
      return { email: person.email, staff_roles, merchants, ends_at: ends_at.toISOString() }
    } finally {
      deps.limits.close()
    }
  },
})

async function byPassword(deps: FactorDeps, email: string, browser: Browser): Promise<Secret> {
  const prompt = openSecretPrompt()
  try {
    const password = await prompt.ask('Password: ')
    const begun = await beginSignIn(deps, { email, password: password.reveal(), browser })
    if (begun.kind === 'refused') throw new CommandError(whyRefused[begun.code])
    const code = await prompt.ask('Code of the phone, or a recovery code: ')
    const typed = { attempt: begun.attempt.reveal(), code: code.reveal().replace(/\s/g, ''), browser }
    const done = await finishSignIn(deps, typed)
    if (done.kind === 'refused') throw new CommandError(whyRefused[done.code])
    return done.session.token
  } finally {
    prompt.close()
  }
}

async function byBrowser(context: CommandContext, deps: FactorDeps, browser: Browser): Promise<Secret> {
  const question = { asked: { command: 'login', options: {} }, person_id: null }
  const { session } = await agreeInBrowser(context, deps, question, (token) => takeSession(deps, { token, browser }))
  return session.token
}

const logout = defineCommand({
  name: 'logout',
  summary: 'Sign out on the command line of this machine',
  options: {},
  async run(context) {
    const signIn = await readSignIn(context)
    if (signIn.kind === 'signed_in') await endSession({ sql: await context.sql() }, signIn.session, thisMachine())
    await removeSessionFile(context)
    return { signed_out: signIn.kind === 'signed_in' }
  },
})

export const commands: readonly Command[] = [login, logout]
