import { hostname, userInfo } from 'node:os'
import { Registry } from 'prom-client'
import { signInOrigin } from '../app/public-origin.ts'
import { type FactorDeps, factorKey } from '../people/factors/factor-deps.ts'
import { siteOf } from '../people/factors/passkey.ts'
import type { Browser } from '../people/sessions/browser.ts'
import { endSession } from '../people/sessions/end-session.ts'
import { readSession } from '../people/sessions/read-session.ts'
import { beginSignIn, finishSignIn } from '../people/sign-in/sign-in.ts'
import { derivedKey } from '../platform/config.ts'
import { createLimits, type Limits } from '../platform/limits/windows.ts'
import { openSecretPrompt } from './ask-secret.ts'
import { readSignIn } from './authorize.ts'
import { type Command, CommandError, defineCommand } from './command.ts'
import type { CommandContext } from './command-context.ts'
import { serviceOrigin } from './service-origin.ts'
import { readSessionFile, removeSessionFile, writeSessionFile } from './session-file.ts'

const login = defineCommand({
  name: 'login',
  summary: 'Sign the command line in: commands then act as this person, with their rights and never as two people',
  details:
    'It asks for the password and then for a code of the telephone or a recovery code, and shows neither; from a pipe it reads a line for ' +
    'each. The sign-in lasts 15 minutes without a command, eight hours at most, and its token is in a file that this user alone reads. ' +
    'Without a sign-in a command is break-glass: it acts under the name in --as, and the audit log shows that nobody proved it.',
  options: { email: { kind: 'needed', says: 'the address of mail of the person', sample: 'awa@example.com' } },
  async run(context, { email }) {
    const prompt = openSecretPrompt()
    const limits = await limitsOf(context)
    try {
      const deps = await factorDeps(context, limits)
      const former = (await readSessionFile(context))?.reveal() ?? null
      const browser = { ...thisMachine(), former }
      const password = await prompt.ask('Password: ')
      const begun = await beginSignIn(deps, { email, password: password.reveal(), browser })
      if (begun.kind === 'refused') throw new CommandError(whyRefused[begun.code])
      const code = await prompt.ask('Code of the telephone, or a recovery code: ')
      const typed = { attempt: begun.attempt.reveal(), code: code.reveal().replace(/\s/g, ''), browser }
      const done = await finishSignIn(deps, typed)
      if (done.kind === 'refused') throw new CommandError(whyRefused[done.code])
      await writeSessionFile(context, done.session.token)
      const session = await readSession(deps, done.session.token.reveal(), 'command_line')
      if (session === null) throw new CommandError('The sign-in ended at once. Try again.')
      const { person, staff_roles, memberships, ends_at } = session
      const merchants = memberships.map(({ merchant_id, roles }) => ({ merchant_id, roles }))
      return { email: person.email, staff_roles, merchants, ends_at: ends_at.toISOString() }
    } finally {
      prompt.close()
      limits.close()
    }
  },
})

const whyRefused = {
  wrong_credentials: 'This address and this password do not go together.',
  too_many_attempts: 'There were too many tries for this person. A passkey still opens the console.',
  busy: 'Too many people sign in at this moment. Try again.',
  attempt_over: 'There were too many wrong codes, or ten minutes have passed. Begin again.',
  wrong_code: 'This is not the code. Begin again with the one that shows now.',
  code_used: 'This code was used already. Wait for the next one.',
  clock_wrong: 'The clock of the telephone is wrong. Set it to the time of the network.',
}

const logout = defineCommand({
  name: 'logout',
  summary: 'End the sign-in of the command line on this machine',
  options: {},
  async run(context) {
    const signIn = await readSignIn(context)
    if (signIn.kind === 'signed_in') await endSession({ sql: await context.sql() }, signIn.session, thisMachine())
    await removeSessionFile(context)
    return { signed_out: signIn.kind === 'signed_in' }
  },
})

/** The command line as a session and the audit log keep it: its user, on this machine. */
function thisMachine(): Browser {
  return { door: 'command_line', address: '127.0.0.1', user_agent: `bandama, ${userInfo().username} at ${hostname()}` }
}

async function limitsOf(context: CommandContext): Promise<Limits> {
  const { config, clock, log } = context
  const limits = createLimits({
    redis_url: config.redis_url,
    payer_attempts: {
      max: config.payer_attempts_max,
      window_seconds: config.payer_attempts_window_seconds,
      secret: derivedKey(await context.secretKey(), 'payer attempts'),
    },
    clock,
    log,
    registry: new Registry(),
  })
  await limits.ready()
  return limits
}

async function factorDeps(context: CommandContext, limits: Limits): Promise<FactorDeps> {
  const { config, clock, log } = context
  const origin = signInOrigin(config, true, await serviceOrigin(context))
  return {
    sql: await context.sql(),
    clock,
    limits,
    log,
    key: factorKey(await context.secretKey()),
    site: siteOf(origin, config.brand.name),
    sign_ins_per_address: config.sign_ins_per_address,
  }
}

export const commands: readonly Command[] = [login, logout]
