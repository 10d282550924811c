import { machineMilliseconds } from '../platform/clock.ts'
import type { Task, TwinState } from './state.ts'

/** Does a task, however long it takes. Other tasks do not wait for it. */
export type TaskHandler = (data: Record<string, unknown>) => void | Promise<void>

/** The twin's clock, which only moves forward, and its tasks. */
export type Time = {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since 1970 of the machine's clock, which `advance` does not move. */
  machine(): number
  /** `2026-03-02T10:15:32Z` */
  text(at?: number): string
  /** Sets the handler of the tasks with this name. */
  handle(name: string, handler: TaskHandler): void
  after(seconds: number, name: string, data: Record<string, unknown>): void
  /** Moves the clock forward. Resolves when all tasks that fell due are done. */
  advance(seconds: number): Promise<void>
  /** Resolves when all begun tasks are done. */
  settled(): Promise<void>
  start(): void
  stop(): void
}

/** The longest that a timer of Node can wait. */
const TIMER_MAX = 2 ** 31 - 1

/** @param changed called after a task has changed the state */
export function createTime(state: TwinState, changed: () => void): Time {
  const handlers = new Map<string, TaskHandler>()
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let started = false
  const now = (): number => machineMilliseconds() + state.ahead_ms

  function begin(task: Task): void {
    const handler = handlers.get(task.name)
    // A state file may contain a task of an API that no longer exists.
    if (handler === undefined) return
    const doing = Promise.resolve()
      .then(() => handler(task.data))
      .finally(() => {
        running.delete(doing)
        changed()
      })
    running.add(doing)
  }

  function runDue(): void {
    while (state.tasks.length > 0 && state.tasks[0]!.at <= now()) begin(state.tasks.shift()!)
    if (timer !== null) clearTimeout(timer)
    timer = null
    const next = state.tasks[0]
    if (started && next !== undefined) timer = setTimeout(runDue, Math.min(Math.max(next.at - now(), 1), TIMER_MAX))
  }

  async function settled(): Promise<void> {
    while (running.size > 0) await Promise.all(running)
  }

  return {
    now,
    machine: machineMilliseconds,
    text: (at = now()) => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    handle: (name, handler) => void handlers.set(name, handler),
    after(seconds, name, data) {
      const task = { at: now() + seconds * 1000, name, data }
      // Tasks due at the same time keep their order of arrival.
      let place = state.tasks.length
      while (place > 0 && state.tasks[place - 1]!.at > task.at) place -= 1
      state.tasks.splice(place, 0, task)
      if (place === 0) setImmediate(runDue)
      changed()
    },
    async advance(seconds) {
      const target = now() + seconds * 1000
      await settled()
      for (;;) {
        const next = state.tasks[0]
        if (next === undefined || next.at > target) break
        state.ahead_ms += Math.max(0, next.at - now())
        runDue()
        await settled()
      }
      state.ahead_ms += Math.max(0, target - now())
      // A task may add another that is due at once: a sent callback releases a held one.
      do {
        runDue()
        await settled()
      } while (state.tasks.length > 0 && state.tasks[0]!.at <= now())
      changed()
    },
    settled,
    start() {
      started = true
      runDue()
    },
    stop() {
      started = false
      if (timer !== null) clearTimeout(timer)
    },
  }
}
