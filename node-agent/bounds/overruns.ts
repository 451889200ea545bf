/** The messages of sessions whose browser was ended because it exceeded a limit. */
import { boundsLimits } from './limits.ts'

export const memoryOverrun = (mib: number) =>
  `The browser used more than ${mib} MiB of memory (SESSION_MEMORY_MB).`

export const processesOverrun = `The browser had more than ${boundsLimits.sessionProcesses} processes.`

export const threadsOverrun = `The browser had more than ${boundsLimits.sessionThreads} threads.`

export const diskOverrun = (mib: number) =>
  `The browser's files took more than ${mib} MiB of disk (SESSION_DISK_MB).`

export const filesOverrun = `The browser had more than ${boundsLimits.sessionFiles} files and folders.`

export const nestingOverrun = `The browser's folders were nested more than ${boundsLimits.sessionFolderDepth} deep.`

export const unreadableOverrun =
  'The browser made a folder that cannot be read, so the disk space of its files is not known.'

export const descriptorsOverrun = `The browser had more than ${boundsLimits.sessionDescriptors} open files.`

/** The browser that was ended is not necessarily the one that used most memory. */
export const hostOverrun = "The browser's host ran out of memory, and its kernel ended the browser."
