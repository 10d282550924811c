import { blank, linkButton, pageHead, panel, status } from '../../console/components.ts'
import { sayCount, type Words } from '../../console/say.ts'
import { defineDeskScreen, type ScreenRequest } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'

/** The state of one requirement of live mode. `mend`: the page of the desk, in live mode, that fixes it. Null: none. */
export type LiveFinding = { subject: Words; status: 'ok' | 'missing' | 'note'; message: Words; mend: string | null }

export type LiveDeps = {
  /** Checks all requirements of live mode. It calls operators, and moves no money. */
  readonly checkLive: () => Promise<readonly LiveFinding[]>
}

const groups = {
  missing: ['bad', ['Il manque', 'Missing']],
  note: ['wait', ['À savoir', 'To know']],
  ok: ['ok', ['En ordre', 'In order']],
} as const

/** The requirements of live mode, missing ones first. Each that is not met links to the page that fixes it. */
export const getLive = defineDeskScreen<LiveDeps>({
  method: 'GET',
  path: '/live',
  operation: 'deskLive',
  summary: 'Read what live mode needs and what is missing',
  right: 'connectors.read',
  menu: { group: 'operators', icon: 'ok', words: ['Passer en réel', 'Go live'] },
  async handle(request, { checkLive }) {
    const { say } = request
    const checks = await checkLive()
    const lacking = checks.filter((one) => one.status === 'missing').length
    const ready = lacking === 0
    const title = say(['Passer en réel', 'Go live'])
    const lead = ready
      ? say([
          'Rien ne manque : le service peut prendre de l’argent réel.',
          'Nothing is missing: the service can take real money.',
        ])
      : sayCount(
          say,
          lacking,
          ['Il manque une chose.', 'One thing is missing.'],
          ['Il manque {n} choses.', '{n} things are missing.'],
        )
    const parts = (Object.keys(groups) as (keyof typeof groups)[]).flatMap((name) => {
      const found = checks.filter((one) => one.status === name)
      return found.length === 0 ? [] : [panel(say(groups[name][1]), findings(request, found))]
    })
    const none = blank('ok', { title: say(['Rien à vérifier', 'Nothing to check']) })
    const hint = say([
      'La commande live check dit la même chose. Rien n’a bougé.',
      'The command live check tells the same. Nothing has moved.',
    ])
    const found = html`${parts.length === 0 ? none : parts}<p class="hint">${hint}</p>`
    const main = html`${pageHead({ title, lead })}<div class="stack">${found}</div>`
    // In English, like the command.
    const told = checks.map(({ subject, message, ...one }) => ({ ...one, subject: subject[1], message: message[1] }))
    return { kind: 'view', title, main, facts: { ready, checks: told } }
  },
})

function findings(request: ScreenRequest<'desk'>, found: readonly LiveFinding[]): Html {
  const { say, at, can } = request
  const inLive = (path: string) => `${at('').replace(/^\/desk\/\w+/, '/desk/live')}${path}`
  const parts = found.map(({ subject, message, status: stands, mend }) => {
    const [shape, words] = groups[stands]
    const leads = stands !== 'ok' && mend !== null && (!mend.startsWith('/merchants') || can('merchants.read'))
    const see = say(['Voir : {what}', 'See: {what}'], { what: say(subject) })
    const link = leads && html`<p class="gap">${linkButton(inLive(mend), see, 'second')}</p>`
    return html`<div><p>${status(shape, say(words))} <b>${say(subject)}</b></p><p>${say(message)}</p>${link}</div>`
  })
  return html`<div class="stack">${parts}</div>`
}
