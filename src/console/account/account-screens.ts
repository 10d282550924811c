import { listFactors } from '../../people/factors/find-factors.ts'
import { readAnswer } from '../../people/factors/passkey.ts'
import { readAccountCode } from '../../people/name-store.ts'
import { addPasskey, askForNewPasskey, removePasskey } from '../../people/own-factors/change-passkeys.ts'
import { changePassword } from '../../people/own-factors/change-password.ts'
import { type Changing, stepUpOf } from '../../people/own-factors/factor-change.ts'
import { renewRecoveryCodes, replaceTelephone, showNewTelephone } from '../../people/own-factors/replace-telephone.ts'
import { endOtherSessions, endSessionOf } from '../../people/sessions/end-session.ts'
import { listSessions } from '../../people/sessions/list-sessions.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawQr } from '../../platform/http/pages/draw-qr.ts'
import { factorOrQuestion } from '../ask-for-factor.ts'
import { backLink, typedSecret } from '../components.ts'
import type { ConsoleFrame } from '../console-frame.ts'
import { codeField, errorList, type FieldError, field, form, hiddenField } from '../forms.ts'
import { icon } from '../icons.ts'
import { type FactorRefusal, refusalWords } from '../refusal-words.ts'
import type { Say, Words } from '../say.ts'
import {
  absent,
  defineConsoleScreen,
  defineDeskScreen,
  moved,
  type Screen,
  type ScreenAnswer,
  type ScreenDoor,
  type ScreenRequest,
} from '../screen.ts'
import { recoveryCodesView } from '../sign-in/invitation-views.ts'
import { accountView } from './account-views.ts'

type Deps = { readonly console: ConsoleFrame }
type Request = ScreenRequest<ScreenDoor>
/** Changes that need a form after the proof. */
type FormChange = 'passkey.add' | 'password.change' | 'telephone.replace'
type Change = FormChange | 'recovery_codes.renew' | 'passkey.remove'

const titles: Readonly<Record<Change, Words>> = {
  'passkey.add': ['Ajouter une clé d’accès', 'Add a passkey'],
  'passkey.remove': ['Retirer une clé d’accès', 'Remove a passkey'],
  'password.change': ['Changer le mot de passe', 'Change the password'],
  'telephone.replace': ['Changer de téléphone', 'Change the phone'],
  'recovery_codes.renew': ['Nouveaux codes de secours', 'New recovery codes'],
}

type Changed = { kind: 'added' | 'changed' | 'replaced' } | { kind: 'refused'; code: FactorRefusal }

/** The fresh factor of a change, which the change itself uses up, or the page that asks for one. */
function factorOf(request: Request, { console: frame }: Deps, door: ScreenDoor, change: Change) {
  const { say, session, params } = request
  const title = say(titles[change])
  const subject = change === 'passkey.remove' ? { subject: params.id ?? '' } : {}
  return factorOrQuestion(frame.factorsAt(door), request, stepUpOf({ act: change, ...subject }, session), {
    shown: html`<h1>${title}</h1><p class="say">${session.person.email}</p>`,
    title,
    back: request.at('/account'),
  })
}

function changing({ session, address }: Request, step_up_id: string): Changing {
  return { session, browser: { address, user_agent: '' }, proof: { step_up_id } }
}

/** The form of a change, with its proof. */
async function changeForm(
  request: Request,
  { console: frame }: Deps,
  door: ScreenDoor,
  change: FormChange,
  proof: string,
  refused: FactorRefusal | null,
): Promise<ScreenAnswer> {
  const { say, session } = request
  const deps = frame.factorsAt(door)
  const errors: FieldError[] = refused === null ? [] : [{ field: 'main', text: say(refusalWords[refused]) }]
  const bodies = {
    'passkey.add': async () => newPasskeyFields(say, await askForNewPasskey(deps, session)),
    'password.change': async () => passwordFields(say),
    'telephone.replace': async () =>
      telephoneFields(say, showNewTelephone(deps, session, request.fields.text('shown'))),
  }
  const body = html`${hiddenField('proof', proof)}${await bodies[change]()}`
  const title = say(titles[change])
  const back = backLink(request.at('/account'), say(['Mon compte', 'My account']))
  const filled = form(request, request.at(`/account/take/${change.replace('.', '-')}`), body)
  const slip = html`<article class="slip"><div><h1>${title}</h1></div><div>${filled}</div></article>`
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  const facts = { change, error: refused === null ? null : { code: refused } }
  return { kind: 'view', status: refused === null ? 200 : 422, title, main, facts }
}

