import type { StepUpAct } from '../../people/step-up/step-up.ts'
import {
  agreeInBrowser,
  findAsked,
  type RequestFound,
  refuseInBrowser,
} from '../../people/terminals/agree-in-browser.ts'
import type { FoundRequest, TerminalRequest } from '../../people/terminals/store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import { askForFactor, type FactorQuestion, factorOrQuestion } from '../ask-for-factor.ts'
import { backLink, note, rows } from '../components.ts'
import type { ConsoleFrame } from '../console-frame.ts'
import { errorList, type FieldError, field, form } from '../forms.ts'
import { refusalWords } from '../refusal-words.ts'
import {
  defineConsoleScreen,
  defineDeskScreen,
  moved,
  type Screen,
  type ScreenAnswer,
  type ScreenDoor,
  type ScreenRequest,
  type ScreenView,
} from '../screen.ts'

type Deps = { readonly console: ConsoleFrame }
type Request = ScreenRequest<ScreenDoor>

const PATH = '/account/command-line'
const REFUSE_PATH = `${PATH}/refuse`

/** The most characters of a typed code. */
const CODE_MAX = '20'

/** The form for the code that a command line shows. */
function codeView(request: Request, refused: Extract<RequestFound, { kind: 'refused' }>['code'] | null): ScreenView {
  const { say, at, fields } = request
  const title = say(['Accepter une ligne de commande', 'Approve a command line'])
  const errors: FieldError[] = refused === null ? [] : [{ field: 'code', text: say(refusalWords[refused]) }]
  const code = field(
    {
      name: 'code',
      label: say(['Le code que la commande montre', 'The code that the command shows']),
      value: fields.text('code').slice(0, Number(CODE_MAX)),
      hint: say(['Huit lettres, par exemple WDJB-MJHT.', 'Eight letters, such as WDJB-MJHT.']),
      more: { maxlength: CODE_MAX, autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false' },
    },
    errors,
  )
  const own = say([
    'Seulement pour une commande que vous venez de lancer vous-même. Vous verrez d’abord ce qu’elle demande.',
    'Only for a command that you have just run yourself. First you see what it requests.',
  ])
  const see = html`<button class="wide">${say(['Voir ce qu’elle demande', 'See the request'])}</button>`
  const content = html`<div class="stack"><h1>${title}</h1><p>${own}</p>${code}</div><div>${see}</div>`
  const slip = form(request, at(PATH), content, { class: 'slip' })
  const back = backLink(at('/account'), say(['Mon compte', 'My account']))
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  const status = refused === null ? 200 : refused === 'too_many_attempts' ? 429 : 422
  return { kind: 'view', status, title, main, facts: { error: refused === null ? null : { code: refused } } }
}

/** Returns the command as typed. */
function lineOf({ command, options }: TerminalRequest): string {
  const words = Object.entries(options).map(([name, value]) => (value === true ? `--${name}` : `--${name} ${value}`))
  return ['bandama', command, ...words].join(' ')
}

/** The question, under the amount that moves. */
function headOf(title: string, amount: number | undefined): Html {
  return amount === undefined
    ? html`<h1>${title}</h1>`
    : html`<h1><span class="sr">${title} </span>${drawAmount(amount)}</h1><p class="say">${title}</p>`
}

/** The step-up of an agreement: the whole request of the command line, at this place. */
function stepUpOf({ session, at }: Request, asked: FoundRequest): StepUpAct {
  const { asked_at, ...request } = asked
  const content = { ...request, asked_at: asked_at.toISOString(), at: at('') }
  return { operation: 'command_line.agree', subject: session.person.person_id, content }
}

/** The question about the request of a command line: what it does, the machine, and the command as typed. */
function questionOf(request: Request, asked: FoundRequest, code: string): FactorQuestion {
  const { say, at, language } = request
  const { command, options, lines = [], signed, user, asked_at } = asked
  const { amount, livemode = options.mode === 'live' } = (signed?.content ?? {}) as {
    amount?: number
    livemode?: boolean
  }
  const signsIn = command === 'login'
  const title = signsIn
    ? say(['Ouvrir une ligne de commande à votre nom ?', 'Sign a command line in as you?'])
    : say(['Accepter cette commande ?', 'Approve this command?'])
  const warning = signsIn
    ? say([
        'La personne devant cette machine agira avec vos droits, pendant huit heures au plus. Confirmez seulement si c’est vous.',
        'The person at this machine will act with your rights, for eight hours at most. Confirm only if it is you.',
      ])
    : say([
        'Confirmez seulement si vous venez de lancer cette commande vous-même.',
        'Confirm only if you have just run this command yourself.',
      ])
  const shown = lines.filter(({ name }) => amount === undefined || name[1] !== 'Amount')
  return {
    livemode,
    title,
    instead: form(
      request,
      at(REFUSE_PATH),
      html`<input type="hidden" name="code" value="${code}"><button class="stop">${say(['Refuser', 'Refuse'])}</button>`,
      { class: 'acts' },
    ),
    back: at('/account'),
    shown: html`${headOf(title, amount)}${rows([
      ...shown.map(({ name, value }) => ({ name: say(name), value: say(value) })),
      { name: say(['Machine', 'Machine']), value: user },
      { name: say(['Commande', 'Command']), value: html`<span class="id">${lineOf(asked)}</span>` },
      { name: say(['Demandé', 'Requested at']), value: writeDate(asked_at, language) },
    ])}${note('care', null, warning)}`,
  }
}

/** Agrees with a fresh factor, which the agreement uses up in its own transaction. */
async function agree(request: Request, { console: frame }: Deps, door: ScreenDoor): Promise<ScreenAnswer> {
  const { session, address } = request
  const deps = frame.factorsAt(door)
  const code = request.fields.text('code')
  const found = await findAsked(deps, { session, code })
  if (found.kind === 'refused') return codeView(request, found.code)
  const { asked } = found
  const signed = stepUpOf(request, asked)
  const question = questionOf(request, asked, code)
  const factor = await factorOrQuestion(deps, request, signed, question)
  if (factor.kind !== 'confirmed') return factor
  const { step_up_id } = factor
  const browser = { address, user_agent: '' }
  const done = await agreeInBrowser(deps, { session, code, asked, proof: { step_up_id, ...signed }, browser })
  if (done.kind === 'agreed') return moved(request.at('/account?done=command_line_agreed'))
  if (done.code === 'terminal_code_unknown') return codeView(request, done.code)
  return askForFactor(deps, request, signed, question, { code: done.code })
}

async function refuse(request: Request, { console: frame }: Deps, door: ScreenDoor): Promise<ScreenAnswer> {
  const { session, address } = request
  const deps = frame.factorsAt(door)
  const code = request.fields.text('code')
  const found = await findAsked(deps, { session, code })
  if (found.kind === 'refused') return codeView(request, found.code)
  const browser = { address, user_agent: '' }
  const done = await refuseInBrowser(deps, { session, code, asked: found.asked, browser })
  return done.kind === 'refused'
    ? codeView(request, done.code)
    : moved(request.at('/account?done=command_line_refused'))
}

/** The screens on which a person confirms the request of a command line, the same at both doors. */
function commandLineScreens(door: ScreenDoor): Screen<Deps>[] {
  const define = (door === 'console' ? defineConsoleScreen : defineDeskScreen) as typeof defineDeskScreen
  const at = door === 'console' ? 'Console' : 'Desk'
  return [
    define<Deps>({
      method: 'GET',
      path: PATH,
      operation: `showCommandLine${at}`,
      summary: 'The form for the code of a command line',
      right: null,
      handle: async (request) => codeView(request, null),
    }),
    define<Deps>({
      method: 'POST',
      path: PATH,
      operation: `agreeToCommandLine${at}`,
      summary: 'Agree to what a command line asks: a sign-in, or one act',
      right: null,
      handle: (request, deps) => agree(request, deps, door),
    }),
    define<Deps>({
      method: 'POST',
      path: REFUSE_PATH,
      operation: `refuseCommandLine${at}`,
      summary: 'Refuse what a command line asks: it ends without doing anything',
      right: null,
      handle: (request, deps) => refuse(request, deps, door),
    }),
  ]
}

export const commandLineConsoleScreens = commandLineScreens('console')
export const commandLineDeskScreens = commandLineScreens('desk')
