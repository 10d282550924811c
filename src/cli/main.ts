import { print } from './output.ts'
import { runCommandLine } from './run-command-line.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), { env: process.env, print, stderr: process.stderr })
