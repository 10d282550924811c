const GRACE_MS = 60_000

/**
 * Lets the process end within a minute once its tests are over. A process that still holds a connection, a server or a timer would block the
 * whole run. So it fails and names the resource.
 */
export function endRest(): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((name) => !name.startsWith('Pipe'))
    process.stderr.write(`The tests are over, but the process still holds: ${open.join(', ')}\n`)
    process.exit(1)
  }, GRACE_MS).unref()
}