/** The name of a new passkey, and the button by which the browser makes it. */
function newPasskeyFields(say: Say, { attempt, options }: Awaited<ReturnType<typeof askForNewPasskey>>): Html {
  const label = field({
    name: 'label',
    label: say(['Son nom', 'Its name']),
    hint: say(['Par exemple : mon téléphone', 'For example: my phone']),
  })
  const create = html`${icon('finger')}${say(['Créer ma clé d’accès', 'Create my passkey'])}`
  const without = say(['Une clé d’accès demande JavaScript.', 'A passkey needs JavaScript.'])
  return html`${hiddenField('attempt', attempt.reveal())}<input type="hidden" name="registration">${label}
<p data-script hidden><button class="wide" data-create="1" data-into="registration" data-passkey="${JSON.stringify(options)}">
${create}</button></p><noscript><p>${without}</p></noscript>`
}

/** The current password, and the new one. */
function passwordFields(say: Say): Html {
  const current = field({
    name: 'secret_old',
    label: say(['Mot de passe actuel', 'Current password']),
    type: 'password',
    more: { autocomplete: 'current-password' },
  })
  const chosen = field({
    name: 'secret_new',
    label: say(['Nouveau mot de passe', 'New password']),
    hint: say([
      'Douze signes ou plus. Une phrase convient très bien.',
      'Twelve characters or more. A sentence works well.',
    ]),
    type: 'password',
    more: { autocomplete: 'new-password' },
  })
  return html`${current}${chosen}${changeButton(say)}`
}

/** The secret of a new telephone as a picture and as a text, and its first code. */
function telephoneFields(say: Say, { uri, secret_text, sealed }: ReturnType<typeof showNewTelephone>): Html {
  const hint = say([
    'Lisez cette image avec l’application du nouveau téléphone. L’ancien compte jusqu’au premier code du nouveau.',
    'Scan this picture with the app on the new phone. The old phone works until the first code of the new one.',
  ])
  const said = say(['Image à lire avec une application de codes', 'QR code for an authenticator app'])
  const code = codeField({
    name: 'secret_code',
    label: say(['Le code qui s’affiche', 'The code that the app shows']),
  })
  return html`${hiddenField('shown', sealed)}<p class="hint">${hint}</p>${drawQr(uri, said, 'L')}
<p>${typedSecret(secret_text)}</p>${code}${changeButton(say)}`
}

function changeButton(say: Say): Html {
  return html`<button class="wide">${say(['Changer', 'Change'])}</button>`
}

const definerOf = (door: ScreenDoor) =>
  (door === 'console' ? defineConsoleScreen : defineDeskScreen) as typeof defineDeskScreen

/** Asks for a fresh factor before a change. */
function ask(
  door: ScreenDoor,
  path: string,
  change: Change,
  then: (request: Request, deps: Deps, step_up_id: string) => Promise<ScreenAnswer>,
): Screen<Deps> {
  return definerOf(door)<Deps>({
    method: 'POST',
    path,
    operation: `${change}.ask.${door}`,
    summary: titles[change][1],
    right: null,
    async handle(request, deps) {
      const factor = await factorOf(request, deps, door, change)
      return factor.kind === 'confirmed' ? then(request, deps, factor.step_up_id) : factor
    },
  })
}

/** Opens the form of a change, after the fresh factor. */
function open(door: ScreenDoor, path: string, change: FormChange): Screen<Deps> {
  return ask(door, path, change, (request, deps, step_up_id) =>
    changeForm(request, deps, door, change, step_up_id, null),
  )
}

/** Takes the form of a change. */
function take(
  door: ScreenDoor,
  change: FormChange,
  act: (request: Request, deps: Deps, how: Changing) => Promise<Changed>,
): Screen<Deps> {
  return definerOf(door)<Deps>({
    method: 'POST',
    path: `/account/take/${change.replace('.', '-')}`,
    operation: `${change}.${door}`,
    summary: titles[change][1],
    right: null,
    async handle(request, deps) {
      const proof = request.fields.text('proof')
      const done = await act(request, deps, changing(request, proof))
      if (done.kind !== 'refused') return moved(request.at('/account?done=saved'))
      return changeForm(request, deps, door, change, proof, done.code)
    },
  })
}

