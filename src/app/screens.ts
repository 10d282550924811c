import type { Screen } from '../console/screen.ts'

/** Every screen of the console and of the desk, in the order of their menus: a screen that is not here does not answer. */
export const screens = [] as const satisfies readonly Screen<never>[]
