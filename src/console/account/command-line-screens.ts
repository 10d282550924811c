import {
  agreeInBrowser,
  findAsked,
  type RequestFound,
  refuseInBrowser,
} from '../../people/terminals/agree-in-browser.ts'
import type { TerminalRequest } from '../../people/terminals/store.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeDate } from '../../platform/http/pages/write-values.ts'
import { backLink, note, rows } from '../components.ts'
import type { ConsoleFrame } from '../console-frame.ts'
import { errorList, type FieldError, field, form } from '../forms.ts'
import { refusalWords } from '../refusal-words.ts'
import {
  type Confirmation,
  defineConsoleScreen,
  defineDeskScreen,
  moved,
  type Screen,
  type ScreenAnswer,
  type ScreenDoor,
  type ScreenRequest,
  type ScreenView,
} from '../screen.ts'
import { listFacts, sayLines } from './list-facts.ts'

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

async function confirm(
  request: Request,
  { console: frame }: Deps,
  door: ScreenDoor,
): Promise<Confirmation | ScreenAnswer> {
  const { say, at, session, language } = request
  const code = request.fields.text('code')
  const found = await findAsked(frame.factorsAt(door), { session, code })
  if (found.kind === 'refused') return codeView(request, found.code)
  const { command, options, facts, lines, signed, user, asked_at } = found.asked
  const { amount, ...others } = facts
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
  return {
    kind: 'confirm',
    subject: session.person.person_id,
    livemode: facts.livemode ?? options.mode === 'live',
    content: {
      command,
      options,
      facts,
      ...(signed === undefined ? {} : { signed }),
      user,
      asked_at: asked_at.toISOString(),
    },
    title,
    instead: form(
      request,
      at(REFUSE_PATH),
      html`<input type="hidden" name="code" value="${code}"><button class="stop">${say(['Refuser', 'Refuse'])}</button>`,
      { class: 'acts' },
    ),
    back: at('/account'),
    shown: html`${headOf(title, amount)}${rows([
      ...(lines === undefined
        ? listFacts(others, say)
        : sayLines(
            lines.filter(({ name }) => amount === undefined || name[1] !== 'Amount'),
            say,
          )),
      { name: say(['Machine', 'Machine']), value: user },
      { name: say(['Commande', 'Command']), value: html`<span class="id">${lineOf(found.asked)}</span>` },
      { name: say(['Demandé', 'Requested at']), value: writeDate(asked_at, language) },
    ])}${note('care', null, warning)}`,
  }
}

async function agree(request: Request, { console: frame }: Deps, door: ScreenDoor): Promise<ScreenAnswer> {
  const { session, address, actor } = request
  const deps = frame.factorsAt(door)
  const code = request.fields.text('code')
  const found = await findAsked(deps, { session, code })
  if (found.kind === 'refused') return codeView(request, found.code)
  const browser = { address, user_agent: '' }
  const agreed = { session, code, asked: found.asked, step_up_id: actor.step_up_id!, browser }
  const done = await agreeInBrowser(deps, agreed)
  return done.kind === 'refused' ? codeView(request, done.code) : moved(request.at('/account?done=command_line_agreed'))
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
      confirm: (request, deps) => confirm(request, deps, door),
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
