import { comesByMail, type NoticeChoices } from '../../people/notices/choose-notices.ts'
import type { NoticeKind } from '../../people/notices/notice.ts'
import type { NoticeSettings, QuietHours } from '../../people/notices/settings.ts'
import { readFrancs, writeFrancs } from '../../values/read-typed.ts'
import type { FieldError } from '../forms.ts'
import type { ScreenDoor, ScreenRequest } from '../screen.ts'

/** The choices of a person as the fields of the form. */
export type Typed = {
  readonly by_mail: readonly string[]
  readonly by_push: readonly string[]
  readonly hides_amount: boolean
  readonly payment_min: string
  /** As `21:00`; empty: no hour is quiet. */
  readonly quiet_from: string
  readonly quiet_to: string
}

type Read = {
  readonly typed: Typed
  /** Null: the form has errors. */
  readonly settings: Omit<NoticeSettings, 'mails_asked' | 'pushes_muted'> | null
  readonly errors: readonly FieldError[]
}

export function readTyped({ fields, say }: Pick<ScreenRequest<ScreenDoor>, 'fields' | 'say'>): Read {
  const typed = {
    by_mail: fields.all('by_mail'),
    by_push: fields.all('by_push'),
    hides_amount: fields.text('hides_amount') === 'on',
    payment_min: fields.text('payment_min'),
    quiet_from: fields.text('quiet_from'),
    quiet_to: fields.text('quiet_to'),
  }
  const payment_min = typed.payment_min.trim() === '' ? 0 : readFrancs(typed.payment_min, 0)
  const quiet = readQuiet(typed)
  const errors: FieldError[] = []
  if (payment_min === null) {
    const text = say(['Écrivez un montant en francs, sans centimes.', 'Write an amount in whole francs.'])
    errors.push({ field: 'payment_min', text })
  }
  if (quiet === undefined) {
    const text = say([
      'Donnez deux heures différentes, comme 21:00 et 06:30, ou aucune.',
      'Give two different times, such as 21:00 and 06:30, or none.',
    ])
    errors.push({ field: 'quiet_from', text })
  }
  const settings =
    payment_min === null || quiet === undefined ? null : { payment_min, quiet, hides_amount: typed.hides_amount }
  return { typed, settings, errors }
}

/** Reads the two times. Null: both are empty. Undefined: they are no two times. */
function readQuiet({ quiet_from, quiet_to }: Typed): QuietHours | null | undefined {
  if (quiet_from === '' && quiet_to === '') return null
  const from = readMinute(quiet_from)
  const to = readMinute(quiet_to)
  return from === null || to === null || from === to ? undefined : { from, to }
}

function readMinute(typed: string): number | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(typed) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/** Writes stored choices as the fields of the form. */
export function typedOf(choices: NoticeChoices, kinds: readonly NoticeKind[]): Typed {
  const { payment_min, quiet, pushes_muted, hides_amount } = choices
  return {
    by_mail: kinds.filter((kind) => comesByMail(choices, kind)),
    by_push: kinds.filter((kind) => !pushes_muted.includes(kind)),
    hides_amount,
    payment_min: payment_min === 0 ? '' : writeFrancs(payment_min),
    quiet_from: quiet === null ? '' : writeMinute(quiet.from),
    quiet_to: quiet === null ? '' : writeMinute(quiet.to),
  }
}

function writeMinute(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
}
