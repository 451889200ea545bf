/** What a session is told when its browser was ended for using too much. */
import { boundsLimits } from './limits.ts'

export const memoryOverrun = (mib: number) =>
  `The browser used more than ${mib} MiB of memory (SESSION_MEMORY_MB).`

export const processesOverrun = `The browser had more than ${boundsLimits.sessionProcesses} processes.`

export const threadsOverrun = `The browser had more than ${boundsLimits.sessionThreads} threads.`

export const diskOverrun = (mib: number) =>
  `The browser's files took more than ${mib} MiB of disk (SESSION_DISK_MB).`

/** It need not be this browser that used much. */
export const hostOverrun = "The browser's host ran out of memory, and its kernel ended the browser."
