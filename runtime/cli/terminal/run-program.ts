/** The frame of a program of the terminal: its exit code, and what a person sees of its errors. */

/**
 * Errors whose message is for the person at the terminal. Any other error is a bug and shows its
 * stack.
 */
const plain = [
  'CommandFailed',
  'ConfigError',
  'NatsUnusable',
  'NoNativeServer',
  'PortTaken',
  'ServiceError',
  'StartFailed',
  'InsufficientIsolation',
  'AlreadyRunning',
  'StoppedEarly',
]

export function fail(line: string): number {
  console.error(`troupe: ${line}`)
  return 1
}

/** `isService`: it goes on when the reader of its output has gone. */
export function runProgram(main: () => Promise<number>, isService: boolean): void {
  // The reader of our output has closed it, as `head` does.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      if (!isService) process.exit(0)
    })
  }
  main().then(
    (code) => {
      process.exitCode = code
    },
    (error: unknown) => {
      const known = error instanceof Error && plain.includes(error.name)
      fail(known ? error.message : `unexpected: ${(error as Error)?.stack}`)
      // Work in progress may still be retrying, and its result is no longer needed.
      process.exit(1)
    },
  )
}
