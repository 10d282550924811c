import { blank, pageHead, panel, status } from '../../console/components.ts'
import type { Say, Words } from '../../console/say.ts'
import { defineDeskScreen } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'

/** How one thing that live mode needs stands. `message`: the sentence of the command, in English. */
export type LiveFinding = { subject: string; status: 'ok' | 'missing' | 'note'; message: string }

export type LiveDeps = {
  /** Goes through everything that live mode needs; calls operators, and moves nothing. */
  readonly checkLive: () => Promise<readonly LiveFinding[]>
}

const groups = {
  missing: ['bad', ['Il manque', 'Missing']],
  note: ['wait', ['À savoir', 'To know']],
  ok: ['ok', ['En ordre', 'In order']],
} as const

/** Everything that live mode needs: first what is missing. */
export const getLive = defineDeskScreen<LiveDeps>({
  method: 'GET',
  path: '/live',
  operation: 'deskLive',
  summary: 'Read what live mode needs and what is missing',
  right: 'connectors.read',
  menu: { group: 'operators', icon: 'ok', words: ['Passer en réel', 'Go live'] },
  async handle({ say }, { checkLive }) {
    const checks = await checkLive()
    const lacking = checks.filter((one) => one.status === 'missing').length
    const ready = lacking === 0
    const title = say(['Passer en réel', 'Go live'])
    const lead = ready
      ? say([
          'Rien ne manque : le service peut prendre de l’argent réel.',
          'Nothing is missing: the service can take real money.',
        ])
      : lacking === 1
        ? say(['Il manque une chose.', 'One thing is missing.'])
        : say(['Il manque {n} choses.', '{n} things are missing.'], { n: lacking })
    const parts = (Object.keys(groups) as (keyof typeof groups)[]).flatMap((name) => {
      const [shape, words] = groups[name]
      const found = checks.filter((one) => one.status === name)
      return found.length === 0 ? [] : [panel(say(words), findings(found, shape, words, say))]
    })
    const none = blank('ok', { title: say(['Rien à vérifier', 'Nothing to check']) })
    const main = html`${pageHead({ title, lead })}<div class="stack">${parts.length === 0 ? none : parts}<p class="hint">${say(['Les phrases sont celles de la commande live check. Rien n’a bougé.', 'The sentences are those of the command live check. Nothing has moved.'])}</p></div>`
    return { kind: 'view', title, main, facts: { ready, checks } }
  },
})

function findings(found: readonly LiveFinding[], shape: 'ok' | 'wait' | 'bad', words: Words, say: Say): Html {
  return html`<div class="stack">${found.map(
    ({ subject, message }) =>
      html`<div><p>${status(shape, say(words))} <b lang="en">${subject}</b></p><p lang="en">${message}</p></div>`,
  )}</div>`
}
