import { chooseNotices, readNoticeChoices } from '../../people/notices/choose-notices.ts'
import { choosableKinds } from '../../people/notices/notice.ts'
import type { ConsoleFrame } from '../console-frame.ts'
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
        const chosen = { choosable: choosableKinds(request.can), ...settings, by_mail }
        await chooseNotices(frame, request.session, chosen, request)
        return moved(request.at('/notices?done=saved'))
      },
    }),
  ]
}

/** Shows the choices of a person. @param refused the form as typed, with its errors; null: as stored */
async function show(
  frame: ConsoleFrame,
  request: ScreenRequest<ScreenDoor>,
  refused: Pick<ReturnType<typeof readTyped>, 'typed' | 'errors'> | null,
): Promise<ScreenAnswer> {
  const kinds = choosableKinds(request.can)
  const choices = await readNoticeChoices(frame.sql, request.session.person.person_id)
  const typed: Typed = refused?.typed ?? typedOf(choices, kinds)
  const facts = { kinds, mail: frame.mail, ...typed }
  return {
    kind: 'view',
    ...(refused !== null && { status: 422 }),
    title: request.say(['Notifications', 'Notifications']),
    main: noticesView(request, { ...facts, errors: refused?.errors ?? [] }),
    facts,
  }
}

export const noticeConsoleScreens = noticeScreens('console')
export const noticeDeskScreens = noticeScreens('desk')
