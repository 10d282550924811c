import { Registry } from 'prom-client'
import { signInOrigin } from '../../app/public-origin.ts'
import { type FactorDeps, factorKey } from '../../people/factors/factor-deps.ts'
import { siteOf } from '../../people/factors/passkey.ts'
import { derivedKey } from '../../platform/config.ts'
import { createLimits, type Limits } from '../../platform/limits/windows.ts'
import type { CommandContext } from '../command-context.ts'
import { serviceOrigin } from '../service-origin.ts'

/** The needs of people's operations on factors, for a command. The caller closes `limits`. */
export async function openFactorDeps(context: CommandContext): Promise<FactorDeps> {
  const { config, clock, log } = context
  const origin = signInOrigin(config, true, await serviceOrigin(context))
  return {
    sql: await context.sql(),
    clock,
    limits: await openLimits(context),
    log,
    key: factorKey(await context.secretKey()),
    site: siteOf(origin, config.brand.name),
    sign_ins_per_address: config.sign_ins_per_address,
  }
}

async function openLimits(context: CommandContext): Promise<Limits> {
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

/** The sentence for each refusal of a factor on the terminal. */
export const whyRefused = {
  wrong_credentials: 'The email address or the password is wrong.',
  too_many_attempts: 'There were too many attempts for this person. A passkey still opens the console.',
  codes_of_day_over: 'There were too many wrong codes since yesterday. A passkey still opens the console.',
  busy: 'Too many people are signing in at this moment. Try again.',
  attempt_over: 'There were too many wrong codes, or ten minutes have passed. Start again.',
  wrong_code: 'The code is wrong. Start again with the code that is shown now.',
  code_used: 'This code was used already. Wait for the next one.',
  clock_wrong: 'The clock of the phone is wrong. Set it to the time of the network.',
} as const
