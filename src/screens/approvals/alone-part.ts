import { note } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { ALONE_HOURS, mayDecideAlone, type StoppedAlone } from '../../payouts/alone/approve-alone.ts'
import { readSoloApproval, type SoloApproval } from '../../payouts/alone/store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { ApprovalRequest } from './parts.ts'

/** Where a merchant's only person stands with what they made themselves. */
export type Alone = {
  /** The team allows it, and nobody else may decide. */
  readonly may: boolean
  /** Their approval that waits for its day; null: there is none. */
  readonly waiting: Pick<SoloApproval, 'takes_effect_at'> | null
}

export async function readAlone(sql: Sql, { tenant, actor, can }: ApprovalRequest, subject_id: string): Promise<Alone> {
  const [why, waiting] = await Promise.all([
    mayDecideAlone(sql, tenant.merchant_id, actor.person),
    readSoloApproval(sql, { ...tenant, subject_id }),
  ])
  return { may: why === null && can('payouts.approve'), waiting }
}

/** The word of the page after a stop: one that came too late never reads as stopped. */
export function stopWord(done: StoppedAlone): 'stopped' | StopRefusal {
  return done.kind === 'stopped' ? 'stopped' : done.code
}

type StopRefusal = Extract<StoppedAlone, { kind: 'refused' }>['code']

/** The part of the only person: to agree, with a day in between, or to stop what they agreed to. Null: neither is theirs. */
export function alonePart(request: ApprovalRequest, to: string, { may, waiting }: Alone): Html | null {
  const { say, language } = request
  if (waiting !== null) {
    const at = writeDate(waiting.takes_effect_at, language)
    const text = say(
      [
        'Vous avez donné seul votre accord. Il prend effet le {at}. Jusque-là, vous ou l’équipe du service pouvez l’arrêter.',
        'You gave your approval alone. It takes effect on {at}. Until then you or the team of the service can stop it.',
      ],
      { at },
    )
    const stop = form(request, `${to}/stop-alone`, html`<button class="stop">${say(['Arrêter', 'Stop it'])}</button>`, {
      class: 'acts',
    })
    return html`${note('care', say(['Approuvé, attend 24 heures', 'Approved, waits 24 hours']), text)}${stop}`
  }
  if (!may) return null
  const text = say(
    [
      'Vous êtes la seule personne ici, et l’équipe du service vous laisse décider seul. Votre accord prend effet {hours} heures plus tard.',
      'You are the only person here, and the team of the service lets you decide alone. Your approval takes effect {hours} hours later.',
    ],
    { hours: ALONE_HOURS },
  )
  const agree = form(
    request,
    `${to}/approve-alone`,
    html`<button>${say(['Approuver seul, dans 24 heures', 'Approve alone, in 24 hours'])}</button>`,
    { class: 'acts' },
  )
  return html`${note('plain', say(['Décider seul', 'Decide alone']), text)}${agree}`
}
