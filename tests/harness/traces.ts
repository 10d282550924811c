/** Returns what a test can leave behind in a process: open timers, servers and sockets, the environment and the folder. */
export function traces(): { open: string[]; environment: NodeJS.ProcessEnv; folder: string } {
  return {
    open: process
      .getActiveResourcesInfo()
      .filter((name) => /Timeout|Server|Socket|Worker|FSEvent|ChildProcess/.test(name)),
    environment: { ...process.env },
    folder: process.cwd(),
  }
}