/** The screens of a person's own account, the same at both doors. */
function accountScreens(door: ScreenDoor): Screen<Deps>[] {
  return [...sessionScreens(door), ...changeScreens(door)]
}

/** The account itself, and the end of sessions. */
function sessionScreens(door: ScreenDoor): Screen<Deps>[] {
  const define = definerOf(door)
  const at = door === 'console' ? 'Console' : 'Desk'
  return [
    define<Deps>({
      method: 'GET',
      path: '/account',
      operation: `showAccount${at}`,
      summary: 'My sessions and factors',
      right: null,
      async handle(request, { console: frame }) {
        const { session, say } = request
        const { person_id } = session.person
        const [sessions, factors, account_code] = await Promise.all([
          listSessions(frame, person_id),
          listFactors(frame, person_id),
          readAccountCode(frame.sql, person_id),
        ])
        const facts = { sessions, factors, account_code, current: session.session_id }
        return { kind: 'view', title: say(['Mon compte', 'My account']), main: accountView(request, facts), facts }
      },
    }),
    define<Deps>({
      method: 'POST',
      path: '/account/sessions/end-others',
      operation: `endOtherSessions${at}`,
      summary: 'End my other sessions',
      right: null,
      async handle(request, { console: frame }) {
        await endOtherSessions(frame, request.session, request)
        return moved(request.at('/account?done=removed'))
      },
    }),
    define<Deps>({
      method: 'POST',
      path: '/account/sessions/:id/end',
      operation: `endSession${at}`,
      summary: 'End one of my sessions',
      right: null,
      async handle(request, { console: frame }) {
        const ended = await endSessionOf(frame, request.session, request.params.id ?? '', request)
        return ended.kind === 'refused' ? absent : moved(request.at('/account?done=removed'))
      },
    }),
  ]
}

/** The changes of factors: each asks first, and the three with a form take it then. */
function changeScreens(door: ScreenDoor): Screen<Deps>[] {
  return [
    open(door, '/account/change/passkey', 'passkey.add'),
    open(door, '/account/change/password', 'password.change'),
    open(door, '/account/change/telephone', 'telephone.replace'),
    ask(door, '/account/recovery-codes', 'recovery_codes.renew', async (request, { console: frame }, step_up_id) => {
      const { say } = request
      const renewed = await renewRecoveryCodes(frame.factorsAt(door), changing(request, step_up_id))
      if (renewed.kind === 'refused') return moved(request.at('/account'))
      const main = html`<div class="narrow">${recoveryCodesView(say, renewed.recovery_codes, request.at('/account'))}</div>`
      return {
        kind: 'view',
        title: say(titles['recovery_codes.renew']),
        main,
        facts: { recovery_codes: renewed.recovery_codes },
      }
    }),
    ask(door, '/account/passkeys/:id/remove', 'passkey.remove', async (request, { console: frame }, step_up_id) => {
      const id = request.params.id ?? ''
      const removed = await removePasskey(frame.factorsAt(door), changing(request, step_up_id), id)
      if (removed.kind !== 'refused') return moved(request.at('/account?done=removed'))
      if (removed.code === 'passkey_not_found') return absent
      const sentence = request.say(refusalWords[removed.code])
      const back = backLink(request.at('/account'), request.say(['Mon compte', 'My account']))
      const main = html`${back}<div class="note care"><p>${sentence}</p></div>`
      return {
        kind: 'view',
        status: 409,
        title: request.say(titles['passkey.remove']),
        main,
        facts: { error: { code: removed.code } },
      }
    }),
    take(door, 'passkey.add', (request, { console: frame }, how) =>
      addPasskey(frame.factorsAt(door), how, {
        attempt: request.fields.text('attempt'),
        answer: readAnswer(request.fields.secret('registration')),
        label: request.fields.text('label'),
      }),
    ),
    take(door, 'password.change', (request, { console: frame }, how) =>
      changePassword(frame.factorsAt(door), how, {
        old_password: request.fields.secret('secret_old'),
        new_password: request.fields.secret('secret_new'),
      }),
    ),
    take(door, 'telephone.replace', (request, { console: frame }, how) =>
      replaceTelephone(frame.factorsAt(door), how, {
        sealed: request.fields.text('shown'),
        code: request.fields.secret('secret_code').replace(/\s/g, ''),
      }),
    ),
  ]
}

export const accountConsoleScreens = accountScreens('console')
export const accountDeskScreens = accountScreens('desk')
