import type { FactorDeps } from '../people/factors/factor-deps.ts'
import { readAnswer } from '../people/factors/passkey.ts'
import type { TriesLeft } from '../people/factors/take-code.ts'
import { type BegunStepUp, beginStepUp } from '../people/step-up/begin-step-up.ts'
import { confirmStepUp } from '../people/step-up/confirm-step-up.ts'
import { isTooLong, type StepUpAct } from '../people/step-up/step-up.ts'
import { type Html, html } from '../platform/http/html.ts'
import { linkButton } from './components.ts'
import { codeField, type FieldError, form, hiddenField } from './forms.ts'
import { icon } from './icons.ts'
import { type FactorRefusal, refusedFactor } from './refusal-words.ts'
import type { Say } from './say.ts'
import type { ScreenDoor, ScreenRequest, ScreenView } from './screen.ts'

type Request = ScreenRequest<ScreenDoor>
type RefusedFactor = { readonly code: FactorRefusal } & TriesLeft

/** The answer to a question: none yet, the confirmed proof, or why it is refused. */
export type Factor =
  | { readonly kind: 'none' }
  | { readonly kind: 'confirmed'; readonly step_up_id: string }
  | ({ readonly kind: 'refused' } & RefusedFactor)

/** Reads the factor that came with a form, and checks it. Its proof is not used yet. */
export async function takeFactor(factors: FactorDeps, { session, fields, address }: Request): Promise<Factor> {
  const step_up_id = fields.text('step_up_id')
  if (step_up_id === '') return { kind: 'none' }
  const assertion = fields.secret('secret_assertion')
  const answer =
    assertion === '' ? { code: fields.secret('secret_code').replace(/\s/g, '') } : { assertion: readAnswer(assertion) }
  const confirmed = await confirmStepUp(factors, session, step_up_id, answer, address)
  return confirmed.kind === 'refused' ? confirmed : { kind: 'confirmed', step_up_id }
}

/** The question of a fresh factor: the words of a page around what the person signs. */
export type FactorQuestion = {
  readonly title: string
  /** The summary of what the person signs: the amount, the recipient, the important facts. */
  readonly shown: Html
  /**
   * The fields that the question passes on to the act. Absent: all typed fields whose names do not begin with `secret_`. A form with secrets
   * passes on the id of an encrypted draft (`operators/contracts/settings-draft.ts`).
   */
  readonly carries?: Readonly<Record<string, string>>
  /** The mode of the act. Absent: that of its page. */
  readonly livemode?: boolean
  /** A form for the opposite answer, such as a refusal. */
  readonly instead?: Html
  /** The address of the link back, which does nothing. */
  readonly back: string
}

/** The page that asks for a fresh factor for an act. The form returns the typed fields, or those that the question carries. */
export async function askForFactor(
  factors: FactorDeps,
  request: Request,
  act: StepUpAct,
  question: FactorQuestion,
  refused: RefusedFactor | null,
): Promise<ScreenView> {
  if (isTooLong(act)) return tooLongView(request, question)
  const begun = await beginStepUp(factors, { session: request.session, ...act })
  return questionView(request, { ...question, content: act.content }, begun, refused)
}

/**
 * The fresh factor of a page that is no declared act: the confirmed proof that came with the form, which the change then uses up in its own
 * transaction, or the page that asks for one.
 */
export async function factorOrQuestion(
  factors: FactorDeps,
  request: Request,
  act: StepUpAct,
  question: FactorQuestion,
): Promise<{ readonly kind: 'confirmed'; readonly step_up_id: string } | ScreenView> {
  const factor = await takeFactor(factors, request)
  if (factor.kind === 'confirmed') return factor
  return askForFactor(factors, request, act, question, factor.kind === 'none' ? null : factor)
}

