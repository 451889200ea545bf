/** The messages of sessions whose browser was ended because it exceeded a limit. */
import { boundsLimits } from './limits.ts'

export const memoryOverrun = (mib: number) =>
  `The browser used more than ${mib} MiB of memory (SESSION_MEMORY_MB).`

export const processesOverrun = `The browser had more than ${boundsLimits.sessionProcesses} processes.`

export const threadsOverrun = `The browser had more than ${boundsLimits.sessionThreads} threads.`

export const diskOverrun = (mib: number) =>
  `The browser's files took more than ${mib} MiB of disk (SESSION_DISK_MB).`

/** The browser that was ended is not necessarily the one that used most memory. */
export const hostOverrun = "The browser's host ran out of memory, and its kernel ended the browser."
