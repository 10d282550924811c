import { listSessions } from '../../people/sessions/list-sessions.ts'
import { setLanguage } from '../../people/set-language.ts'
import type { ConsoleFrame } from '../console-frame.ts'
import { defineConsoleScreen, defineDeskScreen, moved, type Screen, type ScreenDoor } from '../screen.ts'
import { safeNext } from '../sign-in/kept-form.ts'
import { noticesOf, settingsView } from './settings-view.ts'

type Deps = { readonly console: ConsoleFrame }

/** The screens of the reader's own settings, the same at both doors. */
function settingsScreens(door: ScreenDoor): Screen<Deps>[] {
  const define = (door === 'console' ? defineConsoleScreen : defineDeskScreen) as typeof defineDeskScreen
  const at = door === 'console' ? 'Console' : 'Desk'
  return [
    define<Deps>({
      method: 'GET',
      path: '/settings',
      operation: `showSettings${at}`,
      summary: 'My language and notices',
      right: null,
      menu: { group: 'house', icon: 'gear', words: ['Réglages', 'Settings'] },
      async handle(request, { console: frame }) {
        const { person } = request.session
        const sessions = (await listSessions(frame, person.person_id)).length
        const facts = { language: person.language, notices: noticesOf(request), sessions }
        const { say } = request
        return { kind: 'view', title: say(['Réglages', 'Settings']), main: settingsView(request, facts), facts }
      },
    }),
    define<Deps>({
      method: 'POST',
      path: '/settings/language',
      operation: `setLanguage${at}`,
      summary: 'Keep the language that I read',
      right: null,
      async handle(request, { console: frame }) {
        const { fields, session } = request
        await setLanguage(frame, session, fields.text('language') === 'en' ? 'en' : 'fr', request)
        // From the menu it returns to the same page; from the settings it shows a message.
        const back = fields.text('back')
        return moved(back === '' ? request.at('/settings?done=saved') : safeNext(back, door))
      },
    }),
  ]
}

export const settingsConsoleScreens = settingsScreens('console')
export const settingsDeskScreens = settingsScreens('desk')