/** The page of an act with more text than a person can confirm at once. Nothing was stored. */
function tooLongView({ say }: Request, { title, back }: FactorQuestion): ScreenView {
  const text = say([
    'Cette demande contient trop de texte pour être confirmée. Raccourcissez-la, ou faites-en plusieurs.',
    'This request has too much text to be confirmed. Shorten it, or make several.',
  ])
  const leave = leaveLink(say, back)
  const said = html`<div role="alert"><h1>${title}</h1><p class="error">${text}</p>${leave}</div>`
  const main = html`<div class="narrow"><article class="slip">${said}</article></div>`
  return { kind: 'view', status: 422, title, main, facts: { error: { code: 'content_too_long' } } }
}

function leaveLink(say: Say, back: string): Html {
  const words = say(['Revenir sans rien faire', 'Go back without doing anything'])
  return html`<p class="acts">${linkButton(back, words, 'quiet')}</p>`
}

function questionView(
  request: Request,
  wanted: FactorQuestion & Pick<StepUpAct, 'content'>,
  question: BegunStepUp,
  refused: RefusedFactor | null,
): ScreenView {
  const { say, fields, url } = request as Request & { url: string }
  const { passkey, totp, step_up_id, fingerprint } = question
  const livemode = wanted.livemode ?? request.livemode
  const errors: FieldError[] = refused === null ? [] : [{ field: 'secret_code', text: refusedFactor(say, refused) }]
  const carried = wanted.carries === undefined ? fields.entries() : Object.entries(wanted.carries)
  const kept = carried
    .filter(([name]) => name !== 'nonce' && name !== 'step_up_id')
    .map(([name, value]) => hiddenField(name, value))
  const hidden = html`${kept}${hiddenField('step_up_id', step_up_id)}`
  const real = livemode && html`<span class="tag care">${say(['Argent réel', 'Real money'])}</span>`
  const byPasskey = passkey !== null && passkeyForm(request, url, hidden, passkey)
  const byCode = totp
    ? totpForm(request, url, hidden, errors, passkey !== null, say)
    : errors.map(({ text }) => html`<p class="error" role="alert">${text}</p>`)
  const bound = say([
    'Votre confirmation est liée à ce texte et gardée avec lui. Si la demande change entre-temps, elle est refusée. Empreinte : ',
    'Your confirmation is bound to this text and kept with it. If the request changes meanwhile, it is refused. Fingerprint: ',
  ])
  const main = html`<div class="narrow"><article class="slip">
<header><p class="soft">${say(['Vous confirmez', 'You confirm'])} ${real}</p>${wanted.shown}</header>
<div>${byPasskey}${byCode}
${wanted.instead}${leaveLink(say, wanted.back)}</div>
<div><p class="hint">${bound}<span class="id">${fingerprint}</span></p></div>
</article></div>`
  const facts = {
    step_up: { step_up_id, fingerprint, content: wanted.content },
    error: refused === null ? null : { code: refused.code },
  }
  return { kind: 'view', status: refused === null ? 200 : 422, title: wanted.title, main, facts, deciding: true }
}

function passkeyForm(request: Request, url: string, hidden: Html, passkey: NonNullable<BegunStepUp['passkey']>): Html {
  const words = request.say(['Confirmer avec ma clé d’accès', 'Confirm with my passkey'])
  const button = html`<button class="wide" type="submit" data-passkey="${JSON.stringify(passkey)}">${icon('finger')}${words}</button>`
  const assertion = html`<input type="hidden" name="secret_assertion">`
  return form(request, url, html`${hidden}${assertion}<p data-script hidden class="acts">${button}</p>`)
}

function totpForm(
  request: Request,
  url: string,
  hidden: Html,
  errors: readonly FieldError[],
  beside: boolean,
  say: Say,
) {
  const label = beside
    ? say(['Ou le code à six chiffres', 'Or the six-digit code'])
    : say(['Le code à six chiffres', 'The six-digit code'])
  const hint = say([
    'Attendez un nouveau code : celui qui vous a fait entrer ne sert plus.',
    'Use a new code: the one that you signed in with no longer works.',
  ])
  const code = codeField({ name: 'secret_code', label, hint }, errors)
  const words = say(['Confirmer avec le code', 'Confirm with the code'])
  const button = html`<button class="wide${beside && ' second'}">${words}</button>`
  return form(request, url, html`${hidden}${code}${button}`, { class: beside ? 'stack gap' : 'stack' })
}
