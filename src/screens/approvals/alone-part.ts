import { aloneRefusals, writeAloneEnd } from '../../console/alone-words.ts'
import { note } from '../../console/components.ts'
import { form } from '../../console/forms.ts'
import { ALONE_HOURS, expiresFirst, mayDecideAlone } from '../../payouts/alone/approve-alone.ts'
import { type KnownApproval, readLastApprovals } from '../../payouts/alone/store.ts'
import type { RequestToDecide } from '../../payouts/approval-store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeDate } from '../../platform/http/pages/write-values.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { ApprovalRequest, Refused } from './parts.ts'
import type { Approval } from './waiting.ts'

/** The state of an approval by a merchant's only person for something of their own. */
export type Alone = {
  /** Whether the staff allow it and nobody else may decide. */
  readonly may: boolean
  /** Their last approval, waiting or ended. Null: none. */
  readonly last: LastApproval | null
  /** The request, if it expires before an approval of this moment would take effect. */
  readonly expiring: Pick<RequestToDecide, 'created_at' | 'expires_at'> | null
}

/** The last approval of a subject as its page shows it. */
export type LastApproval = Pick<KnownApproval, 'takes_effect_at' | 'refusal' | 'ended_at' | 'outcome'>

/** Reads whether this person may approve a request or batch alone, and the state of their last approval. */
export async function readAlone(
  sql: Sql,
  { tenant, actor, can }: ApprovalRequest,
  { kind, row }: Approval,
): Promise<Alone> {
  const [why, last, expires_first] = await Promise.all([
    mayDecideAlone(sql, tenant.merchant_id, actor.person),
    readLast(sql, { tenant }, row.id),
    kind === 'request' && expiresFirst(sql, row),
  ])
  const expiring =
    kind === 'request' && expires_first ? { created_at: row.created_at, expires_at: row.expires_at } : null
  return { may: why === null && can('payouts.approve'), last, expiring }
}

/** Reads the last approval of a subject by the merchant's only person. Null when there is none. */
export async function readLast(
  sql: Sql,
  { tenant }: Pick<ApprovalRequest, 'tenant'>,
  subject_id: string,
): Promise<LastApproval | null> {
  const [last] = await readLastApprovals(sql, tenant, [subject_id])
  return last === undefined ? null : shownOf(last)
}

/** Returns the part of an approval that pages show. */
export function shownOf({ takes_effect_at, refusal, ended_at, outcome }: KnownApproval): LastApproval {
  return { takes_effect_at, refusal, ended_at, outcome }
}

/** Returns why an approval of this moment would have no effect, and what to do instead. */
export function expiringWords(
  { say, language }: Pick<ApprovalRequest, 'say' | 'language'>,
  { created_at, expires_at }: NonNullable<Alone['expiring']>,
): Refused {
  const text = say(
    [
      'Cette demande expire le {when}, avant la fin des {hours} heures : un accord donné seul n’aurait plus d’effet.',
      'This request expires on {when}, before the {hours} hours end: an approval given alone would have no effect.',
    ],
    { when: writeDate(expires_at, language), hours: ALONE_HOURS },
  )
  const isAlwaysShort = expires_at.getTime() - created_at.getTime() <= ALONE_HOURS * 3_600_000
  const instead = isAlwaysShort
    ? say([
        'Aucune demande n’attend ici plus longtemps. Invitez une deuxième personne qui peut approuver, ou envoyez sous vos plafonds.',
        'No request waits longer here. Invite a second person who may approve, or send below your caps.',
      ])
    : say([
        'Demandez l’envoi de nouveau et donnez votre accord aussitôt, ou invitez une deuxième personne qui peut approuver.',
        'Request the payout again and approve it at once, or invite a second person who can approve.',
      ])
  return { title: say(['Trop tard pour décider seul', 'Too late to decide alone']), text: `${text} ${instead}` }
}

/** The part for the only person: to approve a day ahead, or to stop that approval. Null when neither applies. */
export function alonePart(request: ApprovalRequest, to: string, { may, last, expiring }: Alone): Html | null {
  const { say } = request
  if (last !== null && last.ended_at === null) return waitingPart(request, to, last)
  if (!may) return null
  if (expiring !== null) {
    const { title, text } = expiringWords(request, expiring)
    return note('care', title, text)
  }
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

function waitingPart(request: ApprovalRequest, to: string, { takes_effect_at, refusal }: LastApproval): Html {
  const { say, language } = request
  const at = writeDate(takes_effect_at, language)
  const told =
    refusal === null
      ? note(
          'care',
          say(['Approuvé, attend 24 heures', 'Approved, waits 24 hours']),
          say(
            [
              'Vous avez donné seul votre accord. Il prend effet le {at}. Jusque-là, vous ou l’équipe du service pouvez l’arrêter.',
              'You gave your approval alone. It takes effect on {at}. Until then you or the team of the service can stop it.',
            ],
            { at },
          ),
        )
      : note(
          'bad',
          say(['Votre accord n’a pas encore pris effet', 'Your approval did not take effect yet']),
          say(
            [
              'Son jour est venu le {at}, mais {why}. Le service essaie de nouveau jusqu’à ce que la demande expire.',
              'Its day came on {at}, but {why}. The service tries again until the request expires.',
            ],
            { at, why: say(aloneRefusals[refusal]) },
          ),
        )
  const stop = form(request, `${to}/stop-alone`, html`<button class="stop">${say(['Arrêter', 'Stop it'])}</button>`, {
    class: 'acts',
  })
  return html`${told}${stop}`
}

/** The end of the last approval, for the person who gave it. Null when it waits, or there is none. */
export function endedNote({ say, language }: ApprovalRequest, { last }: Pick<Alone, 'last'>): Html | null {
  if (last === null || last.ended_at === null || last.outcome === null) return null
  const title = say(['Votre dernier accord a pris fin', 'Your last approval has ended'])
  const gaps = { when: writeDate(last.ended_at, language), how: writeAloneEnd(say, last.outcome, last.refusal) }
  return note('care', title, say(['Le {when} : {how}.', 'On {when}: {how}.'], gaps))
}
