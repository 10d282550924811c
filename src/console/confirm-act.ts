import type { Session } from '../people/sessions/session.ts'
import { html } from '../platform/http/html.ts'
import { codeField, type FieldError, form } from './forms.ts'
import { icon } from './icons.ts'
import type { Say, Words } from './say.ts'
import type { Confirmation, ScreenDoor, ScreenRequest, ScreenView } from './screen.ts'

/** One act with the content that was shown: a passkey signs it, and a code counts for it alone. */
export type StepUpAbout = {
  readonly operation: string
  readonly subject: string | null
  readonly content: object
  /** The act uses the proof up itself, in its own transaction. */
  readonly used_by_act: boolean
}

/** Why a proof was not taken. After `over` and `content_changed` the question is asked anew. */
export type StepUpRefusal = 'wrong_code' | 'used_code' | 'clock_wrong' | 'wrong_passkey' | 'over' | 'content_changed'

/** Fresh factors, as people/step-up keeps them. */
export type StepUps = {
  begin(
    door: ScreenDoor,
    session: Session,
    about: StepUpAbout,
  ): Promise<{
    readonly step_up_id: string
    /** The head of the digest that is signed, for the eye. */
    readonly fingerprint: string
    /** The options of the browser's passkey question; null: the person has none. */
    readonly passkey: object | null
    readonly has_totp: boolean
  }>
  /** Takes a proof for exactly this content, once. */
  use(
    door: ScreenDoor,
    session: Session,
    step_up_id: string,
    about: StepUpAbout,
    proof: { readonly code: string } | { readonly assertion: string },
  ): Promise<{ readonly kind: 'confirmed' } | { readonly kind: 'refused'; readonly code: StepUpRefusal }>
}

type Confirmed =
  | { readonly kind: 'confirmed'; readonly step_up_id: string }
  | { readonly kind: 'page'; readonly page: ScreenView }
type Request = ScreenRequest<'console'>

/**
 * Asks for a fresh factor for this act, or takes the one that came with the form. The form of the question brings back everything that
 * was typed, so that the act finds it.
 */
export async function confirmAct(
  stepUps: StepUps,
  { door, operation }: { readonly door: ScreenDoor; readonly operation: string },
  request: Request,
  wanted: Confirmation,
): Promise<Confirmed> {
  const { session, fields } = request
  const about = {
    operation: wanted.operation ?? operation,
    subject: wanted.subject,
    // Bound to its place too: what was agreed to in test mode, or at one merchant, is agreed to nowhere else.
    content: wanted.used_by_act === true ? wanted.content : { ...wanted.content, at: request.at('') },
    used_by_act: wanted.used_by_act ?? false,
  }
  const step_up_id = fields.text('step_up_id')
  const ask = async (refused: StepUpRefusal | null): Promise<Confirmed> => {
    const question = await stepUps.begin(door, session, about)
    return { kind: 'page', page: questionView(request, wanted, question, refused) }
  }
  if (step_up_id === '') return ask(null)
  const assertion = fields.secret('secret_assertion')
  const proof = assertion === '' ? { code: fields.secret('secret_code').replace(/\s/g, '') } : { assertion }
  const used = await stepUps.use(door, session, step_up_id, about, proof)
  return used.kind === 'confirmed' ? { kind: 'confirmed', step_up_id } : ask(used.code)
}

const refusals: Readonly<Record<StepUpRefusal, Words>> = {
  wrong_code: [
    'Ce code n’est pas le bon. Regardez celui qui s’affiche maintenant.',
    'This code is not the right one. Look at the one that shows now.',
  ],
  used_code: [
    'Ce code a déjà servi. Attendez le suivant, dans moins de trente secondes.',
    'This code was used already. Wait for the next one, within thirty seconds.',
  ],
  clock_wrong: [
    'L’heure de votre téléphone n’est pas juste. Réglez-la sur l’heure automatique.',
    'The clock of your telephone is wrong. Set it to automatic time.',
  ],
  wrong_passkey: ['Cette clé d’accès n’a pas été reconnue.', 'This passkey was not recognised.'],
  over: [
    'La confirmation a trop attendu, ou trop de codes étaient faux. Confirmez de nouveau.',
    'The confirmation waited too long, or too many codes were wrong. Confirm again.',
  ],
  content_changed: [
    'La demande a changé depuis que vous l’avez ouverte. Relisez-la avant de confirmer.',
    'The request has changed since you opened it. Read it again before you confirm.',
  ],
}

function questionView(
  request: Request,
  wanted: Confirmation,
  question: Awaited<ReturnType<StepUps['begin']>>,
  refused: StepUpRefusal | null,
): ScreenView {
  const { say, livemode, fields, url } = request as Request & { url: string }
  const errors: FieldError[] = refused === null ? [] : [{ field: 'secret_code', text: say(refusals[refused]) }]
  const kept = fields
    .entries()
    .filter(([name]) => name !== 'nonce' && name !== 'step_up_id')
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const hidden = html`${kept}<input type="hidden" name="step_up_id" value="${question.step_up_id}">`
  const main = html`<div class="narrow"><article class="slip">
<header><p class="soft">${say(['Vous confirmez', 'You confirm'])} ${livemode && html`<span class="tag care">${say(['Argent réel', 'Real money'])}</span>`}</p>${wanted.shown}</header>
<div>${question.passkey !== null && form(request, url, html`${hidden}<input type="hidden" name="secret_assertion"><p data-script hidden class="acts"><button class="wide" type="submit" data-passkey="${JSON.stringify(question.passkey)}">${icon('finger')}${say(['Confirmer avec ma clé d’accès', 'Confirm with my passkey'])}</button></p>`)}${question.has_totp && totpForm(request, url, hidden, errors, question.passkey !== null, say)}${!question.has_totp && errors.map(({ text }) => html`<p class="error" role="alert">${text}</p>`)}
<p class="acts"><a class="button quiet" href="${wanted.back}">${say(['Revenir sans rien faire', 'Go back without doing anything'])}</a></p></div>
<div><p class="hint">${say(['Votre confirmation est liée à ce texte et gardée avec lui. Si la demande change entre-temps, elle est refusée. Empreinte : ', 'Your confirmation is bound to this text and kept with it. If the request changes meanwhile, it is refused. Fingerprint: '])}<span class="id">${question.fingerprint}</span></p></div>
</article></div>`
  const facts = {
    step_up: { step_up_id: question.step_up_id, fingerprint: question.fingerprint, content: wanted.content },
    error: refused === null ? null : { code: refused },
  }
  return { kind: 'view', status: refused === null ? 200 : 422, title: wanted.title, main, facts, deciding: true }
}

function totpForm(
  request: Request,
  url: string,
  hidden: ReturnType<typeof html>,
  errors: readonly FieldError[],
  beside: boolean,
  say: Say,
) {
  const label = beside
    ? say(['Ou le code à six chiffres', 'Or the six-figure code'])
    : say(['Le code à six chiffres', 'The six-figure code'])
  const hint = say([
    'Un code neuf : celui de l’entrée ne sert plus.',
    'A new code: the one you signed in with no longer counts.',
  ])
  const code = codeField({ name: 'secret_code', label, hint }, errors)
  return form(
    request,
    url,
    html`${hidden}${code}<button class="wide${beside && ' second'}">${say(['Confirmer avec le code', 'Confirm with the code'])}</button>`,
    { class: 'stack gap' },
  )
}
