import type { Proof } from '../../acts/perform.ts'
import type { FactorDeps } from '../../people/factors/factor-deps.ts'
import { hasTotp } from '../../people/factors/find-factors.ts'
import type { Session } from '../../people/sessions/session.ts'
import { beginStepUp } from '../../people/step-up/begin-step-up.ts'
import { confirmStepUp } from '../../people/step-up/confirm-step-up.ts'
import { proofOf } from '../../people/step-up/proof-of.ts'
import { contentText, isTooLong } from '../../people/step-up/step-up.ts'
import { takeProof } from '../../people/terminals/take-agreement.ts'
import { type Command, CommandError, type CommandQuestion } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { agreeInBrowser } from './agree-in-browser.ts'
import { openSecretPrompt } from './ask-secret.ts'
import { openFactorDeps, whyRefused } from './factors.ts'

export const SUBJECT_CHANGED =
  'The subject of this command has changed since you were asked. Nothing was done. Look at it, and run the command again.'

const TOO_LONG =
  'The options of this command are too long to be confirmed. Nothing was done. Shorten them, or run it several times.'

/** The options that are no part of the act: the factor itself, and the person, who is known. */
const notOfTheAct: readonly string[] = ['code', 'as']

/**
 * Asks the signed-in person to confirm an act with a fresh factor: a code of the phone, from `--code` or typed, or without a phone in a
 * browser. The person signs the same content as in the console, and the act uses
 * the proof up in its own transaction.
 * @throws CommandError when it is refused, or the person does not confirm in time
 */
export async function proveAfresh(
  context: CommandContext,
  session: Session,
  command: Command,
  { signed, lines }: CommandQuestion,
  values: Readonly<Record<string, unknown>>,
): Promise<Proof> {
  if (isTooLong(signed)) throw new CommandError(TOO_LONG)
  const deps = await openFactorDeps(context)
  try {
    const { person_id } = session.person
    if (await hasTotp(deps.sql, person_id)) {
      const begun = await beginStepUp(deps, { session, ...signed })
      await confirmByCode(deps, session, begun.step_up_id, values.code, command.name, writeLines(lines, signed))
      return proofOf(session, begun.step_up_id)
    }
    const asked = { command: command.name, options: optionsGiven(values), lines, signed }
    const { step_up_id } = await agreeInBrowser(context, deps, { asked, person_id }, (token) => takeProof(deps, token))
    // The browser has used the step-up for this content.
    const use: Proof['use'] = async (_, now) => (contentText(now) === contentText(signed) ? null : 'content_changed')
    return { step_up_id, use }
  } finally {
    deps.limits.close()
  }
}

function writeLines(lines: CommandQuestion['lines'], { content }: CommandQuestion['signed']): string {
  const mode = typeof content.livemode === 'boolean' ? `  Mode: ${content.livemode ? 'live' : 'test'}\n` : ''
  return `${lines.map(({ name, value }) => `  ${name[1]}: ${value[1]}\n`).join('')}${mode}`
}

/** Returns the given options that are part of the act. */
function optionsGiven(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given = Object.entries(values).filter(
    ([option, value]) =>
      !notOfTheAct.includes(option) &&
      value !== undefined &&
      value !== false &&
      !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(given)
}

/** @param given the code from `--code`; any other value: the command asks for it */
async function confirmByCode(
  deps: FactorDeps,
  session: Session,
  step_up_id: string,
  given: unknown,
  command: string,
  slip: string,
): Promise<void> {
  const code = typeof given === 'string' ? given : await askCode(command, slip)
  const confirmed = await confirmStepUp(deps, session, step_up_id, { code: code.replace(/\s/g, '') })
  if (confirmed.kind === 'refused') throw new CommandError(whyNotProven[confirmed.code])
}

async function askCode(command: string, slip: string): Promise<string> {
  const prompt = openSecretPrompt()
  try {
    return (await prompt.ask(`You confirm: ${command}\n${slip}A new code of the phone: `)).reveal()
  } finally {
    prompt.close()
  }
}

const whyNotProven = {
  ...whyRefused,
  wrong_code: 'The code is wrong. Nothing was done. Run the command again with the code that is shown now.',
  code_used: 'This code was used already. Nothing was done: wait for the next one.',
  session_worn_out:
    'There were too many wrong codes since you signed in. Nothing was done: sign in again with bandama login.',
  step_up_over:
    'There were too many wrong codes, or five minutes have passed. Nothing was done: sign in again with bandama login.',
  step_up_not_found:
    'There were too many wrong codes, or five minutes have passed. Nothing was done: sign in again with bandama login.',
  passkey_refused: 'This passkey was not recognised.',
  passkey_counted_back: 'The counter of this passkey went back, as that of a copy does.',
} as const
