import { createClock } from '../../src/platform/clock.ts'
import { raiseFloor } from '../../src/webhooks/feed/feed-store.ts'
import type { RefusalCase, Stage } from './meet-refusals.ts'
import { newSender, type Sender } from './sender.ts'
import { EVENTS } from './x-refusal-cases.ts'

const LIST = 'GET /x/events'

const queries: RefusalCase[] = [
  ...[
    'after=',
    'after=x',
    'after=Begin',
    'after=begin&after=now',
    'after=2026-08-25',
    'after=2026-13-25T09:30:00Z',
    'after=evt_1',
  ],
  ...[`after=${'A'.repeat(60)}`, `after=${'A'.repeat(201)}`, 'after=now%00', 'after=-1.0.evt_'],
  ...[
    'wait=',
    'wait=1',
    'after=now&wait=',
    'after=now&wait=-1',
    'after=now&wait=1.5',
    'after=now&wait=1s',
    'after=now&wait=1&wait=1',
  ],
  ...['after=now&starting_after=evt_1', 'after=now&limit=0', 'after=now&before=1'],
].map((query) => ({
  route: LIST,
  why: `?${query.slice(0, 50)}`,
  status: 400,
  code: 'invalid_request',
  prepare: ({ sender: { key } }) => ({ asked: { path: `${EVENTS}?${query}`, key } }),
}))

/** The cursor of a merchant's feed after one event. */
async function cursorOf({ installation }: Stage, { key }: Sender): Promise<string> {
  return ((await installation.ask({ path: `${EVENTS}?after=begin`, key })).json() as { next: string }).next
}

const cursors: RefusalCase[] = [
  {
    route: LIST,
    why: "another merchant's cursor",
    status: 400,
    code: 'invalid_request',
    async prepare(stage) {
      const other = await cursorOf(stage, await newSender(stage.installation, { funds: 0 }))
      return { asked: { path: `${EVENTS}?after=${other}`, key: stage.sender.key } }
    },
  },
  ...[0, 10, -1].map(
    (at): RefusalCase => ({
      route: LIST,
      why: `a cursor whose letter ${at} was changed`,
      status: 400,
      code: 'invalid_request',
      async prepare(stage) {
        const letters = [...(await cursorOf(stage, stage.sender))]
        letters.splice(at, 1, letters.at(at) === 'A' ? 'Q' : 'A')
        return { asked: { path: `${EVENTS}?after=${letters.join('')}`, key: stage.sender.key } }
      },
    }),
  ),
  ...(['cursor', 'moment'] as const).map(
    (place): RefusalCase => ({
      route: LIST,
      why: `an event after the ${place} was deleted`,
      status: 409,
      code: 'cursor_expired',
      async prepare(stage) {
        const sender = await newSender(stage.installation, { funds: 0 })
        const after = place === 'cursor' ? await cursorOf(stage, sender) : '2026-01-01T00:00:00Z'
        const deleted = { place: { epoch: 1, tx: '1', id: 'evt_1' }, created_at: createClock().now() }
        await stage.installation.db.sql.begin((tx) => raiseFloor(tx, sender.tenant, deleted))
        return { asked: { path: `${EVENTS}?after=${after}`, key: sender.key } }
      },
    }),
  ),
]

/** The refusals of the feed, besides those of the list at the same address. */
export const feedRefusals: readonly RefusalCase[] = [...queries, ...cursors]
