import { fileURLToPath } from 'node:url'

/** The path of bin/bandama, which runs the sources. */
export const sourceProgram = fileURLToPath(new URL('../../bin/bandama', import.meta.url))

/** Returns the path of the program that tests start: the bundle of this run, or bin/bandama when few files run. */
export function programOfRun(): string {
  return process.env.TEST_PROGRAM ?? sourceProgram
}
