import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { defineConsoleScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Clock } from '../../platform/clock.ts'
import { readSchedule } from '../../settlements/schedule-store.ts'
import { type ScheduleSet, setSchedule } from '../../settlements/set-schedule.ts'
import { type AskDeps, readAsk } from './ask-facts.ts'
import { scheduleView, typedOf } from './schedule-view.ts'

type Deps = AskDeps & { readonly clock: Clock }
type Request = ScreenRequest<'console'>

async function show(request: Request, deps: Deps, errors: readonly FieldError[] | null = null): Promise<ScreenAnswer> {
  const { tenant, fields } = request
  const [schedule, ask] = await Promise.all([readSchedule(deps.sql, tenant), readAsk(deps, tenant)])
  const text = (name: string) => fields.text(name)
  const again = { every: text('every'), days: fields.all('days'), at: text('at'), keep: text('keep') }
  const typed = errors === null ? typedOf(schedule) : again
  return scheduleView(request, { schedule, ask, now: deps.clock.now() }, typed, errors ?? [])
}

const getSchedule = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/settlements/schedule',
  operation: 'settlementScheduleScreen',
  summary: 'The automatic withdrawal of a merchant, and what its next run would take',
  right: 'settlements.request',
  handle: (request, deps) => show(request, deps),
})

const postSchedule = consoleAct<unknown, ScheduleSet, Deps & ActScreenDeps>(setSchedule, {
  path: '/settlements/schedule',
  back: ({ at }) => at('/settlements/schedule'),
  // Some days are those that the form ticks.
  text: ({ fields }, name) =>
    name === 'every' && fields.text('every') === 'week' ? fields.all('days').join() || ' ' : undefined,
  done: (_, { next_at }) => `/settlements?done=${next_at === null ? 'schedule_off' : 'schedule_set'}`,
  again: (request, deps, errors) => show(request, deps, errors),
})

/** The screens of the automatic withdrawal. */
export const scheduleScreens = [getSchedule, postSchedule] as const
