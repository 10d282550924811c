import { after, before } from 'node:test'
import { endRest } from './end-rest.ts'
import { noteStart } from './starting.ts'

// Loaded before every test file that has a process of its own.

before(() => noteStart('process', performance.now()))
after(endRest)
