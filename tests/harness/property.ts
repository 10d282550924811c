import fc from 'fast-check'
import { given } from './seed.ts'

// fast-check, with the seed in SEED if there is one. A property that fails prints the seed and the path to its shortest counterexample.

if (given !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: given })

export default fc
