import { chooseNotices, readNoticeChoices } from '../../people/notices/choose-notices.ts'
import { choosableKinds, type NoticeKind, noticeKinds } from '../../people/notices/notice.ts'
import { readSubscription } from '../../people/push/devices.ts'
import { hasOneOrder } from '../../platform/each-shard.ts'
import type { ConsoleFrame } from '../console-frame.ts'
import type { FieldError } from '../forms.ts'
import {
  defineConsoleScreen,
  defineDeskScreen,
  moved,
  type Screen,
  type ScreenAnswer,
  type ScreenDoor,
  type ScreenRequest,
} from '../screen.ts'
import { noticesView } from './notice-view.ts'
import { readTyped, type Typed, typedOf } from './typed-choices.ts'

type Deps = { readonly console: ConsoleFrame }

/** The screens on which a person chooses their notices, the same at both doors. */
function noticeScreens(door: ScreenDoor): Screen<Deps>[] {
  const define = (door === 'console' ? defineConsoleScreen : defineDeskScreen) as typeof defineDeskScreen
  const at = door === 'console' ? 'Console' : 'Desk'
  return [
    define<Deps>({
      method: 'GET',
      path: '/notices',
      operation: `showNotices${at}`,
      summary: 'What I am told, and how',
      right: null,
      menu: { group: 'house', icon: 'bell', words: ['Notifications', 'Notifications'] },
      handle: (request, { console: frame }) => show(frame, request, null),
    }),
    define<Deps>({
      method: 'POST',
      path: '/notices',
      operation: `chooseNotices${at}`,
      summary: 'Choose what I am told, and how',
      right: null,
      async handle(request, { console: frame }) {
        const { typed, settings, errors } = readTyped(request)
        if (settings === null) return show(frame, request, { typed, errors })
        const by_mail = frame.mail ? typed.by_mail : null
        const chosen = { choosable: kindsFor(request, frame), ...settings, by_mail, by_push: typed.by_push }
        await chooseNotices(frame, request.session, chosen, request)
        return moved(request.at('/notices?done=saved'))
      },
    }),
    define<Deps>({
      method: 'POST',
      path: '/notices/devices',
      operation: `addDevice${at}`,
      summary: 'Get notices on this device',
      right: null,
      async handle(request, { console: frame }) {
        const subscription = readSubscription(request.fields.secret('subscription'))
        const from = { address: request.address, user_agent: request.user_agent }
        const added = subscription !== null && (await frame.push.add(request.session, subscription, from))
        return added
          ? moved(request.at('/notices?done=saved'))
          : show(frame, request, { typed: null, errors: [notAdded(request)] })
      },
    }),
    define<Deps>({
      method: 'POST',
      path: '/notices/devices/:id/end',
      operation: `endDevice${at}`,
      summary: 'Get no more notices on a device',
      right: null,
      async handle(request, { console: frame }) {
        await frame.push.remove(request.session, request.params.id ?? '', request)
        return moved(request.at('/notices?done=removed'))
      },
    }),
  ]
}

function notAdded({ say }: ScreenRequest<ScreenDoor>): FieldError {
  const text = say([
    'Ce navigateur n’a pas pu être ajouté. Essayez de nouveau, ou avec un autre navigateur.',
    'This browser could not be added. Try again, or with another browser.',
  ])
  return { field: 'devices', text }
}

/** The kinds that a person may choose. Nobody is told of payments where no order of events goes through all machines. */
function kindsFor({ can }: ScreenRequest<ScreenDoor>, { sql }: ConsoleFrame): NoticeKind[] {
  return choosableKinds(can).filter((kind) => hasOneOrder(sql) || noticeKinds[kind].asked !== true)
}

/** Shows the choices of a person. @param refused the form as typed, with its errors; null: as stored */
async function show(
  frame: ConsoleFrame,
  request: ScreenRequest<ScreenDoor>,
  refused: { readonly typed: Typed | null; readonly errors: readonly FieldError[] } | null,
): Promise<ScreenAnswer> {
  const kinds = kindsFor(request, frame)
  const { person_id } = request.session.person
  const [choices, devices, key] = await Promise.all([
    readNoticeChoices(frame.sql, person_id),
    frame.push.list(person_id),
    // After a lost SECRET_KEY nobody can read it, and no browser can be added.
    frame.push.readKey().catch((error) => {
      frame.log.error({ error }, 'push: the key cannot be read')
      return null
    }),
  ])
  const typed: Typed = refused?.typed ?? typedOf(choices, kinds)
  const facts = { kinds, mail: frame.mail, ...typed, devices }
  return {
    kind: 'view',
    ...(refused !== null && { status: 422 }),
    title: request.say(['Notifications', 'Notifications']),
    main: noticesView(request, { ...facts, push_key: key?.publicKey ?? null, errors: refused?.errors ?? [] }),
    facts,
  }
}

export const noticeConsoleScreens = noticeScreens('console')
export const noticeDeskScreens = noticeScreens('desk')
