import { fileURLToPath } from 'node:url'

/** The path of bin/bandama. */
export const program = fileURLToPath(new URL('../../bin/bandama', import.meta.url))
